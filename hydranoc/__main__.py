"""``python -m hydranoc`` is the command, in whatever folder it is called."""

import os
import sys


def _leave_current_folder() -> None:
    """Import nothing from the current folder, which Python puts first: designs have folders ``rtl`` and ``tb`` too."""
    try:
        here = os.getcwd()
    except OSError:  # it has been deleted
        here = ""
    if sys.path and sys.path[0] in ("", here) and here != os.path.dirname(os.path.dirname(os.path.realpath(__file__))):
        del sys.path[0]


def _main() -> None:
    _leave_current_folder()

    from hydranoc.cli import main  # from the path as it is now

    main()


_main()
