"""Collective operations in configurations: on all families, in results, in lock-step, and refused ones."""

import json
from typing import get_args

import pytest

from hydranoc import ConfigError, load, sweep
from hydranoc.cli import run
from hydranoc.config.schema.collectives import Name
from sim_model.collectives.registry import OPERATIONS
from tests.each import each
from tests.sim_model.programs.files import chakra, node

NETWORKS = {
    "spam": "{family: spam, flit_bits: 32, topology: {kind: mesh, shape: [3, 3]}}",
    "min": "{family: min, flit_bits: 32, topology: {kind: omega, radix: 2, stages: 3}}",
    "torus": "{family: torus, flit_bits: 32, topology: {kind: torus, rows: 3, columns: 3}}",
    "hypercube": "{family: hypercube, injection_channels: 3, topology: {kind: hypercube, dimensions: 3}}",
    "harts": "{family: harts, flit_bits: 64, packet_flits: 9, topology: {kind: hexmesh, size: 2}}",
}
HARDWARE = ("spam", "min")
ALL = [(operation, algorithm) for operation, algorithms in OPERATIONS.items() for algorithm in algorithms]
IN_SOFTWARE = [names for names in ALL if not OPERATIONS[names[0]][names[1]].in_hardware]


def body(operation: str, **keys) -> dict:
    return keys if operation == "barrier" else {"flits": 20, **keys}


@pytest.fixture(scope="module")
def designs(tmp_path_factory):
    """A design of each family, by its name."""
    folder, found = tmp_path_factory.mktemp("designs"), {}
    for family, network in NETWORKS.items():
        (folder / f"{family}.yaml").write_text(f"network: {network}\n")
        found[family] = load(folder / f"{family}.yaml")
    return found


@pytest.fixture
def written(tmp_path):
    """Writes a configuration and returns its path."""

    def write(family: str, traffic: str):
        path = tmp_path / "c.yaml"
        path.write_text(f"network: {NETWORKS[family]}\ntraffic:\n  kind: collective\n{traffic}")
        return path

    return write


@each("family", NETWORKS)
def test_every_algorithm_runs_on_every_family(designs, family):
    design = designs[family]
    others = [processor for processor in range(len(design.network.processors)) if processor != 2]
    for operation, algorithm in ALL if family in HARDWARE else IN_SOFTWARE:
        collective = design.collective(operation, algorithm=algorithm, group=others, **body(operation))
        outcome = collective.simulate()
        assert outcome.right, (operation, algorithm)
        figures = outcome.figures["collectives"][0]
        assert figures["latencies_cycles"] == [figures["mean_latency_cycles"]]
        assert 0 < figures["mean_latency_cycles"] <= outcome.results.cycles
        assert figures["messages"] == len(outcome.results.messages)


def test_a_broadcast_procedure_carries_multicasts(designs):
    design = designs["harts"]
    broadcast = design.collective("broadcast", algorithm="multicast", flits=20, root=4, procedure="sbcast")
    assert broadcast.simulate().figures["collectives"][0]["messages"] == 3  # of 8 flits at most, behind their headers
    barrier = design.collective("barrier", algorithm="binomial-multicast", procedure="2-bcast").simulate()
    assert barrier.right
    assert barrier.results.deliveries == 6 + 2 * 6
    assert design.collective("broadcast", flits=8, procedure="sbcast").simulate().figures["collectives"][0]["chosen"]


def test_latency_ends_with_the_computations_of_the_last_member(designs):
    def reduce(compute: float):
        keys = {"flits": 16, "root": 3, "compute_cycles_per_flit": compute, "startup_cycles": 10}
        return designs["spam"].collective("reduce", algorithm="linear", **keys).simulate()

    plain, computed = reduce(0), reduce(5)
    assert plain.results.cycles == computed.results.cycles
    results, figures = plain.results, plain.figures["collectives"][0]
    assert figures["latencies_cycles"] == [int(results.arrival_cycle.max())]
    wanted, end = sorted(zip(results.messages.source.tolist(), results.arrival_cycle.tolist(), strict=True)), 0
    for _, arrival in wanted:  # the root combines in the order of members, each as soon as it can
        end = max(end, arrival) + 16 * 5
    assert computed.figures["collectives"][0]["latencies_cycles"] == [end]


