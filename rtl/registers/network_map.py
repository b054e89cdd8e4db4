# (specimens of parts only provide their ports)
"""Registers of a network and their addresses.

Registers of one word have the same address in every network that has them. Masks and numbers follow, as many words as
the network needs; each begins at a multiple of its size, rounded up to a power of two.
"""

from collections.abc import Iterator

from rtl.generator.plan import NetworkPlan
from rtl.generator.table_store import loaded_words
from rtl.generator.top_ports import status_outputs
from rtl.registers.register_map import (
    READ,
    READ_WRITE,
    WORD_BITS,
    WORD_BYTES,
    WRITE,
    WRITE_ONE_TO_CLEAR,
    WRITE_TO_CLEAR,
    Field,
    Register,
    RegisterMap,
)
from rtl.version import VERSION
from topology.common.counter_bus import KIND_BITS
from topology.common.table_chain import TABLE_WORD_BITS

IDENTIFICATION = int.from_bytes(b"HNOC", "big")

CONDITIONS = ("errors_unroutable", "errors_misframed", "token_lost", "token_duplicated")
"""Status outputs that can interrupt, in the order of their bits, which are the same in every network."""
NUMBERS = ("errors_discarded",)
"""Status outputs that are numbers."""

FIRST_MASK_ADDRESS = 0x40


