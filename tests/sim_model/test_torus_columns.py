"""Multicasts of tori and meshes in columns are the unicasts that their records become one by one."""

import numpy as np
import pytest

from sim_model.messages.columns import MessageColumns, checked_messages
from sim_model.messages.multinode import multinode_columns
from sim_model.torus.chain_columns import halved_positions
from sim_model.torus.chains import POSITIVE, halved_chain
from sim_model.torus.multinode import software_names, software_sends
from topology.torus.grid import Grid

GRIDS = [
    *(Grid(*sides) for sides in ((4, 4), (8, 4), (6, 6), (4, 12), (3, 5), (1, 7), (9, 2), (16, 16))),
    *(Grid(*sides, wraps=False) for sides in ((4, 4), (3, 7), (1, 5), (8, 2))),
]
CASES = [(grid, name) for grid in GRIDS for name in software_names(grid)]
MULTICASTS = 60


def random_columns(grid: Grid, seed: int) -> MessageColumns:
    """Unicasts, multicasts and broadcasts; some nodes send often."""
    random = np.random.default_rng(seed)
    source = random.integers(grid.nodes, size=MULTICASTS) % random.integers(1, grid.nodes + 1)
    counts = np.minimum(random.choice([1, 2, 3, 9, grid.nodes // 2 + 1, grid.nodes - 1], MULTICASTS), grid.nodes - 1)
    others = [random.permutation(np.delete(np.arange(grid.nodes), one)) for one in source]
    return MessageColumns.of(
        source=source,
        destinations=np.concatenate([np.sort(nodes[:count]) for nodes, count in zip(others, counts, strict=True)]),
        counts=counts,
        flits=random.integers(1, 50, MULTICASTS),
        start_cycle=random.integers(0, 1_000, MULTICASTS),
    ).with_operation(0)


def assert_alike(grid: Grid, fast, plain):
    """The same messages in the same order, in the same columns."""
    of_columns, of_records = (
        vars(checked_messages(records, processors=grid.nodes, header_flits=lambda _: 1)) for records in (fast, plain)
    )
    for member, column in of_columns.items():
        assert np.array_equal(column, of_records[member]), member
        assert column.dtype == of_records[member].dtype, member


@pytest.mark.parametrize(("grid", "software"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_columns_are_the_sends_of_records(grid, software, seed):
    columns = random_columns(grid, seed)
    fast, plain = (software_sends(grid, records, software, seed) for records in (columns, list(columns)))
    assert isinstance(fast, MessageColumns)
    assert_alike(grid, fast, plain)


@pytest.mark.parametrize("software", ["u-torus", "u-mesh", "4III", "4IIIB"])
def test_workload_of_the_paper(software):
    torus = Grid(16, 16)
    columns = multinode_columns(256, sources=48, destinations=80, hot_spot=0.25, flits=32, seed=2)
    fast, plain = (software_sends(torus, records, software, 5) for records in (columns, list(columns)))
    assert_alike(torus, fast, plain)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 16, 33])
def test_a_shape_is_a_halved_chain_of_positions(size):
    chain = [100 + 3 * position for position in range(size)]
    for owner in range(size):
        sends = halved_chain(chain, owner, lambda *_: POSITIVE)
        assert [(chain[start], chain[end]) for start, end in halved_positions(size, owner).T] == [
            (send.sender, send.receiver) for send in sends
        ]
