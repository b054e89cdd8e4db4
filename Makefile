# make demo   sets up what it needs in .venv/ and runs the main job: RTL in lock-step with the golden model
# make test   sets up .venv/ and runs the tests
# make quick  a minute: the linter, and tests without simulators of what has changed since it passed
# make check  the linters, all tests of what has changed since it passed, and a few that always run
# make nightly runs the long tests as well, hours of them, and a summary of what passed
# make docs   builds the site of the documents and the Python interface, results/site/index.html
# make lint   ruff and pyright
# make bench  prints the figures that matter
# make loops  compiles the golden model's loops for baselines of processors, so that no first run compiles them
# make wheel  builds the wheel for any machine, and one for machines like this one that brings the loops, in dist/
# make lock   writes requirements.lock anew from pyproject.toml

PYTHON ?= python3
BIN := .venv/bin
RUNS := .venv/.runs
READY := .venv/.ready
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# $(call RUN_WITH_HEARTBEAT,what is done,command): runs a command that is silent itself, and says every few seconds that it still runs
RUN_WITH_HEARTBEAT = @echo '$(2)'; (n=0; while sleep 5 > /dev/null 2>&1; do n=$$((n + 5)); echo "$(1): $$n s"; done) & ticker=$$!; \
    trap "kill $$ticker 2> /dev/null" EXIT; trap "exit 130" INT TERM; $(2)
DEMO := results/demo
PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal
PYTEST_ARGS ?=

.PHONY: demo test quick check nightly docs lint format bench loops wheel lock clean

demo: $(RUNS)
	@echo "1/4  The network: proved to reach everyone and to be free from deadlock"
	$(BIN)/hydranoc check examples/demo.yaml
	@echo "2/4  Its picture"
	$(BIN)/hydranoc draw examples/demo.yaml -o $(DEMO)
	@echo "3/4  Its Verilog"
	$(BIN)/hydranoc verilog examples/demo.yaml -o $(DEMO)
	@echo "4/4  The hardware in Verilator against the golden model (first both are compiled, once per machine)"
	$(BIN)/hydranoc compare examples/demo.yaml -o $(DEMO) --waves

test: $(READY)
	$(PYTEST) $(PYTEST_ARGS)

quick: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) --changed --without-tools --within 60 $(PYTEST_ARGS)

# types are checked beside the tests, and what was found is shown behind theirs
check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@types=$$(mktemp); $(BIN)/pyright > $$types 2>&1 & checked=$$!; \
	    $(PYTEST) --changed $(PYTEST_ARGS); said=$$?; \
	    wait $$checked || said=1; echo pyright:; cat $$types; rm -f $$types; exit $$said

# the summary is written whatever the tests say, and what they say is what make says
nightly: $(READY)
	@mkdir -p results
	@$(PYTEST) --slow --junitxml=results/nightly.xml $(PYTEST_ARGS); said=$$?; \
	    $(BIN)/python -m tests.summary results/nightly.xml | tee results/nightly.md; exit $$said

docs: $(READY)
	$(BIN)/sphinx-build -q -W --keep-going -c docs . results/site
	@echo results/site/index.html

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

loops: $(RUNS)
	$(BIN)/python -m release.loops

# what an earlier build has left in build/ would be in the wheel
wheel: loops
	rm -rf build
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist .
	rm -rf build
	HYDRANOC_LOOPS_IN_WHEEL=1 $(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist .

lock: $(READY)
	$(BIN)/pip-compile -q --extra dev --extra fpga --extra sweep --extra dask --extra docs --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	    --allow-unsafe --no-header --annotation-style line -o requirements.lock pyproject.toml

clean:
	rm -rf .venv results build *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What running needs comes first, in the versions of requirements.lock; the tools of the tests are as large again.
# Python compiles what it imports: doing that for all packages at once takes longer than the demo. In mode "compat" the
# checkout is a folder of the path; the default is a program that every start of Python runs for 10 ms.
$(RUNS): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "HydraNoC needs Python 3.11 or newer; say which with: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@for tool in c++ perl; do command -v $$tool > /dev/null \
	    || { echo "$$tool is missing: Verilator needs it to build simulators (Debian: apt-get install g++ perl)" >&2; exit 1; }; done
	$(PYTHON) -m venv .venv
	$(call RUN_WITH_HEARTBEAT,installing packages,$(INSTALL) -c requirements.lock setuptools)
	$(call RUN_WITH_HEARTBEAT,installing packages,PYTHONWARNINGS=ignore $(INSTALL) -c requirements.lock --no-build-isolation \
	    --config-settings editable_mode=compat -e .)
	@touch $@

$(READY): $(RUNS)
	$(call RUN_WITH_HEARTBEAT,installing packages for the tests,$(INSTALL) -r requirements.lock)
	@touch $@