def network_registers(plan: NetworkPlan) -> RegisterMap:
    """Return the registers of a network: one group for each option of its plan."""
    registers = [*_identification(plan), *_control(plan), *_errors(plan), *_counters(plan), *_tables(plan)]
    registers.sort(key=lambda register: register.address)
    free = FIRST_MASK_ADDRESS
    for name, description, mask_bits, numbers in _arrays(plan):
        access = WRITE_ONE_TO_CLEAR if mask_bits else READ
        size = WORD_BYTES << ((numbers or -(-mask_bits // WORD_BITS)) - 1).bit_length()
        address = -(-free // size) * size
        registers.append(Register(name, address, access, description, mask_bits=mask_bits, numbers=numbers))
        free = address + registers[-1].words * WORD_BYTES
    return RegisterMap(tuple(registers))


def conditions(plan: NetworkPlan) -> dict[str, int]:
    """Return the interrupt conditions: the bit by the name of the status output."""
    meanings = _meanings(plan)
    return {name: bit for bit, name in enumerate(CONDITIONS) if name in meanings}


def _meanings(plan: NetworkPlan) -> dict[str, str]:
    return {f"{part.name}_{output}": text for part in plan.status for output, text in part.meanings.items()}


def _constant(name: str, address: int, description: str, *fields: Field) -> Register:
    return Register(name, address, READ, description, fields, constant=True)


def _identification(plan: NetworkPlan) -> Iterator[Register]:
    major, minor, patch = map(int, VERSION.split("."))
    nodes, channels = len(plan.network.processors), len(plan.network.channels)
    masks = sum(1 << bit for bit in conditions(plan).values())
    yield _constant("ID", 0x00, "What this is.", Field("id", 0, 32, "`HNOC` in ASCII.", IDENTIFICATION))
    yield _constant(
        *("VERSION", 0x04, "Version of the generator that made the network."),
        Field("patch", 0, 8, "Third number.", patch),
        Field("minor", 8, 8, "Second number.", minor),
        Field("major", 16, 8, "First number.", major),
    )
    yield _constant("NODES", 0x08, "Nodes of the network.", Field("nodes", 0, 20, "How many.", nodes))
    yield _constant(
        *("CHANNELS", 0x0C, "Channels of the network."),
        Field("channels", 0, 20, "How many; the manifest has their names.", channels),
    )
    yield _constant(
        *("CAPABILITIES", 0x10, "Which registers there are."),
        Field("counters", 0, 1, "Those of the channel counters.", int(plan.counters)),
        Field("tables", 1, 1, "Those that load the tables.", int(plan.loadable_tables)),
        Field("conditions", 8, 8, "Bits of `INTERRUPT_PENDING` that can be 1.", masks),
    )


def _control(plan: NetworkPlan) -> Iterator[Register]:
    text = "Hold the network in reset; registers are not touched."
    if plan.loadable_tables:
        text += " 1 at first, because the tables have to be loaded before the network runs."
    reset = Field("reset", 0, 1, text, int(plan.loadable_tables))
    yield Register("CONTROL", 0x14, READ_WRITE, "What the network does.", (reset,))
    pending = tuple(Field(name, bit, 1, f"`{name.upper()}` is not 0.") for name, bit in conditions(plan).items())
    enable = tuple(Field(name, bit, 1, f"Interrupt for `{name}`.") for name, bit in conditions(plan).items())
    yield Register("INTERRUPT_PENDING", 0x18, READ, "Masks in which something is marked; cleared there.", pending)
    text = "Which bits of `INTERRUPT_PENDING` drive `irq`, which is high as long as one of them is 1."
    yield Register("INTERRUPT_ENABLE", 0x1C, READ_WRITE, text, enable)


def _errors(plan: NetworkPlan) -> Iterator[Register]:
    widths, meanings = {output.name: output.bits for output in status_outputs(plan)}, _meanings(plan)
    for position, name in enumerate(NUMBERS):
        if name in meanings:
            number = Field("number", 0, widths[name], "How many.")
            yield Register(name.upper(), 0x20 + position * WORD_BYTES, WRITE_TO_CLEAR, meanings[name], (number,))
    if "errors_misframed" in meanings:
        limit = int(str(plan.parameters.get("watchdog_flits", 0))) or plan.most_flits or 0
        flits = Field("flits", 0, 20, "Flits, header included; 0 for worms of any length.", limit)
        yield _constant("WATCHDOG", 0x24, "The longest worm that guards let pass.", flits)


def _counters(plan: NetworkPlan) -> Iterator[Register]:
    if plan.counters:
        enable = Field("enable", 0, 1, "Count.")
        yield Register("COUNTERS_CONTROL", 0x28, READ_WRITE, "What the channel counters do.", (enable,))
        clear = Field("clear", 0, 1, "1: set all sums to 0.")
        yield Register("COUNTERS_COMMAND", 0x2C, WRITE, "Commands to the channel counters.", (clear,))
        settled = Field("settled", 0, 1, "Sums are exact: nothing was counted or cleared for long enough.")
        yield Register("COUNTERS_STATUS", 0x30, READ, "How the channel counters are.", (settled,))


def _tables(plan: NetworkPlan) -> Iterator[Register]:
    if plan.loadable_tables:
        word = Field("word", 0, TABLE_WORD_BITS, "The next word; the chain moves on by one.")
        yield Register("TABLES_DATA", 0x34, WRITE, "Loads tables, while `CONTROL.reset` is 1.", (word,))
        word = Field("word", 0, TABLE_WORD_BITS, "What stands there.")
        yield Register("TABLES_OUT", 0x38, READ, "The far end of the chain.", (word,))
        words = Field("words", 0, 32, "How many.", len(loaded_words(plan)))
        yield _constant("TABLES_WORDS", 0x3C, "Words of the whole chain.", words)


def _arrays(plan: NetworkPlan) -> Iterator[tuple[str, str, int, int]]:
    """Yield masks and numbers: name, description, bits of a mask, number of elements."""
    widths, meanings = {output.name: output.bits for output in status_outputs(plan)}, _meanings(plan)
    for name in conditions(plan):
        yield name.upper(), meanings[name], widths[name], 0
    if plan.counters:
        text = "Sums of the channel counters: number `4 * channel + kind`. Exact if `COUNTERS_STATUS.settled` is 1."
        yield "COUNTERS", text, 0, len(plan.network.channels) << KIND_BITS
