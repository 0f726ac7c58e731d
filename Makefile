# `make help` lists the targets. Everything runs from $(VENV), which is made from the lock files.

# A Python that somebody has compiled often lacks the optimisations of the distribution's, which needs
# a fifth less processor time; so that one comes first if it is new enough.
PYTHON ?= $(or $(shell for python in /usr/bin/python3 python3; do \
	$$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && \
	echo $$python && break; done),python3)
VENV ?= .venv
# Many tests wait for servers and clocks: twice as many at a time as there are processors.
PYTEST_FLAGS ?= -n $(shell expr 2 \* $$(nproc))
FUZZ_SECONDS ?= 60
SECONDS ?= 600
SEEDS ?= 2000
START ?= 0
DELAYS ?= 0
# Tests in tests/acceptance are marked `processes`, all of them: `quick` need not even read them.
QUICK := not databases and not mistral and not processes and not slow
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile

# Where bytecode is not kept, every process that a test starts compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

# What tests write is kept in memory where there is plenty: thousands of small files, and databases.
MEMORY := $(shell free=$$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1); \
	[ "$${free:-0}" -ge 8 ] && [ -w /dev/shm ] && echo /dev/shm)
ifneq ($(MEMORY),)
test quick coverage: export TMPDIR := $(MEMORY)
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Every target that `make help` lists is an order, not a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.installed ## make .venv with the locked dependencies and this package

demo: $(VENV)/.runtime ## bring an example with nesting up, change it, let it fail, repair it, delete it
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

# Nothing in it waits: one process for each processor, so that fewer read all tests.
quick: PYTEST_FLAGS = -n $(shell nproc)
quick: setup ## run the tests that need this process and moments only, with fewer random runs and interruptions
	SIMULATION_SEEDS=$${SIMULATION_SEEDS:-20} SCENARIO_STRIDE=$${SCENARIO_STRIDE:-16} $(BIN)/python -m pytest $(PYTEST_FLAGS) -m "$(QUICK)" --ignore=tests/acceptance

test: setup ## run the tests; PYTEST_FLAGS="-n 4 -k word" passes options on
	$(BIN)/python -m pytest $(PYTEST_FLAGS) -m "not mistral"

test-mistral: setup ## run the tests that need a real Mistral; installs it once
	$(BIN)/python -m pytest $(PYTEST_FLAGS) -m mistral tests/acceptance

coverage: setup ## run the tests as `test` does, and print which lines and branches they ran
	rm -rf build/coverage
	@mkdir -p build/coverage
	$(BIN)/coverage run -m pytest $(PYTEST_FLAGS) -m "not mistral"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

cloud: setup ## install (once) and start the test cloud; returns when it answers
	$(BIN)/python -m tests.cloud.box up $(ONLY)

cloud-down: setup ## stop the test cloud
	$(BIN)/python -m tests.cloud.box down $(ONLY)

test-cloud: setup ## run the tests that need the test cloud; starts it if it does not run
	$(BIN)/python -m pytest tests/cloud

test-cluster: setup ## run the tests of several processes on a real broker
	$(BIN)/python -m pytest -n 2 tests/cluster

test-identity: setup ## run the tests that need a real Keystone; starts that of the test cloud
	$(BIN)/python -m pytest $(PYTEST_FLAGS) --dist loadfile tests/identity

page: page/node_modules/.installed ## build the web page into hotplate/page/static; needs Node.js 18 and npm
	cd page && npm run --silent build

check-page: page/node_modules/.installed ## types, format and unit tests of the page
	@if grep -n '"resolved"' page/package-lock.json; then echo "the lock file of npm names a host"; exit 1; fi
	cd page && npm run --silent check && npm run --silent test

test-page: setup page ## build the page, and drive it with Debian's Chromium against a real server
	$(BIN)/python -m pytest tests/page

page-pictures: test-page ## take the pictures of the page's manual anew
	cp build/page/failed-light.png docs/images/page-failed.png
	cp build/page/tree-dark.png docs/images/page-tree-dark.png
	cp build/page/stacks-light.png docs/images/page-stacks.png
	cp build/page/topology-light.png docs/images/page-topology.png
	cp build/page/timeline-light.png docs/images/page-timeline.png
	cp build/page/update-plan-light.png docs/images/page-plan.png
	cp build/page/operations-delete-light.png docs/images/page-delete.png
	cp build/page/workflows-execution-light.png docs/images/page-execution.png

bench-page: setup page ## print figures of the page with 10,000 resources: paint, scrolling, events, memory, size
	$(BIN)/python -m tests.page.bench

test-attacks: setup ## let one tenant do its worst while another one measures; wants a quiet machine
	$(BIN)/python -m pytest -s tests/attacks

