"""Chain of loadable tables at a network's top, for plans with loadable tables."""

from typing import Any

from amaranth.lib.wiring import In, Out

from rtl.generator.fabric import Fabric
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import Structure, Wire
from rtl.generator.table_layout import loaded_words, switch_tables
from topology.common.table_chain import TABLE_WORD_BITS

PREFIX = "tables_"


def table_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members ``tables_load``, ``tables_data`` and ``tables_out`` (end of the chain) of a top."""
    if not plan.loadable_tables:
        return {}
    word = TABLE_WORD_BITS
    return {f"{PREFIX}load": In(1), f"{PREFIX}data": In(word), f"{PREFIX}out": Out(word)}


def connect_tables(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Chain the table stores, if the plan has loadable tables."""
    if not plan.loadable_tables:
        return
    data: Wire = structure.ports[f"{PREFIX}data"]
    for store in fabric.table_stores:
        store.connect("load", structure.ports[f"{PREFIX}load"])
        store.connect("data", data)
        data = store.output("following")
    structure.outputs[f"{PREFIX}out"] = data


def table_manifest(plan: NetworkPlan, top: str) -> dict[str, Any]:
    """Return the manifest entries about loading."""
    if not plan.loadable_tables:
        return {}
    return {
        "tables": {
            "word_bits": TABLE_WORD_BITS,
            "words": len(loaded_words(plan)),
            "file": table_file(top),
            "switches": [
                {name: {"offset": offset, "bits": bits} for name, (offset, bits) in tables.offsets.items()}
                for tables in switch_tables(plan)
            ],
        }
    }


def table_file(top: str) -> str:
    """Return the name of the file with the words."""
    return f"{top}_tables.hex"


def table_files(plan: NetworkPlan, top: str) -> dict[str, str]:
    """Return the file with the words, one in hexadecimal per line, as Verilog's ``$readmemh`` reads it."""
    if not plan.loadable_tables:
        return {}
    return {table_file(top): "".join(f"{word:02x}\n" for word in loaded_words(plan))}
