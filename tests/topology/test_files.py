"""Network files: their meaning, and one clear error with its line for each possible mistake."""

from typing import Any

import networkx as nx
import pytest

from tests.each import each
from topology.common.errors import FileRemark, TopologyError
from topology.common.files import read_network
from topology.common.graph import Network
from topology.common.link_stages import LinkStages
from topology.common.named_graph import LinkRules

LENGTH = "it must be a whole number of cycles, 1 to 16"
LATENCY = "The latency of link router 0 - router 1 is '"


def _read(tmp_path, name: str, text: str, **options: Any) -> Network:
    path = tmp_path / name
    path.write_text(text)
    return read_network(path, **options)


def _graphml(body: str) -> str:
    """A GraphML file whose body starts on line 7."""
    keys = "".join(f'<key id="{key}" for="node" attr.name="{key}"/>\n' for key in ("kind", "processors", "x", "y"))
    return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{keys}<graph>\n{body}\n</graph>\n</graphml>\n'


def test_edge_list_numbers_whole_numbers_in_their_order(tmp_path):
    network = _read(tmp_path, "a.edges", "# a triangle\n10 2\n2 7  # comment\n\n7 10\n")
    assert network.switch_names == ("2", "7", "10")
    assert network.edges == ((0, 1), (0, 2), (1, 2))
    assert network.processors == (0, 1, 2)


def test_edge_list_numbers_words_by_appearance(tmp_path):
    assert _read(tmp_path, "a.txt", "hall lab\nlab attic\n").switch_names == ("hall", "lab", "attic")


def test_edge_list_takes_declarations_in_their_order(tmp_path):
    text = "switch b\nswitch a\nprocessor p a\nprocessor q\na b\nq b\nprocessor r a\n"
    network = _read(tmp_path, "a.edgelist", text)
    assert network.switch_names == ("b", "a")
    assert network.processors == (1, 0, 1)


def test_one_switch_is_a_network(tmp_path):
    assert _read(tmp_path, "a.edges", "processor p s\nprocessor q s\n").processors == (0, 0)


def test_anynet_reads_booksims_own_example(tmp_path):
    text = (
        "router 0 node 0 node 1 node 2 router 1\nrouter 1 node 3 node 4 node 5\n"
        "router 2 node 6 node 7 node 8 router 1 router 0\n"
    )
    network = _read(tmp_path, "a.anynet", text)
    assert network.edges == ((0, 1), (0, 2), (1, 2))
    assert network.processors == (0, 0, 0, 1, 1, 1, 2, 2, 2)


def test_anynet_takes_links_from_both_ends_and_sparse_numbers(tmp_path):
    text = "router 4 node 9 1 router 30 1\nrouter 30 router 4 node 2\nnode 5 router 30\n"
    network = _read(tmp_path, "a.anynet", text)
    assert network.switch_names == ("4", "30")
    assert network.processors == (1, 1, 0)  # nodes 2, 5, 9


def test_anynet_latencies_are_those_of_one_direction(tmp_path):
    """BookSim's README: the channel back is a cycle long unless its own line has another latency."""
    text = (
        "router 0 node 0 1 router 1 5 router 2\nrouter 1 node 1 router 2 3 router 0\n"
        "router 2 node 2 router 1 3 router 1\n"
    )
    network = _read(tmp_path, "a.anynet", text)
    given = {network.channels[c].name: cycles for c, cycles in network.channel_cycles.items()}
    assert given == {"0->1": 5, "1->2": 3, "2->1": 3}
    stages = LinkStages(network)
    assert {network.channels[c].name: stages.stages_of(c) for c in stages.channels} == {"0->1": 4, "1->2": 2, "2->1": 2}


