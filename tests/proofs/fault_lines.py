"""Files of the hardware, and faults that more than one proof must detect: file, text, replacement."""

BUFFER = "parts/input_buffer.py"
ARBITER = "parts/arbiter.py"
SELECTION = "parts/selection.py"
CROSSBAR = "parts/crossbar.py"
INJECTOR = "parts/injector.py"
OUTPUT_REGISTER = "parts/output_register.py"
EJECTOR = "parts/ejector.py"
AXI_INJECTOR = "endpoints/axi_injector.py"
AXI_EJECTOR = "endpoints/axi_ejector.py"
NEXT_PART = "parts/next_part.py"
PACKET_FLITS = "endpoints/packet_flits.py"
LINK_STAGE = "parts/link_stage.py"
DEEP_RING = "parts/deep_ring.py"
ERROR_MONITOR = "generator/error_monitor.py"
BYTE_COUNT = "parts/byte_count.py"
QUEUES = "spam/ocrq.py"
ROUTER = "spam/router.py"
SCANNER = "routed/header_scanner.py"
DECODER = "routed/header_decoder.py"
ROUTE_UNIT = "routed/route_unit.py"
ROUTED_INPUT = "routed/routed_input.py"
WORM_GUARD = "parts/worm_guard.py"
STATION = "min/token_station.py"
MONITOR = "min/token_monitor.py"
BRANCH_QUEUES = "min/branch_queues.py"
MIN_ROUTER = "min/router.py"
PAGE_POOL = "harts/page_pool.py"
PAGE_QUEUES = "harts/page_queues.py"
RECEIVER_BANK = "harts/receiver_bank.py"
TRANSMITTER_BANK = "harts/transmitter_bank.py"
HARTS_NODE = "harts/router.py"
MULTICAST_KEY = "spam/multicast_key.py"
TURN_KEY = "min/turn_key.py"
COUNTERS = "generator/channel_counters.py"
TURN_ORDER = "vc/turn_order.py"
LANE_OUTPUT = "vc/lane_output.py"
LANE_INPUT = "vc/lane_input.py"
CREDIT_COUNTER = "vc/credit_counter.py"
RING_POINTER = "parts/ring_pointer.py"
LANE_BUFFER = "vc/lane_buffer.py"
CYCLE_ORDER = "vc/cycle_order.py"
RANDOM_ORDER = "vc/random_order.py"
DELIVERY_BUFFER = "vc/delivery_buffer.py"
LANE_ROUTER = "vc/router.py"
TORUS_ROUTER = "torus/router.py"
HEAD_ALLOCATOR = "hypercube/head_allocator.py"
ADAPTIVE_INPUT = "hypercube/adaptive_input.py"
ADAPTIVE_OUTPUT = "hypercube/adaptive_output.py"
WORM_FRONTS = "hypercube/worm_fronts.py"
HYPERCUBE_ROUTER = "hypercube/router.py"

