"""Lock-step of a collective plane: its Verilog in Icarus against the golden model, all observed fields in every cycle.

The golden model runs with its hosts, and records their inputs and all registers; the hardware gets the same inputs.
"""

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydranoc.lockstep.tools import find_tool, tool_environment
from rtl.collectives.generate import generate_plane
from rtl.collectives.parameters import PlaneParameters as HardwareParameters
from rtl.collectives.plan import PlanePlan
from rtl.collectives.plane import PlaneTop, observed_fields
from rtl.generator.manifest import port_list
from sim_model.collective_plane.barriers import barrier_planes
from sim_model.collective_plane.contributions import Contribution
from sim_model.collective_plane.model import CollectivePlane
from sim_model.collective_plane.parameters import ClearErrors, Event, PlaneParameters
from sim_model.collective_plane.trace import PlaneTrace
from topology.collectives.tables import PlaneTables
from topology.common.host_pattern import EAGER, HostBehaviour

RESET_CYCLES = 2
GROUP_SHIFT = 2
NO_OPERATOR_NEEDED = (0,)
Row = dict[str, int]
"""Values by name; those that are 0 may be left out."""


@dataclass(frozen=True)
class Traffic:
    """Work of the hosts in one run of a plane, from reset on.

    Members:
        contributions
        events: Flushes, resets and cleared errors.
        hosts: Pauses and stalls.
        interleaved: Packets to several groups alternate, beat by beat.
    """

    contributions: tuple[Contribution, ...]
    events: tuple[Event, ...] = ()
    hosts: HostBehaviour = EAGER
    interleaved: bool = False


@dataclass(frozen=True)
class PlaneJob:
    """A plane and its runs.

    Members:
        tables
        parameters: Of the hardware.
        timeout_cycles: Value of the hardware's input; 0 for no timeouts.
        runs
        cycles: Of each run.
    """

    tables: PlaneTables
    parameters: HardwareParameters
    runs: tuple[Traffic, ...]
    cycles: int
    timeout_cycles: int = 0

    @property
    def plan(self) -> PlanePlan:
        """Plan of the hardware."""
        return PlanePlan(self.tables, self.parameters)

    @property
    def model_parameters(self) -> PlaneParameters:
        """Parameters of the golden model."""
        plane = self.parameters
        return PlaneParameters(
            word_bits=plane.word_bits,
            operators=plane.operators or NO_OPERATOR_NEEDED,
            window=plane.window,
            link_cycles=plane.link_cycles,
            buffer_words=plane.buffer_words,
            result_words=plane.result_words,
            timeout_cycles=self.timeout_cycles,
        )


@dataclass(frozen=True)
class Difference:
    """The first difference between hardware and model."""

    run: int
    cycle: int
    field: str
    model: int
    hardware: int

    def __str__(self) -> str:
        return (
            f"run {self.run}, cycle {self.cycle}: {self.field} is {self.hardware:#x}; the model has {self.model:#x} "
            "(word, last, error, group, valid, lowest first)"
        )


