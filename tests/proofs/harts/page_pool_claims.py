"""Claims about ``PagePool``: every page is free or out, never both, and none is lost."""

from typing import Any

from amaranth.hdl import Signal, Value

from rtl.harts.page_pool import PagePool
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.harts.memory_ports import OpenInside
from tests.proofs.harts.page_pool_use import PagePoolUse

TURN_BOUND = "at most pages - 1 others are taken before a page that has come back"


def page_pool(pages: int) -> Describe:
    """Claims about a pool of some pages."""

    def describe(claims: Claims) -> None:
        pool: Any = PagePool(pages)
        claims.free_inputs(pool)
        inside = OpenInside(claims, pool)
        use = PagePoolUse(claims, pool, pages)
        for _, condition in use.contract(pool.given):
            claims.assume(condition)
        for name, condition in use.promises():
            claims.always(name, condition)
        claims.always("free pages and pages that are out make up all", pool.free + use.count() == pages)
        ring = _Ring(claims, inside, use)
        _bound_waiting(claims, use, ring)
        all_out = use.out[:pages].all()
        ever_all_out: Any = Signal(name="ever_all_out")
        claims.m.d.sync += ever_all_out.eq(ever_all_out | all_out)
        claims.possible("all pages are out", all_out)
        claims.possible("a page is handed out again as another one comes back", ever_all_out & pool.take & pool.give)

    return describe


class _Ring:
    """The pages that have come back, as they lie in the memory.

    Members
    -------
    fresh : Value
        How many pages have never been taken; they come first.
    before : list of Value
        How many pages in the ring come before each row.
    there : list of Signal
        Whether there is a page in each row.
    page : list of Value
        Which.
    """

    def __init__(self, claims: Claims, inside: OpenInside, use: PagePoolUse):
        pages, out = use.pages, use.out
        unused, front, back = inside.register("unused"), inside.read_address, inside.write_address
        rows = range(1 << len(front))
        self.fresh: Any = claims.named(pages - unused, "fresh")[: len(use.pool.free)]
        returned: Any = claims.named(use.pool.free - self.fresh, "returned")[: len(use.pool.free)]
        claims.invariant("the counter of used pages stops at the last", unused <= pages)
        claims.invariant("free pages are fresh or have come back", use.pool.free >= self.fresh)
        claims.invariant("the back is behind the last page", back == (front + returned)[: len(front)])
        self.before = [claims.named((row - front)[: len(front)], f"before_{row}") for row in rows]
        self.there = [claims.named(self.before[row] < returned, f"there_{row}") for row in rows]
        self.page = [Value.cast(inside.memory_row(row)) for row in rows]
        for row, (there, page) in enumerate(zip(self.there, self.page, strict=True)):
            known = (page < unused) & ~out.bit_select(page, 1)
            claims.invariant("a page that has come back is neither fresh nor out", ~there | known)
            for other in range(row):
                twice = there & self.there[other] & (page == self.page[other])
                claims.invariant("no page has come back twice", ~twice)
        for page in range(pages):
            claims.invariant("a fresh page is not out", (unused > page) | ~out[page])


def _bound_waiting(claims: Claims, use: PagePoolUse, ring: _Ring) -> None:
    """Pages taken while any one page is free. The bound shows that no page rests for ever."""
    pool, pages = use.pool, use.pages
    mine: Any = claims.constant(len(pool.page), "any_page")
    resting: Any = Signal(name="it_has_come_back")
    passed: Any = Signal(range(pages + 1), name="taken_before_it")
    with claims.m.If(pool.give & (pool.given == mine)):
        claims.m.d.sync += [resting.eq(1), passed.eq(0)]
    with claims.m.Elif(pool.take & resting):
        claims.m.d.sync += [resting.eq(pool.page != mine), passed.eq(passed + 1)]
    claims.always(TURN_BOUND, ~resting | (passed < pages))
    nearer = concat(
        there & (page == mine) & (passed + ring.fresh + before < pages)
        for there, page, before in zip(ring.there, ring.page, ring.before, strict=True)
    )
    claims.invariant("every page that is taken brings it nearer", ~resting | nearer.any())
    claims.possible("the longest rest", resting & pool.take & (pool.page == mine) & (passed == pages - 1))
