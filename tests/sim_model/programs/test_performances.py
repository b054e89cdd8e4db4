"""Collective operations as dependent messages, worked by hand."""

from sim_model.programs.performances import Collective, perform


def records_of(*collectives, processors=8, channels=2):
    found = perform(collectives, processors, lambda nodes: 1 + (len(nodes) > 1), channels)
    return found, [
        (m.source, m.destinations, m.flits, dict(zip(m.parents, m.delays, strict=True))) for m in found.records
    ]


def test_a_member_sends_on_what_it_has_received():
    _, records = records_of(Collective("broadcast", "binomial", (5, 2, 7, 0), flits=6, root=2))
    assert records == [
        (7, (5,), 7, {}),
        (7, (0,), 7, {}),
        (5, (2,), 7, {0: 0}),
    ]


def test_hosts_with_one_channel_send_in_turn():
    broadcast = Collective("broadcast", "binomial", (0, 1, 2, 3), flits=6)
    assert [parents for *_, parents in records_of(broadcast, channels=1)[1]] == [{}, {0: 0}, {0: 0}]
    scatter = Collective("scatter", "linear", (0, 1, 2, 3), flits=8)
    assert [parents for *_, parents in records_of(scatter, channels=1)[1]] == [{}, {0: 0}, {1: 0}]
    assert [parents for *_, parents in records_of(scatter)[1]] == [{}, {}, {}]


def test_a_host_combines_one_vector_after_the_other():
    found, records = records_of(
        Collective("reduce", "linear", (0, 1, 2), flits=8, compute_cycles_per_flit=0.5, times=2),
    )
    first, second = found.performances
    assert records[:2] == [(1, (0,), 9, {}), (2, (0,), 9, {})]
    assert first.delays == {(0, 0): 8, (1, 0): 4}
    assert [len(one.messages) for one in found.performances] == [2, 2]
    assert records[2:] == [(1, (0,), 9, {0: 0}), (2, (0,), 9, {1: 0})]
    assert second.delays == {(2, 0): 8, (3, 0): 4}


def test_a_sum_is_sent_on_when_it_is_there():
    _, records = records_of(Collective("reduce", "binomial", (0, 1, 2, 3), flits=4, compute_cycles_per_flit=2.0))
    assert records == [(1, (0,), 5, {}), (3, (2,), 5, {}), (2, (0,), 5, {1: 8})]


def test_a_member_begins_when_its_previous_operation_has_ended_there():
    pair, others = Collective("broadcast", "binomial", (0, 1), flits=2), Collective("broadcast", "linear", (2, 3))
    others = Collective("broadcast", "binomial", (2, 3), flits=2)
    both = Collective("broadcast", "binomial", (1, 2), flits=2)
    _, records = records_of(pair, others, both, pair)
    assert [parents for *_, parents in records] == [{}, {}, {0: 0}, {0: 0}]


def test_long_transfers_are_several_messages():
    found, records = records_of(Collective("broadcast", "binomial", (0, 1, 2), flits=10, longest=4))
    sent = [(source, to, flits) for source, to, flits, _ in records]
    assert sent == [(0, (2,), 5), (0, (2,), 5), (0, (2,), 3), (0, (1,), 5), (0, (1,), 5), (0, (1,), 3)]
    assert found.performances[0].messages == [0, 1, 2, 3, 4, 5]
    _, records = records_of(Collective("barrier", "dissemination", (0, 1), longest=4))
    assert [flits for _, _, flits, _ in records] == [1, 1]


def test_a_multicast_is_one_message():
    _, records = records_of(Collective("barrier", "binomial-multicast", (0, 1, 2), root=1))
    assert [(source, to) for source, to, *_ in records] == [(2, (1,)), (0, (1,)), (1, (0, 2))]
    assert records[-1][3] == {0: 0, 1: 0}
    assert found_by_number(records_of(Collective("barrier", "dissemination", (0, 1)))[0]) == [0, 0]


def found_by_number(found):
    return [found.performance_of(number).collective for number in range(len(found.records))]


def test_dependencies_do_not_grow_with_the_operations_before():
    """Each later send of a member waits for its earlier one in place of all that came before."""
    ring = Collective("all-reduce", "ring", tuple(range(8)), flits=64, times=5)
    found, _ = records_of(ring)
    assert max(len(record.parents) for record in found.records) <= 4