def test_graphml_takes_processors_as_nodes_or_as_counts(tmp_path):
    body = """<node id="a"><data key="processors">2</data><data key="x">1.5</data><data key="y">2</data></node>
    <node id="p"><data key="kind">processor</data></node>
    <node id="b"><data key="x">0</data><data key="y">-1</data></node>
    <edge source="a" target="b"/><edge source="p" target="b"/>"""
    network = _read(tmp_path, "a.graphml", _graphml(body))
    assert network.switch_names == ("a", "b")
    assert network.processors == (0, 0, 1)
    assert network.positions is not None
    assert network.positions.tolist() == [[1.5, 2.0], [0.0, -1.0]]


@pytest.mark.parametrize("directed", [False, True])
def test_graphml_reads_what_networkx_writes(tmp_path, directed):
    graph = nx.petersen_graph()
    if directed:
        graph = graph.to_directed()
    nx.set_node_attributes(graph, 2, "processors")
    nx.write_graphml(graph, tmp_path / "a.graphml")
    network = read_network(tmp_path / "a.graphml")
    assert nx.is_isomorphic(network.switch_graph, nx.petersen_graph())
    assert len(network.processors) == 20


def test_graphml_keys_have_defaults(tmp_path):
    text = """<graphml><key id="d0" for="node" attr.name="processors"><default>3</default></key>
    <graph><node id="a"/><node id="b"><data key="d0">1</data></node><edge source="a" target="b"/></graph></graphml>"""
    assert _read(tmp_path, "a.xml", text).processors == (0, 0, 0, 1)


def test_the_default_of_a_key_is_not_its_description(tmp_path):
    text = """<graphml><key id="d0" for="node" attr.name="processors"><desc>machines in the rack</desc>
    <default>1</default></key><graph><node id="a"><desc>9</desc><data key="d0">4</data></node><node id="b"/>
    <edge source="a" target="b"/></graph></graphml>"""
    assert _read(tmp_path, "a.graphml", text).processors == (0, 0, 0, 0, 1)


def _edges(body: str, kind: str = "undirected") -> str:
    """A GraphML file of three switches whose edges start on line 3."""
    keys = "".join(f'<key id="{key}" for="edge" attr.name="{key}"/>' for key in ("latency", "cycles", "LinkSpeed"))
    nodes = "".join(f'<node id="{name}"/>' for name in "abc")
    return f'<graphml>{keys}\n<graph edgedefault="{kind}">{nodes}\n{body}\n</graph></graphml>'


def _edge(source: str, target: str, extra: str = "", **data: str) -> str:
    inside = "".join(f'<data key="{key}">{value}</data>' for key, value in data.items())
    return f'<edge source="{source}" target="{target}" {extra}>{inside}</edge>'


def _lengths(network: Network) -> dict[str, int]:
    return {network.channels[channel].name: cycles for channel, cycles in network.channel_cycles.items()}


def test_graphml_latencies_are_cycles_of_links(tmp_path):
    edges = _edge("a", "b", latency="4") + _edge("a", "c", cycles="2.0") + _edge("b", "c")
    network = _read(tmp_path, "a.graphml", _edges(edges))
    assert _lengths(network) == {"a->b": 4, "b->a": 4, "a->c": 2, "c->a": 2}
    edges = _edge("a", "b", latency="4") + _edge("b", "a", latency="3") + _edge("b", "c") + _edge("c", "b", cycles="2")
    assert _lengths(_read(tmp_path, "b.graphml", _edges(edges, "directed"))) == {"a->b": 4, "b->a": 3, "c->b": 2}


def test_two_directed_edges_are_one_link_in_an_undirected_graph_too(tmp_path):
    one_way = 'directed="true"'
    edges = _edge("a", "b", one_way) + _edge("b", "a", one_way) + _edge("b", "c")
    assert _read(tmp_path, "a.graphml", _edges(edges)).edges == ((0, 1), (1, 2))
    edges = _edge("a", "b", 'directed="false"') + _edge("b", "c") + _edge("c", "b")
    assert _read(tmp_path, "b.graphml", _edges(edges, "directed")).edges == ((0, 1), (1, 2))