def test_bandwidths_are_of_one_vector_over_the_latency(designs):
    figures = designs["torus"].collective("all-reduce", algorithm="ring", flits=18).simulate().figures["collectives"][0]
    bandwidth = 18 * 4 / figures["mean_latency_cycles"]
    assert figures["algorithm_bytes_per_cycle"] == pytest.approx(bandwidth)
    assert figures["bus_bytes_per_cycle"] == pytest.approx(bandwidth * 2 * 8 / 9)
    barrier = designs["torus"].collective("barrier").simulate().figures["collectives"][0]
    assert barrier["algorithm_bytes_per_cycle"] is barrier["bus_bytes_per_cycle"] is None


SEVERAL = """\
  startup_cycles: 20
  operations:
  - {operation: barrier, group: [0, 1, 2, 3]}
  - {operation: all-reduce, group: [4, 5, 6, 7, 8], flits: 30, rounds: 3}
  - {operation: broadcast, group: [3, 4], root: 4, flits: 5}
"""


def test_groups_without_common_members_overlap_in_time(written, tmp_path, capsys):
    path = written("torus", SEVERAL)
    assert run(["model", str(path), "-o", str(tmp_path / "out"), "--json"]) == 0
    barrier, reduce, broadcast = json.loads(capsys.readouterr().out)["collectives"]
    assert barrier["start_cycles"] == reduce["start_cycles"][:1] == [0]
    ends = [start + latency for start, latency in zip(reduce["start_cycles"], reduce["latencies_cycles"], strict=True)]
    assert reduce["start_cycles"][1] <= ends[0]  # the fastest member does not wait for the last one
    assert ends == sorted(ends)
    assert reduce["start_cycles"][2] < broadcast["start_cycles"][0] <= ends[2]
    assert (reduce["chosen"], reduce["members"]) == (True, 5)


def test_summary_and_page_have_a_table(written, tmp_path, capsys):
    path = written("spam", "  operation: broadcast\n  flits: 18\n")
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    head = next(line for line in out.splitlines() if line.startswith("collective"))
    assert head.split()[:6] == ["collective", "algorithm", "members", "flits", "rounds", "messages"]
    assert "broadcast   multicast (chosen)" in out
    assert run(["report", str(path), "-o", str(tmp_path / "page")]) == 0
    page = (tmp_path / "page" / "c.html").read_text()
    assert "<h2>Collective operations</h2>" in page
    assert "<td>multicast (chosen)</td>" in page


def test_a_sweep_has_columns_of_its_own(written):
    path = written("torus", "  operation: all-reduce\n  flits: 9\n")
    table = sweep(path, {"traffic.algorithm": ["ring", "recursive-doubling"]}, processes=1)
    assert table["collective_algorithm"].tolist() == ["ring", "recursive-doubling"]
    assert (table["collective_mean"] == table["collective_max"]).all()
    assert (table["collective_bus_bandwidth"] > table["collective_algorithm_bandwidth"]).all()


def test_a_choice_depends_on_the_size(designs):
    def chosen(family, flits):
        return designs[family].collective("all-reduce", flits=flits)._collective_plan.collectives[0].algorithm

    assert chosen("torus", 1) == "recursive-doubling"
    assert chosen("torus", 5_000) == "ring"
    assert chosen("hypercube", 5_000) == "rabenseifner"


def test_a_barrier_goes_to_the_nearest_partners():
    """Rounds alone would not tell: dissemination has partners farther away where members are a power of two."""
    mesh = load({"network": {"family": "torus", "topology": {"kind": "mesh", "rows": 4, "columns": 4}}})
    chosen = {
        members: mesh.collective("barrier", group=range(members))._collective_plan.collectives[0].algorithm
        for members in (15, 16)
    }
    assert chosen == {15: "dissemination", 16: "recursive-doubling"}


