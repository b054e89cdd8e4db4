"""Every kind of bad input: exit code 2, and one line on stderr that names file, line and value."""

import pytest

from hydranoc.cli import run
from hydranoc.families.registry import FAMILIES

NETWORK = "network:\n  family: spam\n  topology: {kind: ring, switches: 4}\n"
RANDOM = "traffic:\n  kind: random\n  cycles: 100\n  messages_per_node_per_cycle: 0.01\n  flits: 8\n"


def _topology(text: str) -> str:
    return f"network:\n  family: spam\n  topology: {text}\n"


def _random(changes: str, network: str = NETWORK) -> str:
    """Random traffic with one more line, or one line another way; traffic starts on line 4."""
    key = changes.split(":")[0]
    kept = [line for line in RANDOM.splitlines() if not line.startswith(f"  {key}:")]
    return network + "\n".join([*kept, f"  {changes}"]) + "\n"


def _listed(message: str, network: str = NETWORK, flits: int = 8) -> str:
    first = f"{{source: 0, destinations: [1], flits: {flits}}}"
    return f"{network}traffic:\n  kind: list\n  messages:\n    - {first}\n    - {message}\n"


GUARDED = NETWORK + "  worm_guard: true\n  watchdog_flits: 7\n"
GUARDED_STAGES = GUARDED.replace("spam", "min").replace("ring, switches: 4", "omega, stages: 2")
TORUS = "network:\n  family: torus\n  topology: {kind: torus, rows: 4, columns: 4}\n"
HEXAGONAL = "network:\n  family: harts\n"
SIZE_3 = "  topology: {kind: hexmesh, size: 3}"


def _sent(broadcast: str) -> str:
    return f"{SIZE_3}\ntraffic: {{kind: broadcast, {broadcast}}}"


