"""Functions from outside that a configuration names: invalid names, and functions that fail in every way."""

from hypothesis import strategies as st

from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.mutations import odd_text

FILE = "mine.py"
PATTERN = """network:
  family: spam
  topology: {kind: mesh, shape: [2, 2]}
traffic: {kind: random, cycles: 100, messages_per_node_per_cycle: 0.02, flits: 6, pattern: NAME}
"""
TOPOLOGY = "network: {family: spam, topology: {kind: NAME, size: 3}}\n"
ROUTING = "network: {family: FAMILY, topology: {TOPOLOGY}, routing: NAME}\n"
TEMPLATES = (
    *(PATTERN, PATTERN, TOPOLOGY, TOPOLOGY),
    ROUTING.replace("FAMILY", "spam").replace("TOPOLOGY", "kind: ring, switches: 3"),
    ROUTING.replace("FAMILY", "min").replace("TOPOLOGY", "kind: omega, stages: 2"),
    ROUTING.replace("FAMILY", "torus").replace("TOPOLOGY", "kind: torus, rows: 2, columns: 2"),
    ROUTING.replace("FAMILY", "harts").replace("TOPOLOGY", "kind: hexmesh, size: 2"),
)
VALUES = (
    *("None", "1", "'a'", "[]", "{}", "object()", "float('nan')", "10 ** 400", "1 / 0", "f", "lambda: 0", "(yield)"),
    *("[10 ** 400] * 99", "__import__('missing')", "'\\x1b[2J\\udcff'", "f(*a, **k)", "print('said')", "[None] * 9"),
    *("__import__('sys').exit(3)", "exit()", "open('/missing')", "a[1]", "a[1] * 1.0", "a[1] - 99", "a[1] + 2 ** 62"),
    *("(a[1] + 1) % 4", "a[1] * 0", "a[1][:1]", "a[1].astype('i1')", "a[1].astype('u8') + 2 ** 63", "a[1] == 0"),
    *("a[1].astype('O')", "a[1].astype('S4')", "a[1].reshape(-1, 1)", "a[0]", "a[0].processors", "(a[0], a[1])"),
    *("network(1, [], [0])", "network(3, [(0, 1), (1, 2)], [0, 1, 2])", "network(3, [(0, 1)], [0])"),
    "network(0, [], [])",
    *("network(-1, [], [0])", "network(2, [(0, 0)], [0])", "network(2, [(0, 1)], [9])"),
    "network(2, [('a', 'b')], [0])",
    *(
        "network(2.5, [], [0])",
        "network(None, None, None)",
        "network(2, [(0, 1, 2)], [0])",
    ),
    *("network(2, [(0, 1)], [])", "network(2, [(0, 1)], [0.5])", "network(k['size'], [], [0])", "spam(a[0], a[1])"),
    *(
        "spam(a[0], a[1], 7)",
        "spam(a[0], network(2, [(0, 1)], [0, 1]))",
        "type('R', (), {})()",
    ),
    *("type('R', (), dict(network=a[1], header=1, header_flits=1))()", "spam(a[0], a[1]).routes"),
)
RAISED = (
    *("ValueError('\\x1b[31m')", "KeyError(())", "TopologyError('no')", "TopologyError('no', item=3)", "MemoryError()"),
    *("RecursionError('deep')", "StopIteration()", "Exception('a' * 9999)", "UnicodeDecodeError('a', b'', 0, 1, 'a')"),
    *("OSError(28, 'No space')", "AssertionError()", "SystemExit('told')", "SystemExit(0)", "Exception('a\\nb')"),
    "Odd()",
)
HEAD = """from topology.common.errors import TopologyError
from topology.common.graph import Network as network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
class Odd(Exception):
    def __str__(self):
        raise ValueError('no text')
def spam(section, network, root=None):
    return SpamRouting(SpamLabels(network, root), section.flit_bits)
"""
BODIES = (
    *(f"def f(*a, **k):\n    return {value}\n" for value in VALUES),
    *(f"def f(*a, **k):\n    raise {error}\n" for error in RAISED),
)
FILES = (
    *("f = 1\n", "def f(a): return 1\n", "def f(size=1): return 1\n", "def f(a, b, c, d): return 1\n"),
    "import missing\n",
    *("def f(:\n", "raise SystemExit(4)\n", "raise ValueError\n", "f = len\n", "f = dict\n", "class f: pass\n", ""),
    "\x00",
    *("# coding: missing\n", "\ufeffdef f(): return 1\n", "f = type('T', (), {'__call__': 1})()\n", "f = print\n"),
    *("def __getattr__(name): raise ValueError(name)\n", "import sys; sys.modules[__name__] = None\n", "(" * 300),
)
NAMES = (
    *("mine.py:f", "mine.py:g", "mine.py:", ":f", "mine:f", "a.b.c:d", "..:f", ".:f", ".a:f", "mine.py:f:f"),
    "os:getcwd",
    *("json:loads", "math:pi", "/:f", "results:f", ".py:f", "missing.py:f", "./mine.py:f", "../x.py:f"),
    "mine.py:__doc__",
    *("mine.py:__class__", "results.py:f", "network.yaml.py:f", "builtins:len", "numpy:zeros", "os.path:join"),
    "a..b:c",
)


def _case(template: str, name: str, source: str) -> Case:
    quoted = '"' + "".join(f"\\U{ord(letter):08x}" for letter in name) + '"'
    text = template.replace("NAME", quoted)
    command = ("model", CONFIGURATION, "-o", RESULTS) if "traffic" in text else ("check", CONFIGURATION)
    return Case({CONFIGURATION: text.encode(), FILE: source.encode("utf-8", "surrogatepass")}, command)


names = st.one_of(
    st.just(NAMES[0]),
    st.just(NAMES[0]),
    st.just(NAMES[0]),
    st.sampled_from(NAMES),
    odd_text,
    odd_text.map(lambda text: f"{text}:f"),
    odd_text.map(lambda text: f"mine.py:{text}"),
    odd_text.map(lambda text: f"{text}.py:f"),
)
sources = st.one_of(st.sampled_from(BODIES).map(HEAD.__add__), st.sampled_from(FILES))
RIGHT = (
    *((PATTERN, value) for value in ("(a[1] + 1) % 4", "a[1] * 0 + 1", "[0] * len(a[1])", "3 - a[1]")),
    *(
        (TOPOLOGY, f"network({text})")
        for text in ("1, [], [0]", "3, [(0, 1), (1, 2)], [0, 1, 2]", "2, [(0, 1)], [0] * k['size']")
    ),
    *((TEMPLATES[4], f"spam(a[0], a[1], {root})") for root in range(3)),
)
right = st.sampled_from(RIGHT).map(
    lambda pair: _case(pair[0], NAMES[0], f"{HEAD}def f(*a, **k):\n    return {pair[1]}\n")
)
FORMAT = Format(
    "extensions",
    st.builds(_case, st.sampled_from(TEMPLATES), names, sources) | right,
    about=(f"{CONFIGURATION}:",),
    first=(_case(PATTERN, "mine.py:f", HEAD + "def f(*a, **k):\n    return (a[1] + 1) % 4\n"),),
)