def test_a_trace_takes_other_algorithms(tmp_path):
    (tmp_path / "job.et").write_bytes(chakra([node(3, 7, comm_type=0, comm_size=64)]))

    def messages(more: str):
        path = tmp_path / "c.yaml"
        traffic = f"{{kind: chakra, file: job.et, ranks: 4{more}}}"
        path.write_text(f"network: {NETWORKS['torus']}\ntraffic: {traffic}\n")
        return len(load(path).messages)

    assert messages("") == 24
    assert messages(", algorithms: {all-reduce: binomial}") == 6
    assert messages(", algorithms: {all-reduce: auto}") == 8
    for more, problem in {
        "{all-reduc: ring}": "c.yaml:2: keys of traffic.algorithms have 'all-reduc'; they must be all-reduce, ",
        "{barrier: ring}": "c.yaml:2: traffic.algorithms.barrier is 'ring'; it must be auto, dissemination, ",
    }.items():
        with pytest.raises(ConfigError, match=problem):
            messages(f", algorithms: {more}")


REFUSED = [
    ("spam", "  flits: 3\n", "c.yaml:2: traffic must have either operation or operations"),
    ("spam", "  operation: reduse\n", "c.yaml:4: traffic.operation is 'reduse'; it must be 'barrier', 'broadcast',"),
    ("spam", "  operation: reduce\n", "c.yaml:2: key 'flits' is missing in traffic; operation 'reduce' needs it"),
    ("spam", "  operation: barrier\n  flits: 3\n", "c.yaml:5: traffic.flits is 3; it must be left out in a barrier"),
    (
        *("spam", "  operation: barrier\n  algorithm: disemination\n"),
        "c.yaml:5: traffic.algorithm is 'disemination'; it must be auto, dissemination, recursive-doubling, binomial, "
        "binomial-multicast or plane; did you mean 'dissemination'?",
    ),
    (
        *("torus", "  operation: broadcast\n  flits: 3\n  algorithm: multicast\n"),
        "c.yaml:6: traffic.algorithm is 'multicast'; it must be auto, binomial, scatter-ring or chain: family 'torus' "
        "has no multicast in hardware",
    ),
    (
        *("harts", "  operation: broadcast\n  flits: 3\n  algorithm: multicast\n"),
        "c.yaml:6: traffic.algorithm is 'multicast'; it must be auto, binomial, scatter-ring or chain: family 'harts' "
        "needs the key 'procedure' for a broadcast, with ",
    ),
    (
        *("harts", "  operation: broadcast\n  flits: 3\n  algorithm: multicast\n  group: [1, 2]\n"),
        "c.yaml:6: traffic.algorithm is 'multicast'; it must be auto, binomial, scatter-ring or chain: family 'harts' "
        "broadcasts to all 7 processors",
    ),
    (
        *("spam", "  operation: broadcast\n  flits: 3\n  procedure: sbcast\n"),
        "c.yaml:6: procedure is 'sbcast'; it must be left out in family 'spam', which has no broadcast procedures",
    ),
    ("spam", "  operation: barrier\n  group: [3]\n", "c.yaml:5: traffic.group is [3]; it must be a list of at least 2"),
    (
        "spam",
        "  operation: barrier\n  group:\n  - 3\n  - 9\n",
        "c.yaml:7: traffic.group[1] is 9; it must be a processor",
    ),
    ("spam", "  operation: barrier\n  group: [3, 3]\n", "c.yaml:5: traffic.group[1] is 3; it must be named once"),
    ("spam", "  operation: barrier\n  group: some\n", "c.yaml:5: traffic.group is 'some'; it must be 'all'"),
    (
        *("spam", "  operation: all-reduce\n  flits: 3\n  root: 1\n"),
        "c.yaml:6: traffic.root is 1; it must be left out in operation 'all-reduce'",
    ),
    (
        *("spam", "  operation: reduce\n  flits: 3\n  root: 1\n  group: [0, 2]\n"),
        "c.yaml:6: traffic.root is 1; it must be a processor of the group",
    ),
    (
        *("spam", "  operation: all-reduce\n  flits: 3\n  segment_flits: 1\n  algorithm: ring\n"),
        "c.yaml:6: traffic.segment_flits is 1; it must be left out in algorithm 'ring'",
    ),
    (
        "spam",
        "  operation: barrier\n  software: binomial\n",
        "c.yaml:5: traffic.software is 'binomial'; it must be left",
    ),
    ("spam", "  operation: barrier\n  warmup_cycles: 9\n", "c.yaml:5: traffic.warmup_cycles is 9; it must be left out"),
    (
        *("spam", "  operations:\n  - {operation: barrier}\n  group: [0, 1]\n"),
        "c.yaml:6: traffic.group is [0, 1]; it must be in each of traffic.operations",
    ),
    (
        *("spam", "  operations:\n  - {operation: barrier}\n  - {operation: barrier, algorithm: ring}\n"),
        "c.yaml:6: traffic.operations[1].algorithm is 'ring'; it must be auto, ",
    ),
    (
        *("spam", "  operation: barrier\n  rounds: 100000\n"),
        "c.yaml:2: traffic: Number of messages up to this operation is 3,600,000; it must be at most 1,000,000",
    ),
    (
        *("spam", "  operation: broadcast\n  algorithm: binomial\n  flits: 100000000000\n"),
        "c.yaml:2: traffic: Number of messages up to this operation is 12,207,408; it must be at most 1,000,000",
    ),
    (
        *("spam", "  operation: reduce\n  algorithm: linear\n  flits: 1000000\n  compute_cycles_per_flit: 1000000\n"),
        "c.yaml:7: traffic.compute_cycles_per_flit: computations take 8,000,000,000,000 cycles; they must take at most",
    ),
]