OVERWRITES_A_WAITING_FLIT = (OUTPUT_REGISTER, "with m.If(self.free):", "with m.If(1):")
STALLS_BETWEEN_FLITS = (OUTPUT_REGISTER, "eq(~link.valid | link.ready)", "eq(~link.valid)")
KEEPS_WHAT_HAS_MOVED = (OUTPUT_REGISTER, "link.valid & ~link.ready", "link.valid")
MIXES_INPUTS = (CROSSBAR, "choice | Mux(select[i], flits[i], 0)", "choice | flits[i]")
READY_FOR_ONE_TOO_MANY = (BUFFER, "(count == self.depth) | (count == self.depth - 1) & arriving", "count == self.depth")
LOSES_THE_SECOND_FLIT = (BUFFER, "Mux(count == self.depth, Value.cast(slots[1]), Value.cast(entry))", "entry")
KEEPS_THE_TURN = (ARBITER, "concat(chosen[:i].any() for i in range(1, self.count))", "0")
CHOOSES_TWO = (SELECTION, "mask[i] & ~mask[:i].any() if i else mask[0]", "mask[i]")
MISSES_TWO_IN_THE_UPPER_HALF = (
    SELECTION,
    "left_several | right_several | (left & right)",
    "left_several | (left & right)",
)
LETS_NEWCOMERS_OVERTAKE = (QUEUES, "free.eq(~Mux(newest[i], claimed, 0))", "free.eq(-1)")
SEES_EQUAL_REQUESTS_ONLY = (QUEUES, "(self.request[i] & self.request[j]).any()", "self.request[i] == self.request[j]")
COPIES_TO_ONE_OUTPUT = (ROUTER, "Mux(copied, request, 0)", "Mux(copied, request & -request, 0)")
RELEASES_AFTER_EACH_FLIT = (ROUTER, "copied & buffer.flit.tail", "copied")
SWAPS_CLASSES = (
    ROUTE_UNIT,
    "table_row(m, self.routes, self.port_class,",
    "table_row(m, self.routes, self.port_class ^ 1,",
)
OVERTAKES_FROM_BELOW = (BRANCH_QUEUES, "standing[i] & before", "1")
REMEMBERS_EARLIER_TAILS = (BRANCH_QUEUES, "Mux(standing[i], done | self.finished[i], 0)", "done | self.finished[i]")
FORGETS_TAILS = (BRANCH_QUEUES, "Mux(standing[i], done | self.finished[i], 0)", "Mux(standing[i], self.finished[i], 0)")
GIVES_ONE_OUTPUT_TO_TWO = (
    BRANCH_QUEUES,
    "older[i, j], older[j, i] = before, ~before",
    "older[i, j], older[j, i] = before, before",
)
WAITS_ONLY_FOR_ITS_TURNS = (
    MIN_ROUTER,
    "waits.eq(queues.owed[i] & ~copied & ~loads[i])",
    "waits.eq(queues.first[i] & ~copied & ~loads[i])",
)
LETS_TREES_IN_WITHOUT_TOKEN = (
    MIN_ROUTER,
    "route_unit.completed & ~trees | station.granted",
    "route_unit.completed | station.granted",
)
DISCARDS_WITHOUT_A_WORM = (
    ROUTED_INPUT,
    "router.discarding[i].eq(route_unit.queued[i] & ~route_unit.request[i].any())",
    "router.discarding[i].eq(~route_unit.request[i].any())",
)
FORGETS_BRANCHES = (SCANNER, "collected.eq(self.request | flit.branches)", "collected.eq(self.request)")
TAKES_NO_CARE_OF_COPIES = (MIN_ROUTER, "copied.eq(copied | loads[i])", "copied.eq(loads[i])")
OWES_ALL_THE_FIRST_OUTPUT = (BRANCH_QUEUES, "self.request[i] & ~done, 0)", "(self.request[i] | 1) & ~done, 0)")
LEAVES_AFTER_EACH_FLIT = (MIN_ROUTER, "queues.leave[i].eq(buffer.pop & tail)", "queues.leave[i].eq(buffer.pop)")
TAKES_ALL_FOR_TREES = (MIN_ROUTER, "route_unit.completed & route_unit.branching", "route_unit.completed")
SEEKS_FOR_EVER = (STATION, "seeking.eq(seeking & ~chosen |", "seeking.eq(seeking |")
GRANTS_WHILE_HELD = (STATION, "self.starts_here) & ~held),", "self.starts_here)),")
FILLS_THE_FIRST_PAGE = (RECEIVER_BANK, '("page", state["landing"][slot])', '("page", 0)')
GIVES_BACK_WHAT_IS_OWED = (TRANSMITTER_BANK, "ended.any() & ~shared & ~self.owed", "ended.any() & ~shared")
SENDS_WHAT_A_RECEIVER_HAS = (TRANSMITTER_BANK, "~sending[port] & ~owned[port] &", "~sending[port] &")
TAKES_WHAT_OTHERS_WAIT_FOR = (TRANSMITTER_BANK, "idle & ~self.waiting & self.ahead", "idle & self.ahead")
PREFERS_BOTH = (TURN_ORDER, "before[i, j], before[j, i] = first, ~first", "before[i, j], before[j, i] = first, first")
PREFERS_THE_FIRST = (TURN_ORDER, "eq(~concat(self.chosen[i:j]).any())", "eq(1)")
COUNTS_DOWN_TOO_LATE = (
    CREDIT_COUNTER,
    "Mux(sent, self.several, self.some)",
    "Mux(sent, self.credits.any(), self.some)",
)
FREES_AFTER_EACH_FLIT = (LANE_OUTPUT, "free.eq(self.flit.tail)", "free.eq(1)")
GIVES_CREDITS_FOR_REQUESTS = (LANE_INPUT, "self.credits.eq(popped)", "self.credits.eq(request.lane)")
READS_WHERE_IT_WRITES = (LANE_BUFFER, "[buffer.front for buffer in buffers]", "[buffer.back for buffer in buffers]")
NOT_READY_AS_ONE_LEAVES = (LANE_INPUT, "popped.any() | ~lanes[0].buffer.fills()", "~lanes[0].buffer.fills()")
REUSES_WITH_ANY_CREDIT = (LANE_OUTPUT, "enough: Any = credits == self.depth", "enough: Any = has_credit")
PREFERS_BOTH_OF_THE_CYCLE = (CYCLE_ORDER, "return bit if i < j else ~bit", "return bit")
KEEPS_THE_ORDER = (CYCLE_ORDER, "self.before.eq(concat(before[: len(pairs(self.used))]))", "self.before.eq(-1)")
SENDS_WHAT_IS_BEATEN = (ADAPTIVE_INPUT, "popped.eq(Mux(kept, 0, asked) |", "popped.eq(asked |")
FORGETS_WHAT_IS_ASKED = (ADAPTIVE_INPUT, "self._asks + left", "self._asks")
RELEASES_BEFORE_IT_IS_EMPTY = (
    WORM_FRONTS,
    "ended & ~buffer.several",
    "ended",
)
NEVER_ENDS_A_DRAIN = (ADAPTIVE_INPUT, "discarding[v].eq(drained)", "discarding[v].eq(self.drains)")
NOT_READY_AS_A_FLIT_LEAVES = (ADAPTIVE_INPUT, "popped.any() | ~lanes[0].buffer.fills()", "~lanes[0].buffer.fills()")
SAYS_ROOM_FOR_ONE = (DELIVERY_BUFFER, "self.depth - ROOM_FLITS", "self.depth - 1")
GIVES_CREDITS_WHILE_IT_ASKS = (ADAPTIVE_INPUT, "self.credits.eq(popped)", "self.credits.eq(asked)")
FREES_ALL_THE_TIME = (ADAPTIVE_OUTPUT, "else self.releases[lane]", "else self.load[lane]")
FREES_DELIVERY_AFTER_EACH_FLIT = (ADAPTIVE_OUTPUT, "(self.requests & self.ends).any()", "self.requests.any()")
DRAINS_ALL_BUT_THE_LAST = (ADAPTIVE_INPUT, "self.nowhere & self._present", "self.nowhere & self.buffer.several")
ESCAPES_OVER_THE_HIGHEST = (
    HEAD_ALLOCATOR,
    "lowest: Any = lowest_one(wanted)",
    "lowest: Any = Value.cast(lowest_one(wanted[::-1]))[::-1]",
)
