"""A fixed sample of programmed alterations and of garbage is refused in one line."""

import json
import random
import time
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import pytest

from tests.alterations.hardware import Alteration, document_alterations, hardware_alterations, places, put
from tests.alterations.networks import ALL, Checker, offer
from tests.alterations.sound import reason
from tests.each import each
from tests.sampled import sampled

SAMPLED, QUICK_SAMPLED = 500, 20
QUICK = ("spam-stream", "torus", "min-registers", "plane")
OFFERED = sampled(ALL, QUICK)


@pytest.fixture(scope="module")
def checker():
    with Checker() as one:
        yield one


def some_of(altered: Iterable[Alteration], draws: random.Random, size: int) -> list[Alteration]:
    """A uniform sample of all alterations, without all of them in memory."""
    kept: list[Alteration] = []
    for place, alteration in enumerate(altered):
        if place < size:
            kept.append(alteration)
        elif (instead := draws.randrange(place + 1)) < size:
            kept[instead] = alteration
    return kept


@pytest.mark.parametrize("name", OFFERED)
def test_altered_networks_are_refused(name, checker, request):
    sound, size = offer(name), SAMPLED if request.config.getoption("--slow") else QUICK_SAMPLED
    assert checker.judge(sound)[0] == 0
    altered = chain(hardware_alterations(name, sound, changes=1), document_alterations(sound))
    for alteration in some_of(altered, random.Random(name), size):
        code, line = checker.judge(alteration.make())
        what = f"{alteration.kind}: {alteration.where} ends with {code}: {line}"
        assert code in (0, 1), what
        assert "\n" not in line, what
        assert code == 1 or reason(sound, alteration), what


TEXTS = ("manifest", "verilog", "certificate", "digests")
STRANGE = [None, True, -1, 0, 10**11, 10**30, 1.5, "", "x" * 5000, "\ud800", [], {}, [[[]]], {"a": [None]}]
HUGE = {
    "brackets": "[" * 100_000,
    "mappings": '{"a":' * 100_000,
    "digits": '{"family": ' + "1" * 1_000_000 + "}",
    "quotes": '{"' + '\\"' * 200_000,
    "number": '{"family": NaN}',
    "nested": "[" * 20 + "]" * 20,
    "empty": "",
    "null": "null",
    "zeros": "\0" * 1000,
    "keys": "{" + ",".join(f'"{key}": 0' for key in range(50_000)) + "}",
}
INSERTED = ["{" * 100_000, "(", ")", ";", "endmodule\n", "module x(\n", "1000000000000'h0", "32'h" + "f" * 100_000]
INSERTED += ["\\x ", "é", "\r", "\0", '"', "`x ", "#(.P(1))", "/**/", "//\n", "(* keep *)"]
INFORMATION = ("files", "counters", "registers", "port_arrays")


def refuse(checker, offered, what):
    code, line = checker.judge(offered)
    assert code == 1, f"{what}: {code} {line}"
    assert line.startswith("refused: "), f"{what}: {line}"
    assert line.isascii(), what
    assert len(line) < 600, what
    assert "\n" not in line, what


@each("name", ["torus", "plane"])
def test_truncated_texts_are_refused(name, checker):
    sound = offer(name)
    for text in TEXTS:
        whole = getattr(sound, text)
        for place in range(9):
            refuse(checker, replace(sound, **{text: whole[: len(whole) * place // 9]}), f"{text} to {place} ninths")


@each("kind", HUGE)
@each("text", TEXTS)
def test_huge_texts_are_refused_at_once(text, kind, checker):
    began = time.process_time()
    refuse(checker, replace(offer("torus"), **{text: HUGE[kind]}), f"{kind} as {text}")
    assert time.process_time() - began < 5


@each("name", ["torus", "harts", "plane"])
@each("text", ["manifest", "certificate", "digests"])
def test_values_of_all_types_at_keys_are_refused(name, text, checker):
    sound, draws = offer(name), random.Random(f"{name} {text}")
    document = json.loads(getattr(sound, text))
    found = [(path, value) for path, value in places(document) if path[0] not in INFORMATION]
    for path, value in draws.sample(found, min(3, len(found))):
        for strange in STRANGE:
            if strange != value or type(strange) is not type(value):
                new = [strange] if isinstance(path[-1], int) else {path[-1]: strange}
                changed = json.dumps(put(document, path, new))
                altered = replace(sound, **{text: changed})
                refuse(checker, altered.signed() if text == "manifest" else altered, f"{path} is {strange!r}")


@each("name", ["torus", "harts", "plane"])
def test_parameters_of_all_types_crash_nothing(name, checker):
    """Values on which manifest and digests agree: the checks behind that comparison must handle them."""
    sound = offer(name)
    manifest, digests = json.loads(sound.manifest), json.loads(sound.digests)
    for key in manifest["parameters"]:
        for strange in STRANGE:
            parameters = {**manifest["parameters"], key: strange}
            texts = [json.dumps({**document, "parameters": parameters}) for document in (manifest, digests)]
            code, line = checker.judge(replace(sound, manifest=texts[0], digests=texts[1]).signed())
            assert code in (0, 1), f"{key} is {strange!r}: {line}"
            assert len(line.splitlines()) == 1


def test_trees_of_all_types_are_refused(checker):
    """Trees on which manifest and digests agree, and which no hardware has."""
    sound = offer("spam-stream")
    manifest, digests = json.loads(sound.manifest), json.loads(sound.digests)
    tree = digests["tree"]
    circles = [[1, 0, *tree[2:]], [*tree[:-1], 100], [*tree[:-1], -1], [True, *tree[1:]], tree[:-1], [*tree, 0]]
    for strange in [*STRANGE, *circles]:
        stream = {**manifest["axi_stream"], "tree": strange}
        texts = [json.dumps({**manifest, "axi_stream": stream}), json.dumps({**digests, "tree": strange})]
        altered = replace(sound, manifest=texts[0], digests=texts[1]).signed()
        refuse(checker, altered, f"tree is {strange!r}")


def test_text_inserted_into_verilog_is_refused(checker):
    sound, draws = offer("torus"), random.Random(1)
    start = sound.verilog.rindex("module noc(")
    for inserted in INSERTED:
        place = draws.choice((start, draws.randrange(start, len(sound.verilog))))
        verilog = sound.verilog[:place] + inserted + sound.verilog[place:]
        refuse(checker, replace(sound, verilog=verilog).signed(), f"{inserted[:20]!r} at {place}")
