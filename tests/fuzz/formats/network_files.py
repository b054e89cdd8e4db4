"""Networks in files: GraphML, BookSim2's anynet, edge lists."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.fuzz.case import CONFIGURATION, Case, Format
from tests.fuzz.mutations import damaged, miswritten, odd_text

Links = list[tuple[int, int]]


def network_cases(contents: SearchStrategy[bytes], names: tuple[str, ...]) -> SearchStrategy[Case]:
    """Cases in which a configuration names a network file with such a content."""
    return st.builds(_case, contents, st.sampled_from(names))


def _case(content: bytes, name: str) -> Case:
    text = f"network:\n  family: spam\n  topology: {{file: {name}}}\n"
    return Case({CONFIGURATION: text.encode(), name: content}, ("check", CONFIGURATION))


@st.composite
def links(draw: DrawFn) -> tuple[int, Links]:
    """Number of switches, and links that connect them all."""
    switches = draw(st.integers(1, 6))
    tree = [(draw(st.integers(0, switch - 1)), switch) for switch in range(1, switches)]
    further = draw(st.lists(st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1)), max_size=3))
    return switches, tree + [link for link in further if link[0] != link[1]]


@st.composite
def networks(draw: DrawFn) -> str:
    """A network, each link at one of its ends or at both, with a latency or without."""
    switches, edges = draw(links())
    step = draw(st.sampled_from((1, 1, 7)))
    lines = [f"router {switch * step} node {switch}" for switch in range(switches)]
    for a, b in edges:
        for one, other in ((a, b), (b, a)) if draw(st.booleans()) else ((a, b),):
            latency = draw(st.sampled_from(("", "", " 1", " 3")))
            lines.append(f"router {one * step} router {other * step}{latency}")
    return "\n".join([*lines, draw(st.sampled_from(("", "# end", "\t")))])


SAMPLE = (Path(__file__).parents[3] / "examples" / "cluster.anynet").read_bytes()
contents = st.one_of(
    miswritten(networks()), miswritten(networks()), damaged(st.just(SAMPLE) | networks().map(str.encode))
)
FORMAT = Format("anynet", network_cases(contents, ("a.anynet",)), about=("a.anynet:", f"{CONFIGURATION}:"))


@st.composite
def edge_list_networks(draw: DrawFn) -> str:
    """A network, with its nodes declared or not."""
    switches, edges = draw(links())
    prefix = draw(st.sampled_from(("", "s", "switch")))
    names = [f"{prefix}{switch}" for switch in range(switches)]
    lines = [f"switch {name}" for name in names] if draw(st.booleans()) else []
    lines += [f"processor p{number} {names[0]}" for number in range(draw(st.integers(0, 2)))]
    lines += ["processor q", f"q {names[-1]}"] if draw(st.booleans()) else []
    lines += [f"{names[a]} {names[b]}" for a, b in dict.fromkeys(edges)]
    return "\n".join(["# made at random", *lines, ""])


edge_list_contents = st.one_of(
    miswritten(edge_list_networks()), miswritten(edge_list_networks()), damaged(edge_list_networks().map(str.encode))
)
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


@st.composite
def graphml_networks(draw: DrawFn) -> str:
    """A network as GraphML."""
    switches, edges = draw(links())
    counts = draw(st.booleans())
    nodes = [f'<node id="n{number}">{_data(draw, counts)}</node>' for number in range(switches)]
    if not counts and draw(st.booleans()):
        nodes.append('<node id="p"><data key="kind">processor</data></node>')
        edges = [*edges, (0, switches)]
    lines = [f'<edge source="{_name(a, switches)}" target="{_name(b, switches)}"/>' for a, b in edges]
    graph = f'<graph edgedefault="{draw(st.sampled_from(("undirected", "directed")))}">'
    return HEAD + KEYS + "\n".join([graph, *nodes, *lines, "</graph>", "</graphml>", ""])


def _name(number: int, switches: int) -> str:
    return f"n{number}" if number < switches else "p"


def _data(draw: DrawFn, counts: bool) -> str:
    text = f'<data key="processors">{draw(st.integers(0, 3))}</data>' if counts else ""
    if draw(st.booleans()):
        text += "".join(f'<data key="{key}">{draw(st.integers(-9, 9)) / 2}</data>' for key in "xy")
    return text


@st.composite
def declared(draw: DrawFn) -> bytes:
    """A network under another declaration of its encoding."""
    name = draw(st.sampled_from(ENCODINGS))
    return draw(graphml_networks()).replace("UTF-8", name).encode()


@st.composite
def odd_attributes(draw: DrawFn) -> bytes:
    """A small network with an odd text in one place, escaped as XML requires."""
    text = draw(odd_text).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    place = draw(
        st.sampled_from(
            (
                '<node id="{}"/><node id="b"/><edge source="{}" target="b"/>',
                '<node id="a"><data key="kind">{}</data></node>',
                '<node id="a"><data key="processors">{}</data></node>',
                '<node id="a"><data key="x">{}</data><data key="y">0</data></node>',
                '<node id="a"/><edge source="a" target="{}"/>',
            )
        )
    )
    return f"{HEAD}<graph>{place.replace('{}', text)}</graph></graphml>".encode()


GRAPHML_SAMPLE = (Path(__file__).parents[3] / "examples" / "campus.graphml").read_bytes()
graphml_contents = st.one_of(
    miswritten(graphml_networks()),
    miswritten(graphml_networks()),
    odd_attributes(),
    declared(),
    miswritten(st.sampled_from(TRAPS)),
    damaged(st.just(GRAPHML_SAMPLE) | graphml_networks().map(str.encode)),
)
GRAPHML_FORMAT = Format(
    "graphml",
    network_cases(graphml_contents, ("a.graphml", "a.xml")),
    about=("a.graphml:", "a.xml:", f"{CONFIGURATION}:"),
)