def test_one_way_links_lead_both_ways_if_the_rules_say_so(tmp_path):
    edges = _edge("a", "b") + _edge("b", "a") + _edge("b", "c", latency="3")
    network = _read(tmp_path, "a.graphml", _edges(edges, "directed"), rules=LinkRules(one_way_links="both"))
    assert network.edges == ((0, 1), (1, 2))
    assert _lengths(network) == {"b->c": 3, "c->b": 3}


@pytest.mark.parametrize("name", ["a.edges", "a.graphml"])
def test_parallel_links_are_merged_or_channels_of_their_own(tmp_path, name):
    edges = _edge("a", "b", latency="2") + _edge("b", "a", latency="2") + _edge("b", "c")
    text = _edges(edges) if name == "a.graphml" else "a b\nb a\nb c\n"
    merged = _read(tmp_path, name, text, rules=LinkRules(parallel_links="merge"))
    assert merged.edges == ((0, 1), (1, 2))
    network = _read(tmp_path, name, text, rules=LinkRules(parallel_links="channels"))
    assert network.edges == ((0, 1), (0, 1), (1, 2))
    names = [channel.name for channel in network.channels]
    assert names[:6] == ["a->b", "a->b#2", "a->p0", "b->a", "b->a#2", "b->c"]
    for channel in network.channels:  # the k-th output to a neighbour leads to the k-th input from there
        assert network.input_channel[channel.sink][channel.sink_port] == channel.index
        assert channel.sink_port == network.output_channel[channel.sink].index(_back(network, channel.name))
    if name == "a.graphml":
        assert _lengths(network) == dict.fromkeys(names[:2] + names[3:5], 2)


def _back(network: Network, name: str) -> int:
    """The channel in the other direction of the same link."""
    ends, mark, position = name.partition("#")
    source, sink = ends.split("->")
    return next(channel.index for channel in network.channels if channel.name == f"{sink}->{source}{mark}{position}")


def test_unused_data_of_edges_is_named_once(tmp_path):
    edges = _edge("a", "b", LinkSpeed="10") + _edge("b", "c", LinkSpeed="2.5", colour="red")
    with pytest.warns(FileRemark) as caught:
        _read(tmp_path, "a.graphml", _edges(edges))
    assert [str(one.message) for one in caught] == ["a.graphml: edge data 'LinkSpeed', 'colour' is ignored"]


def test_a_named_format_overrides_the_suffix(tmp_path):
    text = "router 0 node 0 router 1 3\nrouter 1 node 1 router 2\nrouter 2 node 2\n"
    network = _read(tmp_path, "anynet_file", text, format="anynet")
    assert _lengths(network) == {"0->1": 3}
    assert _read(tmp_path, "a.xml", "a b\n", format="edges").edges == ((0, 1),)


NODES = '<node id="a"/>\n<node id="b"/>\n<node id="p"><data key="kind">processor</data></node>\n'

AB, LONG = _edge("a", "b"), _edge("a", "b") + _edge("a", "p", latency="2")
ENTITY = '<!DOCTYPE g [\n<!ENTITY a "aa">]>\n<graphml><graph><node id="&a;"/></graph></graphml>'
COUNT = "it must be a whole number from 0 to 1024"
SUFFIX = "A network file must end in .edges, .edgelist, .txt, .graphml, .xml, .anynet, not "


def _node(**data: str) -> str:
    """A GraphML file of one node."""
    inside = "".join(f'<data key="{key}">{value}</data>' for key, value in data.items())
    return _graphml(f'<node id="a">{inside}</node>')


