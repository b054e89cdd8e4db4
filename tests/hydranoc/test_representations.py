"""Designs and results in an interactive session: one line each, and deliveries as a table."""

import csv

import pytest

from hydranoc import load

MESH = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "traffic": {
        "kind": "list",
        "messages": [{"source": 0, "destinations": [1, 3], "flits": 8}, {"source": 2, "destinations": [0], "flits": 5}],
    },
}


@pytest.fixture(scope="module")
def outcome():
    return load(MESH).simulate()


def test_a_design_is_one_line():
    assert repr(load(MESH)) == "<Design configuration: spam, 4 switches, 4 processors>"


def test_messages_and_results_are_one_line(outcome):
    results = outcome.results
    assert repr(results.messages) == "<Messages: 2 to 3 destinations, 13 flits>"
    counts = "2 messages, 3 deliveries, 0 lost, "
    assert repr(results) == f"<Results of {results.cycles} cycles: {counts}{results.flit_hops} flit-hops>"
    assert "array(" not in repr(outcome)


def test_deliveries_as_a_table_equal_the_file(outcome, tmp_path, require_package):
    require_package("pandas")
    table = outcome.results.to_pandas()
    outcome.write_messages(tmp_path / "messages.csv")
    with (tmp_path / "messages.csv").open(encoding="ascii") as file:
        header, *rows = csv.reader(file)
    assert list(table.columns) == [*header, "latency_cycles"]
    assert table[header].to_numpy().tolist() == [[int(value) for value in row] for row in rows]
    assert (table["latency_cycles"] == table["arrival_cycle"] - table["start_cycle"]).all()
    assert set(map(str, table.dtypes)) == {"int64"}
