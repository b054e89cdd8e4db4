"""Words, numbers and values that no user writes on purpose.

Numbers are small, or larger than anything that fits: what lies between may be a valid request that takes its time.
"""

from typing import Any

from hypothesis import strategies as st

_NUMBERS = (
    *("0", "-1", "-0", "1", "2", "3", "5", "7", "9", "+5", "007", "1.0", "0.5", "-0.5", ".5", "5.", "1e-300", "1e-320"),
    *("1e3", "1e18", "1e308", "1e400", "-1e400", "nan", "NaN", "inf", "-inf", ".nan", ".inf", "-.inf", "infinity"),
    *(str(2**31), str(2**32), str(2**53 + 1), str(2**63 - 1), str(2**63), str(2**64), str(-(2**63) - 1), str(10**12)),
    *(str(10**15), str(10**18), str(10**25), "9" * 400, "9" * 5000, "-" + "9" * 5000, "0" * 5000 + "1"),
    *("1_0", "0x10", "0X1", "0o17", "0b101", "1e", "1,5", "1 000", "5b", "5%", "1/2", "--1", "1.2.3"),
    *("\u0661\u0662", "\u00b2", "\u2460", "\uff15", "\u0be7", "\u2155"),
)
_WORDS = (
    *("", " ", "~", "null", "true", "false", "yes", "off", "None", "a", "s0", "p0", "up", "branch", "wrap", "uniform"),
    *("\u00e9", "e\u0301", "\u65e5\u672c", "\U0001f40d", "\u202eabc", "\u200b", "\ufeff", "\u2028", "\x85", "\xa0"),
    *("\x00", "\x01", "\x1b[31m", "\x7f", "\x0b", "\x0c", "\r", "\n", "\t", "a\tb", "a\nb"),
    *("a" * 300, "a" * 5000, "a b", "a:b", "a: b", "a#b", "#", "# a", "'", '"', '""', "'a", '"a', "\\", "\\x", "%s"),
    *("{rank}", "{0}", "{}", "[]", "{", "}", "[", "]", ",", ";", ":", "=", "- ", "-", "--", "|", ">", "&a", "*a", "<<"),
    *("!!python/object/apply:os.getcwd []", "!a", "2001-01-01", "2001-99-99", "12:30:45", "1:2:3", "=1+1", "@a", "`a`"),
    *("/dev/null", "/dev/zero", "/proc/self/mem", "/", ".", "..", "../x", "missing.csv", "a/b", "results", "~root"),
    *("&amp;", "&a;", "<", ">", "<!--", "]]>", "<?xml?>", "$HOME", "`id`", "%00", "con", "__class__", "os:getcwd"),
)

ODD_TEXT = (*_NUMBERS, *_WORDS)
ODD_WORDS = tuple(text for text in ODD_TEXT if text and not text.isspace())


def _nested(depth: int, mapping: bool) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if mapping else [value]
    return value


ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, 5, 7, 9, -1, -7, 0.0, -0.0, 0.5, 1.0, 1e-300, 5e-324, 1e308),
    *(float("nan"), float("inf"), float("-inf"), 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1),
    *(10**9, 10**12, 10**15, 10**18, 10**40, 10**300, 10**400),
    *([], {}, [[]], [{}], [None], [1], [0, 1], [1, 2, 3], {"a": 1}, {"kind": "a"}, {1: 0.5, 2: 0.5}, {10**9: 1.0}),
    *([0] * 300, [3, 3], [[0, 1], [1, 0]], {str(key): key for key in range(200)}),
    *(_nested(50, True), _nested(50, False), _nested(99, False), _nested(150, True)),
    *ODD_TEXT,
)

odd_text = st.sampled_from(ODD_TEXT)
odd_words = st.sampled_from(ODD_WORDS)
odd_values = st.sampled_from(ODD_VALUES)
