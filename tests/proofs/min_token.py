"""Claims about the token ring of a multistage network, and its contract with the switches."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.min.parameters import MinRouterParameters
from rtl.min.tokens import TokenMonitor, TokenStation
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside, at_most_one
from tests.proofs.selection import reference_turn
from topology.common.flits import HeaderFormat

# Use of the token station by a switch: assumed for the ring, and proved of the switch (tree_operations).


class TokenUse:
    """State of the inputs of one switch with respect to the token, recorded cycle by cycle.

    asking, holding: Inputs that wait for the token, and that have it.
    flits: Flits that the holder has popped.
    releases: It pops the last one to wait for, or the tail, in this cycle.
    """

    def __init__(self, claims: Claims, tree: Any, granted: Any, popped: Any, tail: Any, release_flits: Any, name: str):
        inputs = len(tree)
        self.tree = tree
        self.asking: Any = Signal(inputs, name=f"asking_{name}")
        self.holding: Any = Signal(inputs, name=f"holding_{name}")
        self.flits: Any = Signal(len(release_flits), name=f"flits_{name}")
        pops = claims.named((self.holding & popped).any(), f"pops_{name}")
        ends = (self.holding & popped & tail).any() | (self.flits + 1 == release_flits)
        self.releases: Any = claims.named(pops & ends, f"releases_{name}")
        claims.m.d.sync += [
            self.asking.eq((self.asking | tree) & ~granted),
            self.holding.eq(Mux(self.releases, 0, self.holding) | granted),
            self.flits.eq(Mux(granted.any(), 0, self.flits + pops)),
        ]

    def contract(self) -> Iterator[tuple[str, Any]]:
        """Conditions by name."""
        again = self.tree & (self.asking | self.holding)
        yield (
            "one input requests the token at a time, and none that waits for it or has it",
            (at_most_one(self.tree) & ~again.any()),
        )


def holder_in(inside: Inside, instance: str) -> Any:
    """The register ``holder`` of a station.

    Amaranth finds no name for the first one of two signals that one line of the source makes.
    """
    try:
        return inside.register("holder", instance)
    except KeyError:
        return inside.register("$signal", instance)


# A ring of token stations, joined as min_plan joins them.

# (a part that a proof puts in is not elaborated again)


HEADER = HeaderFormat((("key", 2),), 3, 8)
MAX_RELEASE_FLITS = 3


class TokenRing(Part):
    """Stations, the first of which begins with the token, and their monitor.

    release_flits, tree, popped, tail, granted: See ``TokenStation``.
    token_out, here: See ``TokenStation``.
    lost, duplicated: See ``TokenMonitor``.
    """

    def __init__(self, stations: int, inputs: int):
        self.parameters = MinRouterParameters(inputs, 3, 4, 1, MAX_RELEASE_FLITS, header=HEADER)
        self.stations = stations
        super().__init__(
            f"token_ring_{stations}x{inputs}",
            {
                "release_flits": In(self.parameters.release_bits).array(stations),
                **{name: In(inputs).array(stations) for name in ("tree", "popped", "tail")},
                "granted": Out(inputs).array(stations),
                **{name: Out(stations) for name in ("token_out", "here")},
                **{name: Out(1) for name in ("lost", "duplicated")},
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        ring = range(self.stations)
        stations = [instantiate(m, platform, f"station_{s}", TokenStation(self.parameters)) for s in ring]
        monitor = instantiate(m, platform, "monitor", TokenMonitor([self.stations]))
        for s, station in enumerate(stations):
            for name in ("release_flits", "tree", "popped", "tail"):
                m.d.comb += getattr(station, name).eq(getattr(self, name)[s])
            m.d.comb += [
                station.starts_here.eq(s == 0),
                station.token_in.eq(stations[s - 1].token_out),
                self.granted[s].eq(station.granted),
            ]
        for name in ("token_out", "here"):
            m.d.comb += getattr(self, name).eq(concat(getattr(station, name) for station in stations))
        m.d.comb += [monitor.here.eq(self.here), self.lost.eq(monitor.lost), self.duplicated.eq(monitor.duplicated)]
        return m


# A ring of TokenStation: one token, never idle where it is requested, and no input starves.

WAIT_BOUND = "at most inputs x stations - 1 visits before the grant"


class Station:
    """One station of the ring, seen from outside.

    visits: The token is here and free.
    turn: Input that comes first among those that wait.
    """

    def __init__(self, claims: Claims, ring: Any, s: int, starting: Any):
        m, bits = claims.m, ring.parameters.inputs
        release_flits = ring.release_flits[s]
        claims.never_changes(release_flits)
        claims.assume(release_flits != 0)
        self.tree, self.granted = ring.tree[s], ring.granted[s]
        self.use = TokenUse(claims, self.tree, self.granted, ring.popped[s], ring.tail[s], release_flits, f"at_{s}")
        for _, condition in self.use.contract():
            claims.assume(condition)
        self.left = claims.named(release_flits - self.use.flits, f"flits_left_at_{s}")
        arrives = ring.token_out[s - 1] | (starting if s == 0 else 0)
        self.visits: Any = claims.named(arrives & ~self.use.holding.any(), f"visits_{s}")
        waiting: Any = Signal(bits, name=f"may_be_chosen_at_{s}")
        m.d.comb += waiting.eq(Mux(self.visits, self.use.asking, 0))
        self.turn: Any = reference_turn(claims, waiting, bits)


def token_ring(stations: int, inputs: int) -> Describe:
    """Claims about a ring of some size."""

    def describe(claims: Claims) -> None:
        ring = TokenRing(stations, inputs)
        claims.free_inputs(ring)
        inside = Inside(claims, ring)
        started = claims.named(claims.was(1, "started"), "started")
        going = claims.named(claims.was(started, "going"), "going")  # the token is there from the second cycle on
        starting = claims.named(started & ~going, "in_the_second_cycle")
        around = [Station(claims, ring, s, starting) for s in range(stations)]
        _prove_one_token(claims, ring, around, started, going)
        for s, station in enumerate(around):
            _prove_station(claims, ring, s, station)
            _tie_station(claims, inside, s, station, started, starting)
        _bound_waiting(claims, around, inputs)
        claims.always("the monitor of a sound ring reports nothing", ~ring.lost & ~ring.duplicated)
        settling = inside.register("settling", "monitor")
        waits = settling == Mux(started, starting, 3)
        claims.invariant("the monitor waits for two cycles", waits & (started | ~going))
        last = around[-1]
        claims.possible("a newcomer at the last station gets the token", (last.granted & last.tree).any())
        claims.possible("one of two that wait at the last station gets it", last.use.asking[:2].all() & last.visits)

    return describe


def _prove_one_token(claims: Claims, ring: Any, around: list[Station], started: Any, going: Any) -> None:
    """Tokens on the way to a station and tokens that an input holds."""
    tokens: Any = 0
    for s, station in enumerate(around):
        tokens = tokens + ring.token_out[s] + station.use.holding.any()
    claims.always("there is one token from the third cycle on", tokens == going)
    holding = concat(station.use.holding for station in around)
    granted = concat(station.granted for station in around)
    one = at_most_one(holding) & at_most_one(granted) & ~(holding.any() & granted.any())
    claims.always("one input of the ring at most has the token or gets it", one)
    visited = concat(station.visits for station in around)
    claims.invariant("a token is free or held", (concat((visited, holding)).any() | ~started) & at_most_one(visited))
    claims.invariant("a held token is not free", ~(visited.any() & holding.any()))


def _prove_station(claims: Claims, ring: Any, s: int, station: Station) -> None:
    use, granted = station.use, station.granted
    asks = claims.named(use.asking | station.tree, f"asks_at_{s}")
    claims.always("only requesting inputs get the token", ~(granted & ~asks).any())
    claims.always("the token is given where it is and free", ~granted.any() | station.visits)
    claims.always("a free token is taken at once if there are requests", ~(station.visits & asks.any()) | granted.any())
    claims.always("a waiting input comes before a newcomer", ~use.asking.any() | ~(granted & ~use.asking).any())
    goes_on = claims.was(use.releases | station.visits & ~granted.any(), f"goes_on_from_{s}")
    claims.always("the token goes on when no input takes it or its holder is through", ring.token_out[s] == goes_on)
    is_here = ring.here[s] == ring.token_out[s] | use.holding.any()
    claims.always("here marks the place of the token", is_here)


def _tie_station(claims: Claims, inside: Inside, s: int, station: Station, started: Any, starting: Any) -> None:
    instance, use = f"station_{s}", station.use
    claims.invariant("those that wait are noted", inside.register("seeking", instance) == use.asking)
    claims.invariant("the holder is noted", holder_in(inside, instance) == use.holding)
    claims.invariant("the first cycle is noted", inside.register("after_reset", instance) == ~started)
    claims.invariant("the second cycle is noted", inside.register("starting", instance) == starting)
    held = use.holding.any()
    claims.invariant("flits are counted down", ~held | (inside.register("left", instance) == station.left))
    claims.invariant("a holder has flits to wait for", ~held | (station.left != 0))
    claims.invariant("the holder of the token does not wait", ~(use.asking & use.holding).any())
    later = concat((station.turn != 0) & (station.turn <= i) for i in range(1, len(use.asking)))
    claims.invariant("the mask encodes the turn", inside.register("later", f"{instance}/arbiter") == later)


def _bound_waiting(claims: Claims, around: list[Station], inputs: int) -> None:
    """Stations at which the token was free while any one input waited, this one included."""
    stations = len(around)
    most = inputs * stations - 1
    mine: Any = claims.constant(max(1, (stations - 1).bit_length()), "my_station")
    me: Any = claims.constant((inputs - 1).bit_length(), "me")
    claims.assume((mine < stations) & (me < inputs))
    asking = Array(station.use.asking for station in around)[mine].bit_select(me, 1)
    granted = Array(station.granted for station in around)[mine].bit_select(me, 1)
    asking, granted = claims.named(asking, "i_wait"), claims.named(granted, "i_get_it")
    visits = claims.named(concat(station.visits for station in around).any(), "a_visit")
    waited: Any = Signal(range(most + 3), name="visits_waited_for")
    claims.m.d.sync += waited.eq(Mux(asking & ~granted, waited + (visits & (waited <= most)), 0))
    claims.always(WAIT_BOUND, ~asking | granted | (waited + visits <= most))
    turn = claims.named(Array(station.turn for station in around)[mine], "turn_at_mine")
    before = claims.named(Mux(turn <= me, me - turn, me + inputs - turn), "turns_before_me")[: inputs.bit_length()]
    hops = claims.named(_hops(around, mine), "stations_before_mine")[: stations.bit_length()]
    remaining = before * stations + hops
    claims.invariant("waiting brings the grant nearer", ~asking | (waited + remaining <= most))
    claims.possible("the longest wait", asking & granted & (waited == most))


def _hops(around: list[Station], mine: Any) -> Any:
    """Stations that the free token visits before it reaches the tracked one."""
    stations = len(around)
    following: Any = 0
    for s, station in enumerate(around):
        following = following | Mux(station.visits, s, 0) | Mux(station.use.holding.any(), (s + 1) % stations, 0)
    return Mux(following <= mine, mine - following, mine + stations - following)


# TokenMonitor: it records which rings ever had no token or more than one.

SETTLING_CYCLES = 2
"""After reset no station reports the token for two cycles."""


def token_monitor(*sizes: int, clearable: bool = False) -> Describe:
    """Claims about the monitor of rings of some sizes; the stations' outputs and the clears may have any values."""

    def describe(claims: Claims) -> None:
        monitor: Any = TokenMonitor(sizes, clearable=clearable)
        claims.free_inputs(monitor)
        inside = Inside(claims, monitor)
        cycle: Any = Signal(range(SETTLING_CYCLES + 1), name="cycle")
        claims.m.d.sync += cycle.eq(Mux(cycle == SETTLING_CYCLES, cycle, cycle + 1))
        settled = claims.named(cycle == SETTLING_CYCLES, "settled")
        first = 0
        for ring, size in enumerate(sizes):
            here = claims.named(monitor.here[first : first + size], f"here_in_{ring}")
            lost, duplicated = monitor.lost[ring], monitor.duplicated[ring]
            none, many = ~here.any(), ~at_most_one(here) if size > 1 else 0
            clear = settled & monitor.clear_lost[ring] if clearable else 0
            ever = _ever(claims, settled & none, clear, f"none_{ring}")
            claims.always("lost records that there ever was no token", lost == ever)
            clear = settled & monitor.clear_duplicated[ring] if clearable else 0
            ever = _ever(claims, settled & many, clear, f"many_{ring}")
            claims.always("duplicated records that there ever were several tokens", duplicated == ever)
            first += size
        waits = inside.register("settling") == Mux(cycle == 0, 3, cycle == 1)
        claims.invariant("the first cycles are counted", waits & (cycle <= SETTLING_CYCLES))
        claims.possible("one ring alone has lost its token", (monitor.lost == 1) & ~monitor.duplicated.any())
        large = sum(1 << ring for ring, size in enumerate(sizes) if size > 1)
        claims.possible("every ring of several has had two tokens", monitor.duplicated == large)

    return describe


def _ever(claims: Claims, condition: Any, clear: Any, name: str) -> Signal:
    """True if the condition was true in any earlier cycle, until it is cleared."""
    ever: Any = Signal(name=f"ever_{name}")
    claims.m.d.sync += ever.eq(Mux(clear, 0, ever) | condition)
    return ever
