"""GraphML: valid networks, networks with mistakes, and the traps of XML."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.case import CONFIGURATION, Format
from tests.fuzz.formats.network_files import links, network_cases
from tests.fuzz.odd_values import odd_text
from tests.fuzz.word_mutations import miswritten

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
    *(
        "utf-16",
        "latin-1",
        "utf-7",
        "utf-8-sig",
        "ascii",
        "cp037",
        "zlib_codec",
        "idna",
        "rot13",
        "missing",
        "",
        "big5",
    ),
    *("\u00e9", "undefined", "hex", "shift_jis", "unicode_escape", "punycode", "mbcs", "a" * 300),
)


@st.composite
def networks(draw: DrawFn) -> str:
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
    return draw(networks()).replace("UTF-8", name).encode()


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


SAMPLE = (Path(__file__).parents[3] / "examples" / "campus.graphml").read_bytes()
contents = st.one_of(
    miswritten(networks()),
    miswritten(networks()),
    odd_attributes(),
    declared(),
    miswritten(st.sampled_from(TRAPS)),
    damaged(st.just(SAMPLE) | networks().map(str.encode)),
)
FORMAT = Format(
    "graphml",
    network_cases(contents, ("a.graphml", "a.xml")),
    about=("a.graphml:", "a.xml:", f"{CONFIGURATION}:"),
)
