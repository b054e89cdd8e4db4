"""Plain reference of a collective plane: dictionaries of registers (docs/understand/collective_plane.md).

It gets the inputs of hosts cycle by cycle, and gives all registers that a recording has.
"""

from typing import Any, NamedTuple

from topology.collectives.operators import combine, combiner_stages
from topology.collectives.tables import PlaneTables

Registers = dict[Any, Any]


class Word(NamedTuple):
    """A valid word on a link or in a buffer."""

    group: int
    word: int
    last: bool
    error: bool


class Beat(NamedTuple):
    """A beat of a contribution stream; in the FIFO with its place among the barriers of its group."""

    group: int
    operator: int
    word: int
    last: bool
    is_first: bool = False
    before: int = 0


class Inputs(NamedTuple):
    """Inputs of a cycle."""

    beats: dict[int, Beat]  # offered, by processor
    requests: dict[int, set[int]]  # groups, by processor
    takes: set[int]  # processors that take a result beat
    flushes: set[int]  # groups whose wire is high
    reset: bool = False
    clears: dict[int, tuple[int, int]] = {}  # mismatches and timeouts to be cleared, by switch


def first_after(turn: int, ready: set[int]) -> int:
    """The first of the ready groups after the turn."""
    return min((group for group in ready if group > turn), default=min(ready))


