"""Many cases in one test."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for all cases, and list those that fail; as ``pytest.mark.parametrize``, without its cost per case."""
    arguments, values = names.replace(" ", "").split(","), list(cases)

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            wrong: list[tuple[Any, Exception]] = []
            for case in values:
                try:
                    test(**fixtures, **dict(zip(arguments, case if len(arguments) > 1 else (case,), strict=True)))
                except Exception as error:
                    wrong.append((case, error))
            if wrong:
                listed = "\n".join(f"{names} = {case!r}: {type(error).__name__}: {error}" for case, error in wrong[:20])
                raise AssertionError(f"{len(wrong)} of {len(values)} cases fail\n{listed}") from wrong[0][1]

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorated
