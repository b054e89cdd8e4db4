"""``python -m hydranoc`` is the command."""

from hydranoc.cli import main

main()
