"""Networks in files: GraphML, BookSim2's anynet, edge lists."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.fuzz.case import CONFIGURATION, Case, Format
from tests.fuzz.mutations import damaged, miswritten, odd_text


def network_cases(contents: SearchStrategy[bytes], names: tuple[str, ...]) -> SearchStrategy[Case]:
    """Cases in which a configuration names a network file with such a content."""
    return st.builds(_case, contents, st.sampled_from(names))


def _case(content: bytes, name: str) -> Case:
    text = f"network:\n  family: spam\n  topology: {{file: {name}}}\n"
    return Case({CONFIGURATION: text.encode(), name: content}, ("check", CONFIGURATION))


EXAMPLES = Path(__file__).parents[3] / "examples"
SAMPLE = (EXAMPLES / "cluster.anynet").read_bytes()
ANYNETS = (
    "router 0 node 0 router 1\nrouter 1 node 1 router 0 3\n",
    "router 0 router 7 1\nrouter 7 node 0 node 1 router 14\nrouter 14 node 2\n# end",
    "router 0 node 0\n\trouter 0 node 1",
)
contents = miswritten(st.sampled_from((*ANYNETS, SAMPLE.decode()))) | damaged(st.just(SAMPLE))
FORMAT = Format("anynet", network_cases(contents, ("a.anynet",)), about=("a.anynet:", f"{CONFIGURATION}:"))

EDGES = (
    "# a comment\nswitch a\nswitch b\nprocessor p0 a\na b\n",
    "0 1\n1 2\nprocessor q\nq 2\n",
    "switch0 switch1\nswitch1 switch2\nswitch2 switch0\n",
)
edge_list_contents = miswritten(st.sampled_from(EDGES)) | damaged(st.sampled_from(EDGES).map(str.encode))
NAMES = ("a.edges", "a.edgelist", "a.txt")
EDGE_LIST_FORMAT = Format(
    "edge lists", network_cases(edge_list_contents, NAMES), about=(*(f"{name}:" for name in NAMES), f"{CONFIGURATION}:")
)


HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
KEYS = "".join(
    f'<key id="{name}" for="node" attr.name="{name}" attr.type="string"/>\n'
    for name in ("kind", "processors", "x", "y")
)
LAUGHS = "".join(f'<!ENTITY a{level + 1} "{f"&a{level};" * 10}">\n' for level in range(9))
TRAPS = (
    f'<!DOCTYPE g [<!ENTITY a0 "ha">\n{LAUGHS}]>\n<graphml><graph><node id="&a9;"/></graph></graphml>',
    '<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml><graph><node id="a">&a;</node></graph></graphml>',
    '<!DOCTYPE g SYSTEM "http://localhost/g.dtd"><graphml><graph><node id="a"/></graph></graphml>',
    '<!DOCTYPE g [<!ENTITY % a "<!ENTITY b \'c\'>"> %a;]><graphml><graph><node id="&b;"/></graph></graphml>',
    "<graphml>" + "<graph>" * 3 + "</graph>" * 3 + "</graphml>",
    "<a>" * 5000 + "</a>" * 5000,
    "<graphml><graph>" + "<node id='a'>" * 2000 + "</node>" * 2000 + "</graph></graphml>",
    "<graphml><graph>" + '<data key="x">1</data>' * 3 + "</graph></graphml>",
    '<graphml><graph><node id="a"><data key="processors">1000000000</data></node></graph></graphml>',
    '<graphml><graph><node id="a"/><edge source="a" target="a"><data><node id="b"/></data></edge></graph></graphml>',
)
ENCODINGS = (
    *("utf-16", "latin-1", "utf-7", "utf-8-sig", "ascii", "cp037", "zlib_codec", "idna", "rot13", "missing", ""),
    "big5",
    *("\u00e9", "undefined", "hex", "shift_jis", "unicode_escape", "punycode", "mbcs", "a" * 300),
)


PLACED = '<node id="a"><data key="x">-1.5</data><data key="y">2</data></node>'
EDGE = '<edge source="a" target="b"/>'
GRAPHS = tuple(
    f'{HEAD}{KEYS}<graph edgedefault="{edges}">\n{nodes}\n</graph>\n</graphml>\n'
    for edges, nodes in (
        ("undirected", '<node id="n0"><data key="processors">3</data></node>'),
        ("directed", f'<node id="a"/>\n<node id="b"><data key="kind">processor</data></node>\n{EDGE}'),
        ("undirected", f'{PLACED}\n<node id="b"/>\n{EDGE}'),
    )
)
DECLARED = tuple(GRAPHS[0].replace("UTF-8", name) for name in ENCODINGS)


PLACES = (
    '<node id="{}"/><node id="b"/><edge source="{}" target="b"/>',
    *(f'<node id="a"><data key="{key}">{{}}</data></node>' for key in ("kind", "processors")),
    '<node id="a"><data key="x">{}</data><data key="y">0</data></node>',
    '<node id="a"/><edge source="a" target="{}"/>',
)


@st.composite
def odd_attributes(draw: DrawFn) -> bytes:
    """A small network with an odd text in one place, escaped as XML requires."""
    text = draw(odd_text).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    place = draw(st.sampled_from(PLACES))
    return f"{HEAD}<graph>{place.replace('{}', text)}</graph></graphml>".encode()


GRAPHML_SAMPLE = (EXAMPLES / "campus.graphml").read_bytes()
graphml_contents = st.one_of(
    miswritten(st.sampled_from(GRAPHS)),
    odd_attributes(),
    st.sampled_from(DECLARED).map(str.encode),
    miswritten(st.sampled_from(TRAPS)),
    damaged(st.just(GRAPHML_SAMPLE) | st.sampled_from(GRAPHS).map(str.encode)),
)
GRAPHML_FORMAT = Format(
    "graphml",
    network_cases(graphml_contents, ("a.graphml", "a.xml")),
    about=("a.graphml:", "a.xml:", f"{CONFIGURATION}:"),
)
