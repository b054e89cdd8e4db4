"""Runs the checker on one offer after the other, in a process of its own: ``python -I driver.py CHECKER``.

Each line of standard input is a list of JSON: texts of manifest, Verilog, tables, certificate and digests. Each line of
standard output is a list of exit code and line, of what the checker says.
"""

import importlib.util
import json
import sys

sys.path.insert(0, sys.argv[1])
spec = importlib.util.spec_from_file_location("checker_main", f"{sys.argv[1]}/__main__.py")
assert spec is not None
assert spec.loader is not None
checker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checker)
for line in sys.stdin:
    sys.stdout.write(json.dumps(checker.judged(*json.loads(line))) + "\n")
    sys.stdout.flush()
