"""Transactions that ``traffic`` describes, with errors that name the line."""

from hydranoc.config import schema
from hydranoc.config.load import AXI4, TRAFFIC, Config
from hydranoc.config.random_traffic import MAX_MESSAGES
from hydranoc.config.traffic import check_warmup
from hydranoc.errors import ConfigError
from sim_model.axi4.random_transactions import RandomTransactions
from sim_model.axi4.simulation import Axi4Hosts
from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transaction, Transactions
from topology.axi4.address_map import MIN_SIZE
from topology.axi4.bursts import WRAP_BEATS
from topology.axi4.words import FIXED, INCR, MIN_CUT_BEATS, WRAP
from topology.common.errors import FieldError
from topology.common.host_pattern import level_of

RANDOM_KEYS = (
    *("read_fraction", "multicast_fraction", "unmapped_fraction", "beats", "other_bursts_fraction"),
    *("interval_cycles", "seed"),
)
BURSTS = {"fixed": FIXED, "incr": INCR, "wrap": WRAP}


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


def build_transactions(config: Config, traffic: schema.Axi4Traffic, system: Axi4System) -> Transactions:
    """Return the transactions of a configuration.

    Parameters:
        config, traffic
        system: Networks, managers and address map.

    Raises:
        ConfigError: For a transaction that AXI4 or these managers cannot have, or a warm-up beyond all starts.
    """
    if isinstance(traffic.transactions, list):
        transactions = _listed(config, traffic.transactions, system)
    else:
        transactions = _drawn(config, traffic, system)
    check_warmup(config, traffic, transactions.start_cycle, "transaction")
    return transactions


def _drawn(config: Config, traffic: schema.Axi4Traffic, system: Axi4System) -> Transactions:
    assert isinstance(traffic.transactions, int)
    low, high = traffic.beats if isinstance(traffic.beats, list) else (traffic.beats, traffic.beats)
    if low > high:
        raise _wrong(config, "beats", f"traffic.beats is {traffic.beats}; the first number must be at most the second")
    longest = MIN_SIZE // system.format.strobe_bits
    if high > longest:
        text = f"traffic.beats is {high}; it must be at most {longest}: a burst lies within {MIN_SIZE:,} bytes"
        raise _wrong(config, "beats", text)
    _check_size(config, traffic, len(system.managers))
    drawn = RandomTransactions(
        traffic.transactions,
        read_fraction=traffic.read_fraction,
        multicast_fraction=traffic.multicast_fraction,
        unmapped_fraction=traffic.unmapped_fraction,
        beats=(low, high),
        other_bursts_fraction=traffic.other_bursts_fraction,
        interval_cycles=traffic.interval_cycles,
        seed=traffic.seed,
    )
    try:
        return drawn.draw(system.areas, system.managers, system.format, system.lite)
    except FieldError as error:
        place = (*AXI4, error.field) if error.field == "managers" else (*TRAFFIC, error.field)
        raise config.source.error(place, f"{place[0]}.{error}") from None


def _check_size(config: Config, traffic: schema.Axi4Traffic, managers: int) -> None:
    """Refuse more random transactions, or longer times between them, than a run can have."""
    count = traffic.transactions
    assert isinstance(count, int)
    if count * managers > MAX_MESSAGES:
        most = MAX_MESSAGES // managers
        text = f"traffic.transactions is {count}; it must be at most {most:,} for each of {managers} managers"
        raise _wrong(config, "transactions", text)
    if count * traffic.interval_cycles > schema.MAX_CYCLES:
        most = schema.MAX_CYCLES // count
        text = f"traffic.interval_cycles is {traffic.interval_cycles:g}; it must be at most {most:,}: no transaction"
        raise _wrong(config, "interval_cycles", f"{text} may start after cycle {schema.MAX_CYCLES:,}")


def _wrong(config: Config, key: str, text: str) -> ConfigError:
    return config.source.error((*TRAFFIC, key), text)


def _listed(config: Config, listed: list[schema.Axi4Transaction], system: Axi4System) -> Transactions:
    records = []
    for number, one in enumerate(listed):
        record = _record(one, system)
        for key, is_right, right in _rules(one, record, system):
            if not is_right:
                value = getattr(one, key)
                shown = f"{value:#x}" if key in ("address", "mask") else value
                text = f"traffic.transactions[{number}].{key} is {shown}; it must be {right}"
                raise config.source.error((*TRAFFIC, "transactions", number, key), text)
        records.append(record)
    return Transactions.of(records)


def _record(one: schema.Axi4Transaction, system: Axi4System) -> Transaction:
    return Transaction(
        *(one.manager, one.kind == "write", one.address, one.beats, one.start_cycle, one.id, BURSTS[one.burst]),
        size=((one.beat_bytes or system.format.strobe_bits) - 1).bit_length(),
        mask=one.mask,
    )


def _rules(one: schema.Axi4Transaction, record: Transaction, system: Axi4System) -> tuple[tuple[str, bool, str], ...]:
    """Return the key of each rule, whether the transaction keeps it, and what would be right."""
    widths, whole = system.format, system.format.strobe_bits
    last_id, last_address = (1 << widths.id_bits) - 1, (1 << widths.address_bits) - 1
    size = 1 << record.size
    end = (one.address & -size) + one.beats * size - 1
    is_wrap, is_lite = one.burst == "wrap", one.manager in system.lite
    lengths = ", ".join(map(str, WRAP_BEATS))
    return (
        ("manager", one.manager in system.managers, f"one of {', '.join(map(str, system.managers))}"),
        ("id", one.id <= last_id, f"at most {last_id}"),
        ("id", one.id == 0 or not is_lite, "0 with AXI4-Lite"),
        ("address", one.address <= last_address, f"at most {last_address:#x}"),
        ("beats", one.beats == 1 or not is_lite, "1 with AXI4-Lite"),
        ("burst", one.burst == "incr" or not is_lite, "incr with AXI4-Lite"),
        ("beat_bytes", one.beat_bytes in (None, size) and size <= whole, f"a power of two, at most {whole}"),
        ("beat_bytes", size == whole or not is_lite, f"{whole} with AXI4-Lite"),
        ("beats", not is_wrap or one.beats in WRAP_BEATS, f"one of {lengths} in a WRAP burst"),
        ("beats", one.burst != "fixed" or one.beats <= MIN_CUT_BEATS, f"at most {MIN_CUT_BEATS} in a FIXED burst"),
        ("address", not is_wrap or one.address % size == 0, f"a multiple of {size}, the bytes of a beat"),
        (
            "beats",
            one.burst != "incr" or end // MIN_SIZE == one.address // MIN_SIZE,
            f"less: the burst crosses {MIN_SIZE:,} bytes",
        ),
        ("mask", not one.mask or (widths.masks and record.is_write), "0, but in writes with axi4.multicast_mask"),
        ("mask", one.mask <= last_address, f"at most {last_address:#x}"),
    )
