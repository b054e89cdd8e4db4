"""Transactions that ``traffic`` describes, with errors that name the line."""

from hydranoc.config import schema
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.errors import ConfigError
from sim_model.axi4.random_transactions import RandomTransactions
from sim_model.axi4.simulation import Axi4Hosts
from sim_model.axi4.transactions import Transaction, Transactions
from topology.axi4.address_map import MIN_SIZE, AddressMap
from topology.axi4.words import Axi4Format
from topology.common.host_pattern import level_of

RANDOM_KEYS = ("read_fraction", "multicast_fraction", "unmapped_fraction", "beats", "interval_cycles", "seed")


def axi4_traffic(config: Config) -> schema.Axi4Traffic | None:
    """Return the transactions' section; None for other traffic.

    Raises:
        ConfigError: If there are no AXI4 ends, or for a key that such traffic does not have.
    """
    traffic = config.traffic
    if not isinstance(traffic, schema.Axi4Traffic):
        return None
    source = config.source
    if config.axi4 is None:
        raise source.error((*TRAFFIC, "kind"), "traffic.kind is axi4; key 'axi4' is missing, which has the managers")
    for key, default in (("startup_cycles", 0), ("software", None)):
        if getattr(traffic, key) != default:
            raise source.error((*TRAFFIC, key), f"traffic.{key} is {getattr(traffic, key)}; traffic of axi4 has none")
    if isinstance(traffic.transactions, list):
        for key in RANDOM_KEYS:
            if key in source.data["traffic"]:
                text = f"traffic.{key} is given; it must be absent with a list of transactions"
                raise source.error((*TRAFFIC, key), text)
    return traffic


def axi4_hosts(config: Config, traffic: schema.Axi4Traffic) -> Axi4Hosts:
    """Return the behaviour of managers and memories.

    Raises:
        ConfigError: For a fraction of errors that rounds to 0 or 1.
    """
    try:
        level = level_of(traffic.error_fraction)
    except ValueError as error:
        raise config.source.error((*TRAFFIC, "error_fraction"), f"traffic.error_fraction: {error}") from None
    return Axi4Hosts(traffic.outstanding, traffic.memory_cycles, level, config.hosts)


def build_transactions(
    config: Config, traffic: schema.Axi4Traffic, areas: AddressMap, managers: tuple[int, ...], widths: Axi4Format
) -> Transactions:
    """Return the transactions of a configuration.

    Parameters:
        config, traffic
        areas: The address map.
        managers: Processors.
        widths

    Raises:
        ConfigError: For a transaction that AXI4 or these managers cannot have.
    """
    if isinstance(traffic.transactions, list):
        return _listed(config, traffic.transactions, managers, widths)
    low, high = traffic.beats if isinstance(traffic.beats, list) else (traffic.beats, traffic.beats)
    if low > high:
        raise _wrong(config, "beats", f"traffic.beats is {traffic.beats}; the first number must be at most the second")
    longest = MIN_SIZE // widths.strobe_bits
    if high > longest:
        text = f"traffic.beats is {high}; it must be at most {longest}: a burst lies within {MIN_SIZE:,} bytes"
        raise _wrong(config, "beats", text)
    drawn = RandomTransactions(
        traffic.transactions,
        read_fraction=traffic.read_fraction,
        multicast_fraction=traffic.multicast_fraction,
        unmapped_fraction=traffic.unmapped_fraction,
        beats=(low, high),
        interval_cycles=traffic.interval_cycles,
        seed=traffic.seed,
    )
    try:
        return drawn.draw(areas, managers, widths)
    except ValueError as error:
        raise config.source.error(TRAFFIC, f"traffic: {error}") from None


def _wrong(config: Config, key: str, text: str) -> ConfigError:
    return config.source.error((*TRAFFIC, key), text)


def _listed(
    config: Config, listed: list[schema.Axi4Transaction], managers: tuple[int, ...], widths: Axi4Format
) -> Transactions:
    for number, one in enumerate(listed):
        size = widths.strobe_bits
        end = one.address + one.beats * size - 1
        last_id, last_address = (1 << widths.id_bits) - 1, (1 << widths.address_bits) - 1
        rules = (
            ("manager", one.manager in managers, f"one of {', '.join(map(str, managers))}"),
            ("id", one.id <= last_id, f"at most {last_id}"),
            ("address", one.address <= last_address, f"at most {last_address:#x}"),
            (
                "address",
                one.address % widths.strobe_bits == 0,
                f"a multiple of {widths.strobe_bits}, the bytes of a beat",
            ),
            ("beats", end // MIN_SIZE == one.address // MIN_SIZE, f"less: the burst crosses {MIN_SIZE:,} bytes"),
        )
        for key, is_right, right in rules:
            if not is_right:
                value = getattr(one, key)
                shown = f"{value:#x}" if key == "address" else value
                text = f"traffic.transactions[{number}].{key} is {shown}; it must be {right}"
                raise config.source.error((*TRAFFIC, "transactions", number, key), text)
    return Transactions.of(
        [
            Transaction(one.manager, one.kind == "write", one.address, one.beats, one.start_cycle, one.id)
            for one in listed
        ]
    )
