"""A register map as a C header."""

from collections.abc import Iterator

from rtl.registers.register_map import WORD_BYTES, Register, RegisterMap


def c_header(registers: RegisterMap, top: str) -> str:
    """Return the text of a self-contained header for C and C++.

    Parameters
    ----------
    registers : RegisterMap
    top : str
        Name of the top module; in upper case the prefix of all names.
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