NAMES = list(FAMILIES)
WRONG = {
    "syntax": ("network: {family: spam\n", 2, "not valid YAML: "),
    "tab": ("network:\n\tfamily: spam\n", 2, "not valid YAML: "),
    "empty file": ("", 1, "A configuration must be a mapping with the keys 'network' and 'traffic'"),
    "no mapping": ("- 1\n", 1, "A configuration must be a mapping with the keys 'network' and 'traffic'"),
    "duplicate key": (NETWORK + "  family: spam\n", 4, "key 'family' is given twice"),
    **{
        f"hosts: {key}": (f"{NETWORK}hosts:\n  {text}\n", 5, message)
        for key, text, message in (
            ("certain pause", "pause: 1.0", "hosts.pause must be less than 1, not 1.0"),
            ("negative stall", "stall: -0.1", "hosts.stall must be at least 0, not -0.1"),
            ("words", "stall: often", "hosts.stall must be a number, not 'often'"),
            ("too rare", "pause: 0.001", "hosts.pause must be 0, or 0.0039 to 0.9961 (steps of 1/256), not 0.001"),
            ("too often", "stall: 0.999", "hosts.stall must be 0, or 0.0039 to 0.9961 (steps of 1/256), not 0.999"),
            ("seed", "seed: 65536", "hosts.seed must be less than 65536, not 65536"),
            ("unknown key", "stalls: 0.2", "unknown key 'stalls' in hosts; did you mean 'stall'?"),
            (
                "unknown processor",
                "blocked: [{processor: 4, cycles: 10}]",
                "hosts.blocked[0].processor must be a processor, 0 to 3, not 4",
            ),
            (
                "blocked for no time",
                "blocked: [{processor: 1, cycles: 0}]",
                "hosts.blocked[0].cycles must be at least 1, not 0",
            ),
            ("no processor", "blocked: [{cycles: 9}]", "key 'processor' is missing in hosts.blocked[0]"),
            ("no list", "blocked: {processor: 1, cycles: 9}", "hosts.blocked must be a list, not "),
        )
    },
    "hosts no mapping": (f"{NETWORK}hosts: 0.3\n", 4, "hosts must be a mapping, not 0.3"),
    "no network": (RANDOM, 1, "key 'network' is missing"),
    "network no mapping": ("network: 5\n", 1, "network must be a mapping, not 5"),
    "no family": ("network:\n  topology: {kind: ring, switches: 4}\n", 1, "key 'family' is missing in network"),
    "unknown family": (
        "network:\n  family: spma\n",
        2,
        f"network.family must be {', '.join(NAMES[:-1])} or {NAMES[-1]}, not 'spma'; did you mean 'spam'?",
    ),
    **{
        f"hexagonal mesh: {key}": (HEXAGONAL + text + "\n", line, message)
        for key, text, line, message in (
            ("size", "  topology: {kind: hexmesh, size: 149}", 3, "Size must be 2 to 148, not 149"),
            (
                "another topology",
                "  topology: {kind: ring, switches: 4}",
                3,
                "Family 'harts' needs a wrapped hexagonal",
            ),
            (
                "narrow flits",
                f"{SIZE_3}\n  flit_bits: 32",
                4,
                "flit_bits: Flit must have room for the header's 40 bits",
            ),
            ("routing cycles", f"{SIZE_3}\n  routing_cycles: 3", 4, "routing_cycles must be 1 in family 'harts'"),
            (
                "long links",
                f"{SIZE_3}\n  link_cycles: 4",
                4,
                "link_cycles must be at most 3 in family 'harts' with gap_frames 1, not 4: a node must see that a page "
                "is taken before it may send the next packet",
            ),
            ("tables", f"{SIZE_3}\n  tables: loadable", 4, "tables must be 'fixed' in family 'harts', which has none"),
            ("few pages", f"{SIZE_3}\n  pages: 5", 4, "pages: Pages must be at least 12, not 5"),
            ("many pages", f"{SIZE_3}\n  pages: 999", 4, "pages: Pages must be at most 310, not 999"),
            ("unknown node", f"{SIZE_3}\n  faults: {{silent_nodes: [19]}}", 4, "faults: Faulty node must be 0 to 18"),
            ("no link", f"{SIZE_3}\n  faults: {{dead_links: [[0, 9]]}}", 4, "faults: Dead link must join two neighb"),
            ("procedure", _sent("algorithm: 7-bcast, source: 0, bytes: 64"), 4, "algorithm must be sbcast, 2-bcast, "),
            ("source", _sent("algorithm: sbcast, source: 19, bytes: 64"), 4, "traffic.source: Source must be a proces"),
            ("no length", _sent("algorithm: sbcast, source: 0"), 4, "traffic must have either bytes or flits"),
            (
                "no procedure",
                _sent("source: 0, bytes: 64"),
                4,
                "key 'algorithm' is missing in traffic: a broadcast in family 'harts' must have sbcast, 2-bcast, ",
            ),
            (
                "procedure and software",
                _sent("algorithm: sbcast, software: binomial, source: 0, bytes: 64"),
                4,
                "traffic must have either algorithm or software",
            ),
            (
                "broadcasts without a procedure",
                _random("broadcast_fraction: 0.1", f"{SIZE_3}\n").rstrip(),
                9,
                "key 'algorithm' is missing in traffic: a broadcast in family 'harts' must have sbcast, 2-bcast, ",
            ),
            (
                "length",
                _sent("algorithm: sbcast, source: 0, bytes: 640"),
                4,
                "traffic.bytes: Length must be at most 65",
            ),
        )
    },
    "broadcast without procedures": (
        f"{NETWORK}traffic: {{kind: broadcast, algorithm: sbcast, source: 0, bytes: 64}}\n",
        4,
        "algorithm must be left out in family 'spam', which has no broadcast procedures, not 'sbcast'",
    ),
    **{
        f"broadcast: {key}": (f"{network}traffic: {{kind: broadcast, {text}}}\n", network.count("\n") + 1, message)
        for key, network, text, message in (
            ("source", NETWORK, "source: 4, flits: 9", "traffic.source: Source must be a processor, 0 to 3, not 4"),
            ("no source", NETWORK, "flits: 9", "key 'source' is missing in traffic"),
            ("no length", NETWORK, "source: 0", "traffic must have either bytes or flits"),
            ("two lengths", NETWORK, "source: 0, flits: 9, bytes: 8", "traffic must have either bytes or flits"),
            (
                "shorter than its header",
                NETWORK + "  flit_bits: 8\n",
                "source: 0, flits: 1",
                "traffic.flits: Length must be at least the 2 header flits, not 1",
            ),
            (
                "too long",
                NETWORK,
                "source: 0, bytes: 300000",
                "traffic.bytes: Length must be at most 65535 flits, not 75001",
            ),
            (
                "no other node",
                NETWORK.replace("ring, switches: 4", "mesh, shape: [1]"),
                "source: 0, flits: 9",
                "traffic.kind: Destinations must name a processor other than the source 0, not []",
            ),
            (
                "no sender software",
                TORUS,
                "source: 0, flits: 9",
                "traffic.kind: Destinations must be one node unless traffic.software sends the message, not 15",
            ),
            (
                "unknown software",
                TORUS,
                "software: u-tours, source: 0, flits: 9",
                "traffic.software must be 'binomial', 'separate', 'u-torus', ",
            ),
        )
    },
    "one-way links for spam": (
        "network:\n  family: spam\n  topology: {kind: omega, stages: 3}\n",
        3,
        "Family 'spam' needs a network whose links lead both ways",
    ),
    "no multistage topology": (
        "network:\n  family: min\n  topology: {kind: ring, switches: 4}\n",
        3,
        "Family 'min' needs a multistage topology: kind must be one of baseline,",
    ),
    "too many stages": (
        "network:\n  family: min\n  topology: {kind: omega, radix: 4, stages: 9}\n",
        3,
        "Stages of 4 x 4 switches must be 1 to 8 (at most 65,536 processors), not 9",
    ),
    "consumption channels": (
        "network:\n  family: min\n  topology: {kind: omega, radix: 4, stages: 2, consumption_channels: 3}\n",
        3,
        "Consumption channels must be 1 or the radix, 4, not 3",
    ),
    "unknown top key": (NETWORK + "trafic: {}\n", 4, "unknown key 'trafic'; did you mean 'traffic'?"),
    "unknown key": (
        NETWORK + "  buffer_flit: 2\n",
        4,
        "unknown key 'buffer_flit' in network; did you mean 'buffer_flits'?",
    ),
    "far key": (NETWORK + "  colour: red\n", 4, "unknown key 'colour' in network; known keys are family, topology, "),
    "number as key": (NETWORK + "  7: red\n", 4, "unknown key 7 in network; known keys are family, topology, "),
    "no topology": ("network:\n  family: spam\n", 1, "key 'topology' is missing in network"),
    "type": (NETWORK + "  flit_bits: wide\n", 4, "network.flit_bits must be a whole number, not 'wide'"),
    "truth": (NETWORK + "  buffer_flits: true\n", 4, "network.buffer_flits must be a whole number, not true"),
    "fraction": (NETWORK + "  routing_cycles: 1.5\n", 4, "network.routing_cycles must be a whole number, not 1.5"),
    "too narrow": (NETWORK + "  flit_bits: 4\n", 4, "network.flit_bits must be at least 8, not 4"),
    "too wide": (NETWORK + "  flit_bits: 1024\n", 4, "network.flit_bits must be at most 512, not 1024"),
    "no buffer": (NETWORK + "  buffer_flits: 0\n", 4, "network.buffer_flits must be at least 1, not 0"),
    "no routing": (NETWORK + "  routing_cycles: 0\n", 4, "network.routing_cycles must be at least 1, not 0"),
    "no link": (NETWORK + "  link_cycles: 0\n", 4, "network.link_cycles must be at least 1, not 0"),
    "long link": (NETWORK + "  link_cycles: 17\n", 4, "network.link_cycles must be at most 16, not 17"),
    "half a link": (NETWORK + "  link_cycles: 1.5\n", 4, "network.link_cycles must be a whole number, not 1.5"),
    "negative control": (
        NETWORK + "  negative_control: chaos\n",
        4,
        "network.negative_control must be 'non-atomic-enqueue' or 'up-after-down', not 'chaos'",
    ),
    "root": (NETWORK + "  root: 4\n", 4, "root must be a switch (0 to 3), not 4"),
    "root by name": (NETWORK + "  root: s9\n", 4, "root must be a switch (0 to 3), not 's9'"),
    **{
        f"guards: {key}": (f"{network}  {text}\n", line, message)
        for key, network, text, line, message in (
            ("a number", NETWORK, "worm_guard: 1", 4, "network.worm_guard must be true or false, not 1"),
            ("a word", NETWORK, "worm_guard: maybe", 4, "network.worm_guard must be true or false, not 'maybe'"),
            ("negative", NETWORK, "watchdog_flits: -1", 4, "network.watchdog_flits must be at least 0, not -1"),
            (
                "too long",
                NETWORK,
                "watchdog_flits: 65536",
                4,
                "network.watchdog_flits must be at most 65535, not 65536",
            ),
            (
                "half a flit",
                NETWORK,
                "watchdog_flits: 9.5",
                4,
                "network.watchdog_flits must be a whole number, not 9.5",
            ),
            ("truth", NETWORK, "watchdog_flits: true", 4, "network.watchdog_flits must be a whole number, not true"),
            (
                "nothing to carry it out",
                NETWORK,
                "watchdog_flits: 24",
                4,
                "watchdog_flits must be 0 without 'worm_guard: true', not 24: guards are what cuts worms off",
            ),
            (
                "shorter than a header",
                NETWORK,
                "worm_guard: true\n  flit_bits: 8\n  watchdog_flits: 1",
                6,
                "watchdog_flits must be 0, or at least 2, the flits of the longest header, not 1",
            ),
            (
                "shorter than a header of multistage networks",
                "network:\n  family: min\n  topology: {kind: omega, radix: 4, stages: 2}\n",
                "worm_guard: true\n  flit_bits: 8\n  watchdog_flits: 3",
                6,
                "watchdog_flits must be 0, or at least 4, the flits of the longest header, not 3",
            ),
            (
                "another family",
                "network:\n  family: harts\n  topology: {kind: hexmesh, size: 3}\n",
                "watchdog_flits: 9",
                4,
                "unknown key 'watchdog_flits' in network",
            ),
        )
    },
    **{
        f"header {name}": (text, line, message)
        for name, text, line, message in (
            (
                "of another kind",
                NETWORK + "  header: tree\n",
                4,
                "network.header must be 'bit_string' or 'parts', not 'tree'",
            ),
            (
                "of parts that no flit can name",
                NETWORK.replace("switches: 4", "switches: 80") + "  flit_bits: 8\n  header: parts\n",
                4,
                "Flit must have at least 9 bits to name parts of 80 processors, not 8 bits (header: parts)",
            ),
            ("in another family", TORUS + "  header: parts\n", 4, "unknown key 'header' in network"),
            (
                "that is longer than its message",
                _listed(
                    "{source: 2, destinations: [0, 3], flits: 2}",
                    NETWORK.replace("switches: 4", "switches: 64") + "  flit_bits: 8\n  header: parts\n",
                ),
                10,
                "traffic.messages[1]: Length must be at least the 4 header flits, not 2",
            ),
        )
    },
    **{
        f"cut off: {name}": (text, line, f"{where}Length must be at most 7 flits (watchdog_flits), not 8")
        for name, text, line, where in (
            ("random messages", _random("flits: 8", GUARDED), 10, "traffic.flits: "),
            ("in multistage networks", _random("flits: 8", GUARDED_STAGES), 10, "traffic.flits: "),
            (
                "a listed message",
                _listed("{source: 2, destinations: [1], flits: 8}", GUARDED, flits=7),
                10,
                "traffic.messages[1]: ",
            ),
            (
                "unicasts of a software multicast",
                _random("software: binomial", GUARDED),
                10,
                "traffic.flits: ",
            ),
        )
    },
    "topology word": (_topology("ring"), 3, "network.topology must be a mapping, not 'ring'"),
    "topology of nothing": (_topology("{switches: 4}"), 3, "a topology must have 'kind', 'file' or 'edges'"),
    "kind": (
        _topology("{kind: rign, switches: 4}"),
        3,
        "network.topology.kind must be lattice, irregular, mesh, torus, ",
    ),
    "key of another kind": (_topology("{kind: ring, shape: [4]}"), 3, "key 'switches' is missing in network.topology"),
    "seed": (
        _topology("{kind: lattice, switches: 4, seed: -1}"),
        3,
        "network.topology.seed must be at least 0, not -1",
    ),
    "links": (
        _topology("{kind: lattice, switches: 4, max_switch_links: 5}"),
        3,
        "network.topology.max_switch_links must be at most 4, not 5",
    ),
    "no switch": (_topology("{kind: lattice, switches: 0}"), 3, "network.topology.switches must be at least 1, not 0"),
    "shape": (_topology("{kind: mesh, shape: 4}"), 3, "network.topology.shape must be a list, not 4"),
    "shape item": (
        _topology("\n    kind: mesh\n    shape:\n      - 4\n      - x"),
        7,
        "network.topology.shape[1] must be a whole number, not 'x'",
    ),
    "huge mesh": (
        _topology("{kind: mesh, shape: [1000, 100]}"),
        3,
        "a network must have at most 65,536 switches, not 100000",
    ),
    "huge tree": (
        _topology("{kind: tree, arity: 9, levels: 9}"),
        3,
        "a network must have at most 65,536 switches, not",
    ),
    "few ports": (_topology("{kind: mesh, shape: [3, 3], ports: 4}"), 3, "Switch s4 needs 5 ports; a switch of this"),
    "too many ports": (
        _topology("{kind: ring, switches: 4, processors_per_switch: 40}"),
        3,
        "Switch s0 needs 42 ports; routers have at most 32",
    ),
    "too many processors": (
        _topology("{kind: ring, switches: 40000, processors_per_switch: 2}"),
        3,
        "a network must have at most 65,536 processors, not 80000",
    ),
    "duplicate edge": (
        _topology("\n    switches: 2\n    edges:\n    - [0, 1]\n    - [1, 0]"),
        7,
        "Edge [1, 0] is a duplicate",
    ),
    "loop": (_topology("\n    switches: 2\n    edges:\n    - [0, 1]\n    - [1, 1]"), 7, "Edge [1, 1] is a loop"),
    "edge without end": (_topology("{switches: 2, edges: [[0, 2]]}"), 3, "Edge [0, 2] names unknown switch 2"),
    "edge of three": (
        _topology("{switches: 3, edges: [[0, 1, 2]]}"),
        3,
        "network.topology.edges[0] must be a list of at",
    ),
    "disconnected": (
        _topology("{switches: 3, edges: [[0, 1]]}"),
        3,
        "The network is disconnected: it falls into 2 parts",
    ),
    "processor without switch": (
        _topology("\n    switches: 2\n    edges: [[0, 1]]\n    processors: [0, 5]"),
        6,
        "Processor 1 hangs on unknown switch 5; switches are 0 to 1",
    ),
    "no processor": (
        _topology("{switches: 2, edges: [[0, 1]], processors: []}"),
        3,
        "network.topology.processors must be a list of at least 1, not []",
    ),
    "names": (_topology("{switches: 2, edges: [[0, 1]], names: [a, a]}"), 3, "names must be 2 different names"),
    "no network file": (_topology("{file: no.graphml}"), 3, "cannot read network file 'no.graphml': no such file"),
    "suffix": (_topology("{file: network.pdf}"), 3, "A network file must end in .edges, .edgelist, .txt, .graphml, "),
    "no traffic": (NETWORK, 1, "key 'traffic' is missing; there is nothing to send"),
    "traffic kind": (
        NETWORK + "traffic: {kind: randm}\n",
        4,
        "traffic.kind must be random, list, trace, broadcast, multinode, netrace, goal, chakra or mscclxml, not",
    ),
    "no traffic kind": (
        NETWORK + "traffic: {seed: 1}\n",
        4,
        "key 'kind' is missing in traffic; it must be random, list",
    ),
    "traffic key": (
        _random("multicast_fracton: 0.1"),
        9,
        "unknown key 'multicast_fracton' in traffic; did you mean 'mult",
    ),
    "rate": (
        _random("messages_per_node_per_cycle: 0"),
        8,
        "traffic.messages_per_node_per_cycle must be greater than 0, not",
    ),
    "rate text": (
        _random("messages_per_node_per_cycle: fast"),
        8,
        "traffic.messages_per_node_per_cycle must be a number",
    ),
    "rate infinite": (_random("messages_per_node_per_cycle: .nan"), 8, "traffic.messages_per_node_per_cycle must be "),
    "share": (_random("multicast_fraction: 1.5"), 9, "traffic.multicast_fraction must be at most 1, not 1.5"),
    "share of broadcasts": (_random("broadcast_fraction: -1"), 9, "traffic.broadcast_fraction must be at least 0, not"),
    "shares": (
        _random("broadcast_fraction: 0.8").replace("flits: 8\n", "flits: 8\n  multicast_fraction: 0.3\n"),
        10,
        "traffic.broadcast_fraction must be at most 0.7, what multicast_fraction 0.3 leaves, not 0.8",
    ),
    "no software for broadcasts": (
        _random("broadcast_fraction: 1", TORUS),
        9,
        "traffic.broadcast_fraction: Destinations must be one node unless traffic.software sends the message, not 15",
    ),
    "no software for multicasts": (
        _random("multicast_fraction: 1", TORUS),
        9,
        "traffic.multicast_fraction: Destinations must be one node unless traffic.software sends the message, not 2",
    ),
    "endless broadcasts": (
        _random("cycles: 100000000", TORUS) + "  broadcast_fraction: 1\n  software: separate\n",
        8,
        "traffic.cycles 100000000 would be about 2.4e+08 messages; at most",
    ),
    "too many destinations": (_random("destinations: 4"), 9, "traffic.destinations must be at most 3, the other"),
    "mean": (
        _random("destinations: {mean: 9, stddev: 1}"),
        9,
        "traffic.destinations.mean must be at most 3, the other",
    ),
    "no stddev": (_random("destinations: {mean: 2}"), 9, "key 'stddev' is missing in traffic.destinations"),
    "destinations text": (_random("destinations: many"), 9, "traffic.destinations must be a whole number, not 'many'"),
    "distribution key": (
        _random("destinations: {mean: 2, stdev: 1, stddev: 1}"),
        9,
        "unknown key 'stdev' in traffic.destinations; did you mean 'stddev'?",
    ),
    "long message": (_random("flits: 70000"), 8, "traffic.flits must be at most 65535, not 70000"),
    "short message": (
        _random("flits: 1", NETWORK.replace("4}", "4}\n  flit_bits: 8")).replace(
            "flits: 1\n", "flits: 1\n  multicast_fraction: 1\n"
        ),
        9,
        "traffic.flits: Length must be at least the 2 header flits, not 1",
    ),
    "warm-up": (_random("warmup_cycles: -1"), 9, "traffic.warmup_cycles must be at least 0, not -1"),
    "endless": (
        _random("cycles: 1000000000000"),
        8,
        "traffic.cycles 1000000000000 would be about 4e+10 messages; at most",
    ),
    "nothing starts": (_random("cycles: 1"), 8, "traffic.cycles must be so long that a message starts, not 1"),
    "software": (
        _random("software: quantum"),
        9,
        "traffic.software must be 'binomial' or 'separate' in this network, not 'quantum'",
    ),
    "software that is no name": (_random("software: 4"), 9, "traffic.software must be text, not 4"),
    "software by nearly its name": (
        _random("software: binomal"),
        9,
        "traffic.software must be 'binomial' or 'separate' in this network, not 'binomal'; did you mean 'binomial'?",
    ),
    "software of multistage networks": (
        _random("software: umin"),
        9,
        "traffic.software must be 'binomial' or 'separate' in this network, not 'umin'",
    ),
    "software of the other multistage networks": (
        _random("software: cmin", "network:\n  family: min\n  topology: {kind: bi-butterfly, radix: 2, stages: 2}\n"),
        9,
        "traffic.software must be 'binomial', 'separate' or 'umin' in this network, not 'cmin'",
    ),
    "tables": (
        NETWORK + "  tables: soft\n",
        4,
        "network.tables must be 'fixed' or 'loadable', not 'soft'",
    ),
    "one processor": (
        _random("seed: 1", _topology("{kind: mesh, shape: [1]}")),
        4,
        "random traffic needs at least 2 processors; this network has 1",
    ),
    "no messages": (
        NETWORK + "traffic: {kind: list, messages: []}\n",
        4,
        "traffic.messages must be a list of at least 1",
    ),
    "message key": (
        _listed("{sorce: 0, source: 0, destinations: [1], flits: 8}"),
        8,
        "unknown key 'sorce' in traffic.mess",
    ),
    "no length": (_listed("{source: 0, destinations: [1]}"), 8, "key 'flits' is missing in traffic.messages[1]"),
    "unknown destination": (
        _listed("{source: 0, destinations: [1, 4], flits: 8}"),
        8,
        "traffic.messages[1]: destinations must be processors, 0 to 3, not 4",
    ),
    "unknown source": (
        _listed("{source: -1, destinations: [1], flits: 8}"),
        8,
        "traffic.messages[1]: source must be a processor, 0 to 3, not -1",
    ),
    "only the source": (
        _listed("{source: 2, destinations: [2], flits: 8}"),
        8,
        "traffic.messages[1]: destinations must be other processors than the source, not 2",
    ),
    "the source among others": (
        _listed("{source: 2, destinations: [0, 2], flits: 8}"),
        8,
        "traffic.messages[1]: destinations must be other processors than the source, not 2",
    ),
    "a destination twice": (
        _listed("{source: 2, destinations: [0, 1, 0], flits: 8}"),
        8,
        "traffic.messages[1]: destinations must be different processors, not 0 twice",
    ),
    "warm-up longer than the run": (
        NETWORK
        + "traffic: {kind: random, cycles: 500, messages_per_node_per_cycle: 0.1, flits: 8, warmup_cycles: 500}\n",
        4,
        "traffic.warmup_cycles must be at most ",
    ),
    "warm-up longer than a list": (
        _listed("{source: 2, destinations: [0], flits: 8, start_cycle: 40}") + "  warmup_cycles: 41\n",
        9,
        "traffic.warmup_cycles must be at most 40, the start of the last message, not 41: nothing would be left",
    ),
    "no flit": (
        _listed("{source: 2, destinations: [1], flits: 0}"),
        8,
        "traffic.messages[1].flits must be at least 1, not 0",
    ),
    "early": (
        _listed("{source: 2, destinations: [1], flits: 8, start_cycle: -5}"),
        8,
        "traffic.messages[1].start_cycle must",
    ),
    "no trace": (NETWORK + "traffic: {kind: trace, file: no.csv}\n", 4, "cannot read trace 'no.csv': no such file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_configuration_is_told_in_one_line(case, tmp_path, capsys):
    text, line, message = WRONG[case]
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {path}:{line}: {message}"), err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_table_is_long_enough():
    assert len(WRONG) >= 25


FILES = {
    "edge list": ("n.edges", "0 1\n1 1\n", 2, "Link 1 - 1 is a loop"),
    "graphml": ("n.graphml", "<graphml>\n<graph>\n</graphml>\n", 3, "The file is not well-formed XML: mismatched tag"),
    "anynet": (
        "n.anynet",
        "router 0 node 0 router 1\nrouter 1 node 1 router 0 77\n",
        2,
        "The latency of link router 1",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_an_error_in_a_network_file_names_that_file(case, tmp_path, capsys):
    name, text, line, message = FILES[case]
    (tmp_path / name).write_text(text)
    (tmp_path / "bad.yaml").write_text(_topology(f"{{file: {name}}}"))
    assert run(["check", str(tmp_path / "bad.yaml")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / name}:{line}: {message}")


TRACES = {
    "few fields": ("cycle,source,destinations,flits\n0,0,1\n", 2, "A line must have the 4 fields"),
    "word": ("0,zero,1,8\n", 1, "Field source must be a whole number, not 'zero'"),
    "processor": ("0,0,1,8\n\n5,0,1 9,8\n", 3, "Destination must be a processor, 0 to 3, not 9"),
    "source only": ("0,3,3,8\n", 1, "destinations must be other processors than the source, not 3"),
    "length": ("0,3,1,0\n", 1, "Length must be at least the 1 header flits, not 0"),
    "start": ("-4,3,1,8\n", 1, "Start cycle must be at least 0, not -4"),
    "nothing": ("# empty\n", 1, "the trace has no messages"),
}


@pytest.mark.parametrize("software", [False, True])
@pytest.mark.parametrize("case", TRACES)
def test_an_error_in_a_trace_names_the_trace(case, software, tmp_path, capsys):
    text, line, message = TRACES[case]
    (tmp_path / "t.csv").write_text(text)
    extra = ", software: binomial" if software else ""
    (tmp_path / "bad.yaml").write_text(f"{NETWORK}traffic: {{kind: trace, file: t.csv{extra}}}\n")
    assert run(["model", str(tmp_path / "bad.yaml"), "-o", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {tmp_path / 't.csv'}:{line}: {message}"), err


ARGUMENTS = {
    "no file": (
        ["check", "missing.yaml"],
        "error: missing.yaml: cannot read the configuration: no such file or directory",
    ),
    "folder": (["check", "."], "error: .: cannot read the configuration: is a directory"),
    "no verb": (["chekc", "x.yaml"], "error: No such command 'chekc'"),
    "no option": (["check", "x.yaml", "--fast"], "error: No such option"),
    "no argument": (["model"], "error: Missing argument 'CONFIG'"),
    "no figure": (
        ["reproduce", "spam-fig9"],
        "error: Invalid value: there is no figure 'spam-fig9'; did you mean 'spam-fig",
    ),
    "near figures": (
        ["reproduce", "spam-fig"],
        "error: Invalid value: there is no figure 'spam-fig'; did you mean 'spam-fig2' or 'spam-fig3'? (see",
    ),
    "folder without a name": (
        ["draw", "x.yaml", "-o", ""],
        "error: Invalid value for '-o' / '--output': a file or folder must have a name, not ''; the current folder is",
    ),
    "configuration without a name": (
        ["check", ""],
        "error: Invalid value for 'CONFIG': a file or folder must have a name, not ''",
    ),
    "no simulator": (
        ["compare", "x.yaml", "--sim", "modelsim"],
        "error: Invalid value for '--sim': 'modelsim' is not one",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_bad_arguments_are_told_in_one_line(case, capsys):
    arguments, message = ARGUMENTS[case]
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message), err
    assert err.count("\n") == 1


def test_a_configuration_that_is_not_text_is_refused(tmp_path, capsys):
    (tmp_path / "bad.yaml").write_bytes(b"network:\n  \xff\n")
    assert run(["check", str(tmp_path / "bad.yaml")]) == 2
    assert "bad.yaml:2: A configuration must be UTF-8 text" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, capsys):
    (tmp_path / "good.yaml").write_text(NETWORK)
    (tmp_path / "taken").write_text("a file")
    assert run(["draw", str(tmp_path / "good.yaml"), "-o", str(tmp_path / "taken")]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path / 'taken'}: cannot write results: file exists\n"


def test_a_top_module_needs_a_verilog_name(tmp_path, capsys):
    (tmp_path / "good.yaml").write_text(NETWORK)
    assert run(["verilog", str(tmp_path / "good.yaml"), "--top", "1x", "-o", str(tmp_path / "out")]) == 2
    assert "the top module must have a Verilog identifier as name, not '1x'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
