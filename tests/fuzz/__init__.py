"""Random input for every reader; ``python -m tests.fuzz --help`` runs it at length."""

import tempfile

from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(tempfile.mkdtemp(prefix="hypothesis-"))  # it keeps tables there, and the tree stays clean