class _Records:
    """Records of a run as values of the hardware's ports and observed fields.

    traces: That of the plane; or those of all groups, of a plane that has barriers alone.
    """

    def __init__(self, job: PlaneJob, traffic: Traffic):
        self.job, self.plane, self.tree = job, job.parameters, job.tables.tree
        self.traffic = traffic
        self.traces = self._record()
        self.mask = (1 << self.plane.word_bits) - 1

    def _record(self) -> list[PlaneTrace]:
        job, traffic = self.job, self.traffic
        if self.plane.barriers_only:
            planes = barrier_planes(
                job.tables, job.model_parameters, traffic.contributions, hosts=traffic.hosts, events=traffic.events
            )
        else:
            planes = (
                CollectivePlane(
                    job.tables,
                    job.model_parameters,
                    traffic.contributions,
                    hosts=traffic.hosts,
                    events=traffic.events,
                    interleaved=traffic.interleaved,
                ),
            )
        return [plane.record(job.cycles) for plane in planes]

    def _groups(self, column: str, line: int, place: int | None = None) -> int:
        """Return a mask of groups."""
        columns = [getattr(trace, column)[line] for trace in self.traces]
        return sum(int(one if place is None else one[place]) << g for g, one in enumerate(columns))

    def _branches(self, column: str, line: int, row: int) -> int:
        """Return a mask of branches, those of all traces together."""
        found = 0
        for trace in self.traces:
            found |= int(getattr(trace, column)[line, row])
        return found

    def inputs(self, line: int) -> Row:
        """Return the inputs of a cycle."""
        trace = self.traces[0]
        row = {"rst": int(trace.resets[line]), "flush": self._groups("flushes", line)}
        row["timeout"] = self.job.timeout_cycles
        for i in range(len(self.tree.processors)):
            row[f"barrier_request_n{i}"] = self._groups("requests", line, i)
            row[f"m_axis_n{i}_tready"] = int(trace.takes[line, i])
            marks = int(trace.beat_marks[line, i])
            if marks >= 0:
                row[f"s_axis_n{i}_tvalid"] = 1
                row[f"s_axis_n{i}_tlast"] = marks & 1
                row[f"s_axis_n{i}_tdest"] = marks >> GROUP_SHIFT
                row[f"s_axis_n{i}_tdata"] = int(trace.beat_words[line, i]) & self.mask
                row[f"s_axis_n{i}_tuser"] = int(trace.beat_operators[line, i])
        for event in self.traffic.events:
            if isinstance(event, ClearErrors) and event.cycle == line:
                for name in ("mismatches", "timeouts"):
                    port = f"clear_{name}_s{event.switch}"
                    row[port] = row.get(port, 0) | getattr(event, name)
        return row

    def _word(self, name: str, line: int, place: int, valid: int = 1) -> int:
        """Return the bits of a word, or 0 without one."""
        if self.plane.barriers_only:
            return sum(int(getattr(trace, f"{name}_marks")[line, place] >= 0) << g for g, trace in self._numbered())
        marks = int(getattr(self.traces[0], f"{name}_marks")[line, place])
        if marks < 0:
            return 0
        bits, position = int(getattr(self.traces[0], f"{name}_words")[line, place]) & self.mask, self.plane.word_bits
        for value, width in ((marks & 3, 2), (marks >> GROUP_SHIFT, self.plane.group_bits), (valid, 1)):
            bits |= value << position
            position += width
        return bits

    def _numbered(self) -> Iterator[tuple[int, PlaneTrace]]:
        return enumerate(self.traces)

    def registers(self, line: int) -> Row:
        """Return the observed registers of a cycle, without stages of links."""
        row: Row = {}
        tree, groups = self.tree, self.plane.groups
        for place, branch in enumerate(tree.branches):
            lower = f"{'p' if branch.is_processor else 's'}{branch.number}"
            row[f"{lower}_up"] = self._word("up", line, place)
            down = self._word("down", line, place, 1 << branch.port)
            bank = f"s{branch.switch}_down"
            row[bank] = row.get(bank, 0) | (down << branch.port * groups if self.plane.barriers_only else down)
            row[f"s{branch.switch}_up_credits_{branch.port}"] = self._groups("up_credits", line, place)
            returned = "down_credits" if branch.is_processor else "parent_credits"
            row[f"{lower}_{returned}"] = self._groups("down_credits", line, place)
        for number, switch in enumerate(tree.switches):
            row[f"s{switch}_mismatches"] = self._branches("mismatches", line, number)
            row[f"s{switch}_timeouts"] = self._branches("timeouts", line, number)
        for i in range(len(tree.processors)):
            row[f"p{i}_s_axis_tready"] = int(self.traces[0].ready[line, i])
            row[f"p{i}_result"] = self._word("result", line, i)
            row[f"p{i}_barrier_done"] = self._groups("done", line, i)
            row[f"p{i}_barrier_error"] = self._groups("done_error", line, i)
        return row

    def rows(self) -> Iterator[tuple[Row, Row]]:
        """Return inputs and observed registers of all cycles."""
        stages = self.job.parameters.link_cycles - 1
        inside: list[Row] = [{} for _ in range(stages)]
        for line in range(self.job.cycles):
            inputs, registers = self.inputs(line), self.registers(line)
            here = self._ends(registers)
            for k, row in enumerate(inside):
                registers |= {f"{name}_{k + 1}": value for name, value in row.items()}
            yield inputs, registers
            inside = [{} for _ in inside] if inputs["rst"] else [here, *inside][:stages]

    def _ends(self, registers: Row) -> Row:
        """Return what goes into the links between switches."""
        row: Row = {}
        bits = self.job.parameters.word_bits + 2 + self.job.parameters.group_bits
        for branch in self.tree.branches:
            if branch.is_processor:
                continue
            name, bank = f"s{branch.number}", registers[f"s{branch.switch}_down"]
            row[f"link_up_{name}"] = registers[f"{name}_up"]
            if self.plane.barriers_only:
                row[f"link_down_{name}"] = bank >> branch.port * self.plane.groups & (1 << self.plane.groups) - 1
                continue
            valid = bank >> bits + branch.port & 1
            row[f"link_down_{name}"] = (bank & (1 << bits) - 1 | 1 << bits) * valid
            row[f"credits_up_{name}"] = registers[f"s{branch.switch}_up_credits_{branch.port}"]
            row[f"credits_down_{name}"] = registers[f"{name}_parent_credits"]
        return row