test-attacks-short: setup ## the same with a dozen of the attacks, two seconds each, as the pipeline does
	HOTPLATE_ATTACKS=short $(BIN)/python -m pytest -s tests/attacks

bench-cloud: setup ## print requests and seconds of stacks on the test cloud, beside a script
	$(BIN)/python -m tests.cloud.bench

heat-suite: setup ## run Heat's own functional tests, and compare with docs/heat-suite.md
	$(BIN)/python -m tests.heat_suite $(ONLY)

check: setup ## format check, lint and types, as the pipeline does
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup ## format, and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## print the figures of all benchmarks
	$(BIN)/python -m tests.benchmarks

bench-large: setup ## print what stacks of SIZES (10000 100000) resources cost, and what others feel of them
	$(BIN)/python -m tests.benchmarks.large $(SIZES)

bench-cluster: setup ## print what work costs on several processes, how many waits fit in, who waits for whom; PARTS="cost waits fairness"
	$(BIN)/python -m tests.cluster.bench $(PARTS)

fuzz: setup ## run every fuzz target for FUZZ_SECONDS (60)
	@found=0; for target in tests/fuzz/fuzz_*.py; do \
		[ -e "$$target" ] || continue; found=1; \
		echo "$$target, $(FUZZ_SECONDS) s"; \
		$(BIN)/python "$$target" -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done; \
	[ $$found = 1 ] || echo "no fuzz targets in tests/fuzz"

schemathesis: setup ## fuzz the API from its OpenAPI document for SECONDS (600)
	$(BIN)/python -m tests.api.fuzzing.openapi --seconds $(SECONDS)

fuzz-tenants: setup ## fuzz a server as one project with ids of another for SECONDS (600)
	$(BIN)/python -m tests.acceptance.isolation.foreign_fuzzing --seconds $(SECONDS)

openapi: setup ## write docs/openapi.json anew
	$(BIN)/python -m hotplate.api > docs/openapi.json.new
	@mv docs/openapi.json.new docs/openapi.json

manual: setup ## write docs/command-reference.md anew
	$(BIN)/python -m hotplate.cli > docs/command-reference.md.new
	@mv docs/command-reference.md.new docs/command-reference.md

simulate: setup ## play SEEDS (2000) random runs of the engine from START (0) on
	$(BIN)/python -m tests.simulation --seeds $(SEEDS) --start $(START)

worlds: setup ## go through all small worlds with DELAYS (0) steps out of turn
	$(BIN)/python -m tests.simulation.small_worlds.exploration --delays $(DELAYS)

# Neither the index nor a path of the machine belongs in the lock file; the grep makes sure of it.
lock: setup ## resolve the dependencies anew and write the lock files
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/python -m piptools compile \
		--quiet --upgrade --all-extras --allow-unsafe --generate-hashes --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file requirements.lock pyproject.toml
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/python -m piptools compile \
		--quiet --upgrade --extra build --constraint requirements.lock --allow-unsafe --generate-hashes --strip-extras \
		--no-annotate --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file runtime.lock pyproject.toml
	echo 'mistral==23.0.0' | CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/python -m piptools compile \
		--quiet --upgrade --allow-unsafe --generate-hashes --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file tests/mistral.lock -
	printf 'heat-tempest-plugin==3.0.0\nopenstack-heat==27.0.1\n' | CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/python -m piptools compile \
		--quiet --upgrade --allow-unsafe --generate-hashes --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file tests/heat-suite.lock -
	@if grep -nE '://|^-| @ |(^|[[:space:]=])/' *.lock tests/*.lock tests/cloud/box/*.lock; then \
		echo "a lock file names a host or a path of this machine"; exit 1; \
	fi

# What an earlier build left would go into the wheel, though the package no longer has it.
dist: setup page ## build the source distribution, and the wheel from it
	rm -rf dist build/lib build/bdist.* *.egg-info
	$(BIN)/python -m build --no-isolation

clean: ## remove .venv and everything that was generated
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Which registry npm asks is a matter of the machine: the lock file names none.
page/node_modules/.installed: page/package.json page/package-lock.json
	@command -v npm >/dev/null || { echo "the page is built with npm; on Debian: apt-get install nodejs npm"; exit 1; }
# Not `npm ci`: it insists on packages for every platform, and not every registry has them all.
	cd page && npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# What the package needs to run, and the package itself: all that the demo waits for.
$(VENV)/.runtime: runtime.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Hotplate needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make virtual environments; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "Making $(VENV) with the locked dependencies, once."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) --require-hashes -r runtime.lock
	@# setuptools warns of every editable installation; nothing can be done about that one.
	@PYTHONWARNINGS=ignore $(PIP_INSTALL) --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed: $(VENV)/.runtime requirements.lock
	@echo "Adding the tools of the developers. This takes a minute or two, once."
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@touch $@