@each("family, traffic, problem", REFUSED)
def test_wrong_operations_are_refused(written, family, traffic, problem):
    path = written(family, traffic)
    with pytest.raises(ConfigError) as caught:
        _ = load(path).messages
    assert str(caught.value).startswith(f"{path.parent}/{problem}")


def test_names_in_configurations_are_those_of_the_registry():
    assert list(get_args(Name)) == list(OPERATIONS)


def test_wrong_operations_in_python(designs):
    with pytest.raises(ConfigError, match=r"traffic.algorithm is 'rign'; it must be .*did you mean 'ring'\?"):
        _ = designs["torus"].collective("all-reduce", algorithm="rign", flits=3).messages
    with pytest.raises(ConfigError, match=r"traffic.operation is 'all_reduce'; it must be 'barrier', "):
        designs["torus"].collective("all_reduce", flits=3)


@pytest.mark.parametrize(
    "family", [name if name == "torus" else pytest.param(name, marks=pytest.mark.slow) for name in NETWORKS]
)
def test_hardware_and_model_are_equal(written, family, tmp_path, capsys, require_tool):
    require_tool("icarus")
    hardware = family in HARDWARE
    path = written(
        family,
        "  startup_cycles: 5\n"
        "  operations:\n"
        "  - {operation: all-reduce, algorithm: ring, flits: 11, compute_cycles_per_flit: 2, rounds: 2}\n"
        f"  - {{operation: all-gather, algorithm: {'multicast' if hardware else 'bruck'}, flits: 9}}\n"
        f"  - {{operation: barrier, algorithm: {'binomial-multicast' if hardware else 'binomial'}, group: [1, 3, 5]}}\n"
        "  - {operation: scan, flits: 3, group: [6, 0, 2]}\n",
    )
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["mismatches"] == summary["lost"] == 0
    assert len(summary["collectives"]) == 4