WRONG = [
    ("a.edges", "a b\na a\n", 2, "Link a - a is a loop; a link must join two different nodes"),
    ("a.edges", "a b\nb a\n", 2, "Link b - a is a duplicate of line 1; each pair of switches may have one link"),
    ("a.edges", "a b\nc d\n", 2, "The network is disconnected: it falls into 2 parts; switch c cannot reach a"),
    ("a.edges", "a b c\n", 1, "A line is 'a b c'; it must be two node names"),
    ("a.edges", "switch a b\n", 1, "A line is 'switch a b'; it must be switch NAME"),
    ("a.edges", "a b\nprocessor\n", 2, "A line is 'processor'; it must be processor NAME or processor NAME SWITCH"),
    ("a.edges", "switch a\nswitch b\na b\na c\n", 4, "Link a - c names unknown node c"),
    ("a.edges", "switch a\nswitch a\n", 2, "Node a is declared twice; it is already on line 1"),
    ("a.edges", "a b\nprocessor p a\np b\n", 3, "Processor p has two links, to a and b; a processor must have exactly"),
    ("a.edges", "a b\nprocessor p\n", 2, "Processor p has no link; a processor must have exactly one"),
    ("a.edges", "processor p a\nprocessor q\np q\n", 3, "Link p - q joins two processors; a processor must hang on a"),
    ("a.edges", "b c\nb p0\n", 2, "Channels have the name 'b->p0' twice: switch b to switch p0, and switch b to"),
    ("a.edges", "# nothing\n", 1, "The file has no switches; a network must have at least 1"),
    ("a.edges", "c a\nc b\nc d\n", 1, "Switch c needs 4 ports; a switch of this network may have at most 3"),
    ("a.anynet", "router 0 node 0 router 1\nrouter 1 node 0\n", 2, "Processor node 0 has two links, to 0 and 1"),
    ("a.anynet", "router 0 node 0 router 1 17\n", 1, f"{LATENCY}17'; it must be a whole number of cycles, 1 to 16"),
    ("a.anynet", "router 0 node 0 router 1 0\n", 1, f"{LATENCY}0'"),
    ("a.anynet", "router 0 node 0 router 1 1.5\n", 1, f"{LATENCY}1.5'"),
    ("a.anynet", "router 0 node 0 2\n", 1, "The latency of link router 0 - node 0 is '2'; it must be 1 or left out"),
    ("a.anynet", "router 0 node 0 router 1 5\nrouter 0 router 1 6\n", 2, "The latency of channel 0->1 is given twice"),
    ("a.anynet", "router 0 5 node 0\n", 1, "'router 0' must be followed by its links, not '5'"),
    ("a.anynet", "router 0 node 0\nswitch 1\n", 2, "A link must start with 'router' or 'node', not 'switch'"),
    ("a.anynet", "router 0 node\n", 1, "'node' must be followed by its number, not the end of the line"),
    ("a.anynet", "router x node 0\n", 1, "'router' must be followed by its number, not 'x'"),
    ("a.anynet", "router 0 router 0\n", 1, "The file has no nodes; a network must have at least 1 node on a router"),
    ("a.anynet", "router 0 router 0 node 1\n", 1, "Link 0 - 0 is a loop"),
    ("a.anynet", "router 0 node 0\nrouter 1 node 1\n", 2, "The network is disconnected"),
    ("a.anynet", "node 0 node 1\n", 1, "Link node 0 - node 1 joins two processors"),
    ("a.graphml", "<graphml><graph>\n<node></graph>", 2, "The file is not well-formed XML: mismatched tag"),
    ("a.graphml", "<graphml/>", 1, "The file must have a GraphML graph; it has none"),
    ("a.graphml", _graphml("") + "junk", 10, "The file is not well-formed XML: junk after document element"),
    ("a.graphml", "<graphml><graph/>\n<graph/></graphml>", 2, "A GraphML file must have one graph; this is the second"),
    ("a.graphml", _graphml("<node/>"), 7, "A GraphML node must have the attribute 'id'"),
    ("a.graphml", _graphml('<node id="a"/><edge source="a"/>'), 7, "A GraphML edge must have the attribute 'target'"),
    ("a.graphml", _graphml(NODES + '<edge source="a" target="z"/>'), 10, "Link a - z names unknown node z"),
    ("a.graphml", _graphml(NODES + '<edge source="a" target="p"/>'), 8, "The network is disconnected"),
    ("a.graphml", _node(kind="hub"), 7, "kind of node a is 'hub'; it must be switch or proc"),
    ("a.graphml", _node(processors="-1"), 7, "processors of node a is '-1'; it must be a"),
    ("a.graphml", _node(processors="0"), 7, "All switches have 0 processors"),
    ("a.graphml", _node(processors="99999999999"), 7, f"processors of node a is '99999999999'; {COUNT}"),
    ("a.graphml", _node(x="w", y="1"), 7, "x of node a is 'w'; it must"),
    ("a.graphml", _node(x="nan", y="1"), 7, "x of node a is 'nan'; it must be a number from -1e+09 to 1e+09"),
    ("a.graphml", _graphml('<node id="a"/>\n<node id="a"/>'), 8, "Node a is declared twice; it is already on line 7"),
    ("a.graphml", ENTITY, 2, "A GraphML file must not define entities; this one defines 'a'"),
    ("a.graphml", _graphml('<node id=" "/>'), 7, "The name of a node is ' '; it must be printable text without"),
    ("a.graphml", _graphml('<node id="a "/>'), 7, "The name of a node is 'a '; it must be printable text without"),
    ("a.graphml", _graphml('<node id=" a"/>'), 7, "The name of a node is ' a'; it must be printable text without"),
    ("a.edges", "a b\n\0 b\n", 2, "The name of a node is '\\x00'; it must be printable text"),
    ("a.anynet", f"router 0 node 0\nrouter {'9' * 5000} node 1\n", 2, "The number of a router must have at most 18"),
    ("a.graphml", _edges(_edge("a", "b", latency="17")), 3, f"latency of edge a - b is '17'; {LENGTH}"),
    ("a.graphml", _edges(_edge("a", "b", latency="1.5")), 3, f"latency of edge a - b is '1.5'; {LENGTH}"),
    (
        "a.graphml",
        _edges(_edge("a", "b", latency="2", cycles="3")),
        3,
        "latency and cycles of edge a - b are '2' and '3'; they must be a",
    ),
    (
        "a.graphml",
        _graphml(NODES + LONG),
        10,
        "latency of edge a - p is '2'; it must be 1 or left out, since processors sit",
    ),
    (
        "a.graphml",
        _edges(f"{AB}\n{AB}", "directed"),
        3,
        "Edge a - b leads one way; each link must have an edge back",
    ),
    (
        "a.graphml",
        _edges(f"{AB}\n{_edge('b', 'a')}"),
        4,
        "Link b - a is a duplicate of line 3; each pair of switches",
    ),
    ("a.graphml", _edges("<hyperedge/>"), 3, "A GraphML hyperedge is no link; each edge must join two nodes"),
    ("anynet_file", "", None, f"{SUFFIX}''; or"),
    ("a.json", "{}", None, f"{SUFFIX}'.json'"),
]


@each("name, text, line, message", WRONG)
def test_what_is_wrong_is_named_with_its_line(tmp_path, name, text, line, message):
    with pytest.raises(TopologyError) as caught:
        _read(tmp_path, name, text, ports=3)
    assert str(caught.value).startswith(message)
    assert caught.value.line == line


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "a.edges").write_bytes(b"a b\n\xff\n")
    with pytest.raises(TopologyError, match="The file must be UTF-8 text; byte 4 is not") as caught:
        read_network(tmp_path / "a.edges")
    assert caught.value.line == 2


def test_names_of_many_digits_are_words(tmp_path):
    long = "9" * 5000
    assert _read(tmp_path, "a.edges", f"{long} 1\n1 0\n").switch_names == (long, "1", "0")


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    (tmp_path / "a.TXT").write_bytes(b"\xef\xbb\xbfhall lab\r\n")
    assert read_network(tmp_path / "a.TXT").switch_names == ("hall", "lab")
