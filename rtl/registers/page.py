"""A register map as a C header, as a page in Markdown, and as an entry of the manifest."""

from collections.abc import Iterator
from typing import Any

from rtl.registers.register_map import ACCESSES, WORD_BITS, WORD_BYTES, Register, RegisterMap


def register_page(registers: RegisterMap, top: str) -> str:
    """Return the page in Markdown.

    Parameters:
        top: Name of the top module.
    """
    return "\n".join([f"# Registers of {top}", "", *register_tables(registers), ""])


def register_tables(registers: RegisterMap) -> list[str]:
    """Return the tables of a page: all registers, their fields, and the access types."""
    lines = ["| address | register | access | after reset | |", "|---|---|---|---|---|"]
    lines += [_row(register) for register in registers]
    lines += ["", "| register | bits | field | after reset | |", "|---|---|---|---|---|"]
    lines += [row for register in registers for row in _field_rows(register)]
    used = {register.access for register in registers}
    lines += ["", "| access | |", "|---|---|"]
    lines += [f"| {access} | {meaning} |" for access, meaning in ACCESSES.items() if access in used]
    return lines


def _row(register: Register) -> str:
    first, last = register.address, register.address + (register.words - 1) * WORD_BYTES
    address = f"0x{first:03x}" if first == last else f"0x{first:03x} to 0x{last:03x}"
    text = register.description
    if register.mask_bits:
        text += f" {register.mask_bits} bits; bit b of word w is number {WORD_BITS} w + b."
    start = f"{register.value:#x}" if register.fields else ""
    return f"| {address} | `{register.name}` | {register.access} | {start} | {text} |"


def _field_rows(register: Register) -> Iterator[str]:
    for field in register.fields:
        last = field.low + field.bits - 1
        bits = f"{field.low}" if field.bits == 1 else f"{last}:{field.low}"
        yield f"| `{register.name}` | {bits} | `{field.name}` | {field.value:#x} | {field.description} |"


def register_manifest(registers: RegisterMap) -> dict[str, Any]:
    """Return the manifest entries about registers."""
    return {
        "bus": "axi4-lite",
        "data_bits": WORD_BITS,
        "address_bits": registers.address_bits,
        "registers": [_entry(register) for register in registers],
    }


def _entry(register: Register) -> dict[str, Any]:
    fields = [
        {"name": field.name, "low": field.low, "bits": field.bits, "value": field.value} for field in register.fields
    ]
    return {
        "name": register.name,
        "address": register.address,
        "access": register.access,
        "words": register.words,
        "bits": register.bits,
        **({"fields": fields, "constant": register.constant} if fields else {}),
        "description": register.description,
    }


def c_header(registers: RegisterMap, top: str) -> str:
    """Return the text of a self-contained header for C and C++.

    Parameters:
        top: Name of the top module; in upper case the prefix of all names.
    """
    prefix = f"{top.upper()}_"
    guard = f"{prefix}REGS_H"
    lines = [
        f"/* Registers of {top}, as offsets in bytes; made by the generator of the network. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f"#define {prefix}BYTES {_hex(1 << registers.address_bits)}",
    ]
    for register in registers:
        lines += ["", f"/* {register.access}: {register.description} */", *_register(register, prefix)]
    return "\n".join([*lines, "", "#endif", ""])


def _register(register: Register, prefix: str) -> Iterator[str]:
    name = f"{prefix}{register.name}"
    if register.numbers:
        yield f"#define {name}(number) ({_hex(register.address)} + {WORD_BYTES}u * (number))"
        yield f"#define {name}_NUMBERS {register.numbers}u"
    elif register.mask_bits:
        yield f"#define {name}(word) ({_hex(register.address)} + {WORD_BYTES}u * (word))"
        yield f"#define {name}_WORDS {register.words}u"
        yield f"#define {name}_BITS {register.mask_bits}u"
    else:
        yield f"#define {name} {_hex(register.address)}"
        if register.constant:
            yield f"#define {name}_VALUE {_hex(register.value)}"
    for field in register.fields:
        yield f"#define {name}_{field.name.upper()}_SHIFT {field.low}"
        yield f"#define {name}_{field.name.upper()}_MASK {_hex(field.mask)}"


def _hex(number: int) -> str:
    return f"{number:#x}u"