def _packed(row: Row, fields: list[tuple[str, int]]) -> int:
    bits = position = 0
    for name, width in fields:
        bits |= (row.get(name, 0) & (1 << width) - 1) << position
        position += width
    return bits


def _bench(inputs: list[tuple[str, int]], observed_bits: int, lines: int) -> str:
    """Return a bench that drives a line of inputs and prints the observed bits in every cycle."""
    wires, position = [".clk(clk)", ".observed(observed)"], 0
    for name, width in inputs:
        wires.append(f".{name}(row[{position + width - 1}:{position}])")
        position += width
    connections = ",\n    ".join(wires)
    return f"""module bench;
  reg clk = 0;
  reg [{position - 1}:0] rows [0:{lines - 1}];
  reg [{position - 1}:0] row;
  wire [{observed_bits - 1}:0] observed;
  integer line;
  plane dut (
    {connections}
  );
  initial begin
    $readmemh("rows.hex", rows);
    for (line = 0; line < {lines}; line = line + 1) begin
      row = rows[line];
      #1 $display("%h", observed);
      clk = 1;
      #1 clk = 0;
    end
    $finish;
  end
endmodule
"""


def plane_verilog(job: PlaneJob) -> str:
    """Return the Verilog of a job's plane."""
    return generate_plane(job.plan, observes=True).files["plane.v"]


def compare_plane(
    job: PlaneJob,
    folder: Path,
    verilog: str | None = None,
    more: Iterable[Iterable[tuple[Row, Row]]] = (),
) -> Difference | None:
    """Compare hardware and model, and return the first difference.

    Parameters:
        job
        folder: For files of the simulator.
        verilog: Of the hardware, if it is another than that of the plan.
        more: Inputs and observed registers of all cycles of more runs.

    Raises:
        RuntimeError: If the simulator fails.
    """
    runs = [list(_Records(job, traffic).rows()) for traffic in job.runs]
    runs += [list(run) for run in more]
    inputs = [(port["name"], port["bits"]) for port in _input_ports(job)]
    fields = observed_fields(job.plan)
    known = {name for _, registers in runs[0] for name in registers}
    unknown = {name for name, _ in fields} - known
    if job.cycles > job.parameters.link_cycles and unknown:
        raise RuntimeError(f"observed fields {sorted(unknown)} have no counterpart in the model")
    lines = [row for run in runs for row in ([{"rst": 1}] * RESET_CYCLES + [given for given, _ in run])]
    folder.mkdir(exist_ok=True)
    (folder / "plane.v").write_text(plane_verilog(job) if verilog is None else verilog)
    (folder / "rows.hex").write_text("".join(f"{_packed(row, inputs):x}\n" for row in lines))
    (folder / "bench.v").write_text(_bench(inputs, sum(bits for _, bits in fields), len(lines)))
    printed = _simulate(folder)
    if len(printed) != len(lines):
        raise RuntimeError(f"the simulator gave {len(printed)} cycles; it must give {len(lines)}")
    position = 0
    for number, run in enumerate(runs):
        position += RESET_CYCLES
        for cycle, (_, expected) in enumerate(run):
            text = printed[position + cycle]
            if _packed(expected, fields) != (int(text, 16) if set(text) <= set("0123456789abcdef") else None):
                return _first(number, cycle, expected, fields, text)
        position += len(run)
    return None


def _input_ports(job: PlaneJob) -> list[dict[str, Any]]:
    ports = port_list(PlaneTop(job.plan, observes=True))
    return [port for port in ports if port["direction"] == "input" and port["name"] != "clk"]


def _first(run: int, cycle: int, expected: Row, fields: list[tuple[str, int]], text: str) -> Difference:
    bits = "".join("xxxx" if digit in "xXzZ" else f"{int(digit, 16):04b}" for digit in text)[::-1]
    position = 0
    for name, width in fields:
        own = bits[position : position + width][::-1]
        value = -1 if "x" in own else int(own, 2)
        if value != expected.get(name, 0):
            return Difference(run, cycle, name, expected.get(name, 0), value)
        position += width
    raise AssertionError(text)


def _simulate(folder: Path) -> list[str]:
    """Run the bench; return its lines."""
    tool = find_tool("icarus")
    environment = tool_environment(tool)
    compile_it = [*tool.command, "-g2005", "-s", "bench", "-o", "bench.vvp", "plane.v", "bench.v"]
    for command in (compile_it, ["vvp", "-n", "bench.vvp"]):
        answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise RuntimeError(answer.stdout + answer.stderr)
    return [line for line in answer.stdout.split("\n") if line and "$finish" not in line]