class PlaneReference:
    """The plane in one cycle; ``registers`` are what they show in it."""

    def __init__(self, tables: PlaneTables, parameters: Any):
        self.tables, self.tree, self.parameters = tables, tables.tree, parameters
        self.groups = range(len(tables.groups))
        self.registers = self.first_registers()

    def first_registers(self) -> Registers:
        first: Registers = {"flush": set()}
        stages = self.parameters.link_cycles - 1
        turn = len(self.groups) - 1
        for switch in self.tree.switches:
            first["combine_turn", switch] = first["down_turn", switch] = turn
            first["denied", switch] = False
            first["pipeline", switch] = (None,) * combiner_stages(self.parameters.operators)
            first["drained", switch] = {}  # branches by group that drained in the cycle before
            first["discarded", switch] = None  # group, in the cycle before
            first["mismatches", switch] = first["timeouts", switch] = 0
            first["up_out", switch] = None
            first["up_stages", switch] = (None,) * stages
            first["bank", switch] = ({}, None)
            first["bank_stages", switch] = (({}, None),) * stages
            first["credits_down", switch] = {}  # to branches: groups by port
            first["credits_down_stages", switch] = ({},) * stages
            first["credits_up", switch] = set()  # to the parent
            first["credits_up_stages", switch] = (set(),) * stages
            for group in self.groups:
                first.update(self.first_of_group(switch, group))
        for processor in range(len(self.tree.processors)):
            first["ready", processor] = False
            first["beats", processor] = ()
            first["stream_had", processor] = False
            first["link", processor] = None
            first["result", processor] = None
            first["result_turn", processor] = turn
            first["done", processor] = {}
            first["credits", processor] = set()
            for group in self.groups:
                first.update(self.first_of_member(processor, group))
        return first

    def first_of_group(self, switch: int, group: int) -> Registers:
        first: Registers = {}
        for branch in self.tree.branches_of(switch):
            first["up", switch, branch.port, group] = ()
            first["draining", switch, branch.port, group] = False
            room = self.parameters.result_words if branch.is_processor else self.parameters.buffer_words
            first["down_credits", switch, branch.port, group] = room
        first["down", switch, group] = ()
        first["up_credits", switch, group] = self.parameters.buffer_words
        first["inside", switch, group] = first["failed", switch, group] = False
        first["operator", switch, group] = 0
        first["waited", switch, group] = 0
        return first

    def first_of_member(self, processor: int, group: int) -> Registers:
        numbers = ("under_way", "requests", "owed")
        flags = ("sending", "open", "receiving")
        return {
            ("link_credits", processor, group): self.parameters.buffer_words,
            ("results", processor, group): (),
            **{(name, processor, group): 0 for name in numbers},
            **{(name, processor, group): False for name in flags},
        }

    def taking(self, switch: int, group: int) -> list[int]:
        mask = int(self.tables.taking_part[self.tree.position[switch], group])
        return [branch.port for branch in self.tree.branches_of(switch) if mask >> branch.port & 1]

    def arrived(self, name: str, stages: str, owner: int) -> Any:
        """Value of a register, as many cycles ago as a link between switches has stages."""
        old = self.registers
        return old[stages, owner][-1] if old[stages, owner] else old[name, owner]

    def step(self, inputs: Inputs) -> None:
        """Go on by one cycle."""
        if inputs.reset:
            self.registers = self.first_registers()
            return
        new = dict(self.registers)
        for switch in self.tree.switches:
            self.step_switch(switch, new, inputs)
        for processor in range(len(self.tree.processors)):
            self.step_endpoint(processor, new, inputs)
        new["flush"] = set(inputs.flushes)
        self.registers = new

    # switches

    def step_switch(self, switch: int, new: Registers, inputs: Inputs) -> None:
        old, flushed = self.registers, self.registers["flush"]
        for name in ("up_out", "bank", "credits_down", "credits_up"):
            stages = {"up_out": "up_stages", "bank": "bank_stages"}.get(name, f"{name}_stages")
            new[stages, switch] = (old[name, switch], *old[stages, switch])[: len(old[stages, switch])]
        new["up_out", switch], new["bank", switch] = None, ({}, None)
        new["credits_down", switch], new["credits_up", switch] = {}, set()
        mismatches, timeouts = inputs.clears.get(switch, (0, 0))
        new["mismatches", switch] &= ~mismatches
        new["timeouts", switch] &= ~timeouts
        present = [group for group in self.groups if self.taking(switch, group)]
        tops = {group for group in present if self.tables.top_switch[group] == switch}
        ready: dict[str, set[int]] = {"down": set(), "combine": set()}
        for group in set(present) - flushed:
            taking = self.taking(switch, group)
            drained = old["drained", switch].get(group, ())
            credited = all(old["down_credits", switch, port, group] for port in taking)
            if group not in tops and old["down", switch, group] and credited:
                ready["down"].add(group)
            may = credited if group in tops else old["up_credits", switch, group]
            if drained:
                may = old["discarded", switch] != group
            if may and all(old["up", switch, port, group] for port in drained or taking):
                ready["combine"].add(group)
        self.count_waits(switch, present, new)
        moving = old["pipeline", switch]
        taken = moving[-1] is not None and moving[-1].group in tops
        new["denied", switch] = bool(ready["down"]) and taken
        if moving[-1]:
            self.show(switch, moving[-1], new)
        if ready["down"] and not taken:
            self.send_down(switch, first_after(old["down_turn", switch], ready["down"]), new)
        candidates = ready["combine"] - (tops if old["denied", switch] else set())
        new["discarded", switch] = None
        entering = None
        if candidates:
            group = first_after(old["combine_turn", switch], candidates)
            if not old["denied", switch]:
                new["combine_turn", switch] = group
            if any(old["draining", switch, port, group] for port in self.taking(switch, group)):
                self.discard(switch, group, new)
                new["discarded", switch] = group
            else:
                result, is_header = self.combine(switch, group, group in tops, new)
                if is_header and not any(moving) and not (group in tops and new["bank", switch][0]):
                    self.show(switch, result, new)
                else:
                    entering = result
        new["pipeline", switch] = (entering, *moving[:-1])
        new["drained", switch] = {
            group: [port for port in self.taking(switch, group) if old["draining", switch, port, group]]
            for group in present
        }
        self.receive(switch, new)
        for group in flushed:
            new.update(self.first_of_group(switch, group))

    def count_waits(self, switch: int, present: list[int], new: Registers) -> None:
        old, limit = self.registers, self.parameters.timeout_cycles
        for group in present:
            missing = [port for port in self.taking(switch, group) if not old["up", switch, port, group]]
            some = len(missing) < len(self.taking(switch, group))
            if not limit or old["waited", switch, group] == limit:
                continue
            if missing and (some or old["inside", switch, group]):
                new["waited", switch, group] += 1
                if new["waited", switch, group] == limit and group not in old["flush"]:
                    new["timeouts", switch] |= sum(1 << port for port in missing)
            else:
                new["waited", switch, group] = 0

    def send_down(self, switch: int, group: int, new: Registers) -> None:
        word = new["down", switch, group][0]
        new["down", switch, group] = new["down", switch, group][1:]
        self.show_down(switch, word, new)
        self.take_credits(switch, group, new)
        new["credits_up", switch] = {group}
        new["down_turn", switch] = group

    def show(self, switch: int, word: Word, new: Registers) -> None:
        if self.tables.top_switch[word.group] == switch:
            self.show_down(switch, word, new)
        else:
            new["up_out", switch] = word

    def show_down(self, switch: int, word: Word, new: Registers) -> None:
        new["bank", switch] = (dict.fromkeys(self.taking(switch, word.group), True), word)

    def take_credits(self, switch: int, group: int, new: Registers) -> None:
        for port in self.taking(switch, group):
            new["down_credits", switch, port, group] -= 1

    def pop(self, switch: int, port: int, group: int, new: Registers) -> Word:
        word = new["up", switch, port, group][0]
        new["up", switch, port, group] = new["up", switch, port, group][1:]
        new["credits_down", switch] = {**new["credits_down", switch], port: {group}}
        return word

    def discard(self, switch: int, group: int, new: Registers) -> None:
        for port in self.taking(switch, group):
            if new["draining", switch, port, group]:
                new["draining", switch, port, group] = not self.pop(switch, port, group, new).last

    def combine(self, switch: int, group: int, is_top: bool, new: Registers) -> tuple[Word, bool]:
        """Return the result, and whether it is a header."""
        taking = self.taking(switch, group)
        words = {port: self.pop(switch, port, group, new) for port in taking}
        lowest = words[taking[0]].word
        wrong: set[int] = set()
        is_header = not new["inside", switch, group]
        if not is_header:
            operator = new["operator", switch, group]
            value = combine(operator, [words[port].word for port in taking], self.parameters.word_bits)
        else:
            value = lowest
            new["operator", switch, group] = lowest % 8
            wrong |= {port for port in taking if words[port].word % 8 != lowest % 8}
        ending = {port for port in taking if words[port].last}
        if ending:
            wrong |= set(taking) - ending
            for port in set(taking) - ending:
                new["draining", switch, port, group] = True
        error = bool(wrong) or new["failed", switch, group] or any(word.error for word in words.values())
        result = Word(group, value, bool(ending), error)
        new["failed", switch, group] = error and not ending
        new["inside", switch, group] = not ending
        new["mismatches", switch] |= sum(1 << port for port in wrong)
        new["waited", switch, group] = 0
        if is_top:
            self.take_credits(switch, group, new)
        else:
            new["up_credits", switch, group] -= 1
        return result, is_header

    def receive(self, switch: int, new: Registers) -> None:
        for branch in self.tree.branches_of(switch):
            if branch.is_processor:
                word, credits = self.registers["link", branch.number], self.registers["credits", branch.number]
            else:
                word = self.arrived("up_out", "up_stages", branch.number)
                credits = self.arrived("credits_up", "credits_up_stages", branch.number)
            if word:
                new["up", switch, branch.port, word.group] += (word,)
                assert len(new["up", switch, branch.port, word.group]) <= self.parameters.buffer_words
            for group in credits:
                new["down_credits", switch, branch.port, group] += 1
        above = self.tree.parent[switch]
        if above is not None:
            port = next(b.port for b in self.tree.branches_of(above) if not b.is_processor and b.number == switch)
            branches, word = self.arrived("bank", "bank_stages", above)
            if port in branches:
                new["down", switch, word.group] += (word,)
                assert len(new["down", switch, word.group]) <= self.parameters.buffer_words
            for group in self.arrived("credits_down", "credits_down_stages", above).get(port, ()):
                new["up_credits", switch, group] += 1

    # endpoints

    def step_endpoint(self, processor: int, new: Registers, inputs: Inputs) -> None:
        old, flushed = self.registers, self.registers["flush"]
        self.send(processor, new)
        for group in old["done", processor]:
            new["under_way", processor, group] -= 1
        new["done", processor] = {}
        owed = {group: old["owed", processor, group] for group in self.groups}
        result = old["result", processor]
        if result and processor in inputs.takes:
            new["result", processor] = None
            owed[result.group] += 1
            new["under_way", processor, result.group] -= result.last
        for group in inputs.requests.get(processor, ()):
            room = new["requests", processor, group] < self.parameters.window
            new["requests", processor, group] += room
        if processor in inputs.beats and old["ready", processor]:
            beat = inputs.beats[processor]
            is_first = not old["open", processor, beat.group]
            entry = beat._replace(is_first=is_first, before=new["requests", processor, beat.group])
            new["beats", processor] += (entry,)
            new["open", processor, beat.group] = not beat.last
        self.receive_result(processor, owed, new)
        for group in self.groups:
            new["owed", processor, group] = max(0, owed[group] - 1)
        new["credits", processor] = {group for group in self.groups if owed[group]} - flushed
        if new["result", processor] is None:
            self.load_result(processor, new)
        for group in flushed:
            new.update(self.first_of_member(processor, group))
            new["beats", processor] = tuple(beat for beat in new["beats", processor] if beat.group != group)
            new["done", processor].pop(group, None)
            if new["result", processor] and new["result", processor].group == group:
                new["result", processor] = None
        new["ready", processor] = len(new["beats", processor]) < 2

    def send(self, processor: int, new: Registers) -> None:
        old, flushed = self.registers, self.registers["flush"]
        beats = old["beats", processor]
        new["link", processor] = None

        def able(group: int, *, begins: bool) -> bool:
            free = old["under_way", processor, group] < self.parameters.window or not begins
            return group not in flushed and old["link_credits", processor, group] > 0 and free

        def may_request(group: int) -> bool:
            if not old["requests", processor, group] or old["sending", processor, group]:
                return False
            firsts = [beat for beat in beats if beat.group == group and beat.is_first]
            return able(group, begins=True) and (not firsts or firsts[0].before > 0)

        barriers = [group for group in self.groups if may_request(group)]
        stream = False
        if beats:
            begins = not old["sending", processor, beats[0].group]
            stream = able(beats[0].group, begins=begins) and (not begins or beats[0].before == 0)
        lowest = min(self.parameters.operators)
        if stream and (not barriers or not old["stream_had", processor]):
            new["stream_had", processor] = True
            beat = beats[0]
            group = beat.group
            if old["sending", processor, group]:
                word = Word(group, beat.word, beat.last, False)
                new["beats", processor] = beats[1:]
                new["sending", processor, group] = not beat.last
            else:
                is_built = beat.operator in self.parameters.operators
                word = Word(group, beat.operator if is_built else lowest, False, not is_built)
                new["sending", processor, group] = True
                new["under_way", processor, group] += 1
                new["beats", processor] = (beat._replace(is_first=False), *beats[1:])
        elif barriers:
            new["stream_had", processor] = False
            group = barriers[0]
            word = Word(group, lowest, True, False)
            new["requests", processor, group] -= 1
            new["under_way", processor, group] += 1
            new["beats", processor] = tuple(
                beat._replace(before=beat.before - 1) if beat.is_first and beat.group == group else beat
                for beat in beats
            )
        else:
            return
        new["link", processor] = word
        new["link_credits", processor, group] -= 1

    def receive_result(self, processor: int, owed: dict[int, int], new: Registers) -> None:
        home = self.tree.processors[processor]
        port = next(b.port for b in self.tree.branches_of(home) if b.is_processor and b.number == processor)
        branches, word = self.registers["bank", home]
        for group in self.registers["credits_down", home].get(port, ()):
            new["link_credits", processor, group] += 1
        if port not in branches:
            return
        if new["receiving", processor, word.group]:
            new["results", processor, word.group] += (word,)
            new["receiving", processor, word.group] = not word.last
        else:
            owed[word.group] += 1
            new["receiving", processor, word.group] = not word.last
            if word.last:
                new["done", processor][word.group] = word.error

    def load_result(self, processor: int, new: Registers) -> None:
        if self.registers["result", processor] and new["result", processor]:
            return
        ready = {group for group in self.groups if new["results", processor, group]} - self.registers["flush"]
        if ready:
            group = first_after(new["result_turn", processor], ready)
            new["result", processor] = new["results", processor, group][0]
            new["results", processor, group] = new["results", processor, group][1:]
            new["result_turn", processor] = group
