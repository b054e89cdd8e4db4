"""Loaded by Python processes that tests start: their imports count as uses of the test, see ``recorder.py``."""

import importlib.util
import os

_spec = importlib.util.spec_from_file_location(
    "test_uses_recorder", os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "recorder.py")
)
_recorder = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_recorder)
_recorder.install()
