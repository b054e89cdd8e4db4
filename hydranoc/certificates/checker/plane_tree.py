"""Tree, groups and masks of a collective plane's manifest: the masks follow from the parents and the members."""

from documents import demand_keys, demand_same, natural
from network import NAME
from refusal import demand

KEYS = ("top", "parameters", "groups", "switches", "endpoints", "observed", "modules", "ports", "files")
NUMBERS = ("groups", "word_bits", "buffer_words", "result_words", "window", "link_cycles")
SWITCH = ("switch", "instance", "module", "parent", "branches", "taking_part", "top")
OPERATORS = ("sum", "min", "max", "signed-min", "signed-max", "and", "or", "xor")


class PlaneTree:
    """``switches`` ascending; ``parent`` and ``branches`` by switch. A branch is a pair: True for a processor, and its
    number; its place is the port. ``homes`` has the switch of each processor. ``masks[switch][group]`` has a bit for
    each branch with members behind it, at the group's top and below; ``tops`` has the tops.
    """

    def __init__(self, manifest):
        demand_keys(manifest, KEYS, "the manifest", ("registers",))
        self.manifest, self.top, self.parameters = manifest, manifest["top"], manifest["parameters"]
        demand(isinstance(self.top, str) and NAME.fullmatch(self.top), "top is no name of a module")
        self._read_parameters()
        for key in ("groups", "switches", "endpoints"):
            demand(isinstance(manifest[key], list) and manifest[key], f"{key} is no list, or empty")
        demand_same(manifest["observed"], [], "observed of the manifest")
        files = manifest["files"]
        named = isinstance(files, list) and all(isinstance(name, str) for name in files)
        demand(named and len(set(files)) == len(files), "files is no list of different names")
        self._read_parents()
        self._read_homes()
        ends = {switch: [] for switch in self.switches}
        for child, above in self.parent.items():
            if above is not None:
                ends[above].append((False, child))
        for processor, switch in enumerate(self.homes):
            ends[switch].append((True, processor))
        self.branches = {switch: sorted(of_switch) for switch, of_switch in ends.items()}
        self._read_groups()
        self._check_switches()

    def _read_parameters(self):
        demand_keys(self.parameters, (*NUMBERS, "operators", "timeouts"), "parameters")
        numbers = [natural(self.parameters[name], name) for name in NUMBERS]
        for name, number in zip(NUMBERS, numbers, strict=True):
            demand(number > 0, f"{name} is 0; it must be at least 1")
        self.groups, self.word_bits, self.buffer_words, self.result_words, self.window, self.link_cycles = numbers
        names, self.timeouts = self.parameters["operators"], self.parameters["timeouts"]
        known = isinstance(names, list) and all(isinstance(name, str) and name in OPERATORS for name in names)
        demand(known, "operators is no list of operators")
        self.operators = [OPERATORS.index(name) for name in names]
        demand(self.operators == sorted(set(self.operators)), "operators are not in the order of their numbers")
        demand(isinstance(self.timeouts, bool), "timeouts is neither true nor false")

    def _read_parents(self):
        """Read the parents, and find the depth of each switch: all lead to one root."""
        self.parent, self.depth = {}, {}
        for about in self.manifest["switches"]:
            demand_keys(about, SWITCH, "a switch")
            switch, above = natural(about["switch"], "switch"), about["parent"]
            demand(switch not in self.parent, f"s{switch} is twice among the switches")
            self.parent[switch] = None if above is None else natural(above, f"parent of s{switch}")
        self.switches = list(self.parent)
        demand(self.switches == sorted(self.switches), "switches are not in ascending order")
        roots = [switch for switch, above in self.parent.items() if above is None]
        demand(len(roots) == 1, f"{len(roots)} switches have no parent; a tree has one root")
        self.depth[roots[0]] = 0
        for first in self.switches:
            path, switch = [], first
            while switch not in self.depth:
                path.append(switch)
                demand(len(path) <= len(self.switches), f"the parents of s{first} run in a circle")
                switch = self.parent[switch]
                demand(switch in self.parent, f"parent s{switch} of s{path[-1]} is no switch of the plane")
            for back in reversed(path):
                self.depth[back] = self.depth[self.parent[back]] + 1

    def _read_homes(self):
        self.homes = []
        for processor, about in enumerate(self.manifest["endpoints"]):
            demand_keys(about, ("processor", "instance", "switch", "port"), f"endpoint {processor}")
            right = [processor, f"endpoint_p{processor}" if self.operators else None]
            demand_same([about["processor"], about["instance"]], right, f"endpoint {processor}")
            switch = natural(about["switch"], f"switch of endpoint {processor}")
            demand(switch in self.parent, f"p{processor} hangs on s{switch}, which is no switch of the plane")
            self.homes.append(switch)

    def _read_groups(self):
        groups = self.manifest["groups"]
        demand(len(groups) == self.groups, f"there are {len(groups)} groups, and groups is {self.groups}")
        self.masks, self.tops = {switch: [0] * self.groups for switch in self.switches}, []
        for group, members in enumerate(groups):
            demand(isinstance(members, list) and members, f"group {group} is no list, or empty")
            for member in members:
                known = natural(member, f"a member of group {group}") < len(self.homes)
                demand(known, f"member {member} of group {group} is no processor")
            demand(len(set(members)) == len(members), f"group {group} has a member twice")
            self.tops.append(self._top(members))
            for member in members:
                self._take_part(group, member)

    def _top(self, members):
        """Return the deepest switch with all members behind it."""
        behind = dict.fromkeys(self.switches, 0)
        for member in members:
            switch = self.homes[member]
            while switch is not None:
                behind[switch] += 1
                switch = self.parent[switch]
        return max((s for s, count in behind.items() if count == len(members)), key=lambda s: self.depth[s])

    def _take_part(self, group, member):
        """Set the bits of the branches between a member and the top."""
        end, switch = (True, member), self.homes[member]
        while True:
            self.masks[switch][group] |= 1 << self.branches[switch].index(end)
            if switch == self.tops[group]:
                return
            end, switch = (False, switch), self.parent[switch]

    def constants(self, switch):
        """Return the values of ``taking_part`` and ``top`` of a switch."""
        bits, masks = len(self.branches[switch]), self.masks[switch]
        taking_part = sum(mask << group * bits for group, mask in enumerate(masks))
        return taking_part, sum(1 << group for group, top in enumerate(self.tops) if top == switch)

    def _check_switches(self):
        for about in self.manifest["switches"]:
            switch = about["switch"]
            taking_part, top = self.constants(switch)
            right = {
                "switch": switch,
                "instance": f"switch_s{switch}",
                "module": f"{self.top}_{self.switch_module(switch)}",
                "parent": self.parent[switch],
                "branches": [end_name(end) for end in self.branches[switch]],
                "taking_part": taking_part,
                "top": top,
            }
            demand_same(about, right, f"s{switch} of the manifest")
        for processor, about in enumerate(self.manifest["endpoints"]):
            port = self.branches[self.homes[processor]].index((True, processor))
            demand_same(about["port"], port, f"port of endpoint {processor}")

    def _stem(self):
        return f"g{self.groups}_w{self.word_bits}_o{''.join(map(str, self.operators))}"

    def switch_module(self, switch):
        """Return the name of a switch's module without the prefix: it has all that decides its text."""
        kinds = [is_processor for is_processor, _ in self.branches[switch]]
        ending = ("" if self.parent[switch] is not None else "_root") + ("_t" if self.timeouts else "")
        if not self.operators:
            return f"barrier_switch_{len(kinds)}_g{self.groups}_{self.window}{ending}"
        depths = [self.result_words if is_processor else self.buffer_words for is_processor in kinds]
        buffers = f"{self.buffer_words}_{''.join(map(str, depths))}"
        if set(depths) == {self.buffer_words}:
            buffers = f"{self.buffer_words}"
        return f"plane_switch_{len(kinds)}_{self._stem()}_b{buffers}{ending}"

    def endpoint_module(self):
        """Return the name of the endpoints' module without the prefix."""
        return f"plane_endpoint_{self._stem()}_{self.buffer_words}{self.result_words}_{self.window}"


def end_name(end):
    """Return the name of a branch's lower end."""
    return f"{'p' if end[0] else 's'}{end[1]}"
