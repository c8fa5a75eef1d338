# Two commands: `make demo` and `make test`. Each sets up .venv first, if needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUNS := $(VENV)/.runs-installed
DOCS := $(VENV)/.docs-installed
# ROS 2 comes as wheels for x86-64 Linux; elsewhere everything runs in-process.
ROS := $(shell [ "$$(uname -sm)" = "Linux x86_64" ] && echo ros)
COMMA := ,
EXTRAS := $(addsuffix $(COMMA),$(ROS))test
# Processes that tests run in, side by side: one more than processors, as some tests wait.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
export PYTHONS
export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
# Tests start hundreds of processes: each would compile the text of the modules that it imports.
# Those of the demo compile it once.
quick test test-bounds demo: export PYTHONDONTWRITEBYTECODE =

.PHONY: demo quick test test-bounds soak check bench docs notebooks packages release fast2d clean

# Install into .venv what the package in this folder and extras ask for; options of pip.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "Python >= 3.10 is needed; set PYTHON=... to one"; exit 1; }
	[ -x $(BIN)/python ] || { $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(2) \
	  --editable '.$(if $(1),[$(1)])'
	@touch $@
endef

$(STAMP): setup.py pyproject.toml
	$(call install,$(EXTRAS))

# What runs need, without the tools of tests: half of the time. Python compiles the modules that
# it imports; pip would compile all others, too.
$(RUNS): setup.py pyproject.toml
	$(call install,$(ROS),--no-compile)

# A leader and three followers in a crosswind, over ROS 2 where it is installed.
demo: $(if $(wildcard $(STAMP)),$(STAMP),$(RUNS))
	@rm -rf demo && mkdir demo
	@if $(BIN)/python -c 'import rclpy' 2>/dev/null; then command=up; else command=run; fi; \
	  echo "sbot $$command leader_follower --record demo/bag --plot demo/tracks.png"; \
	  $(BIN)/sbot $$command leader_follower --record demo/bag --plot demo/tracks.png
	@echo "A recording is in demo/bag, a picture in demo/tracks.png"

# WORKERS=0: all tests in one process, as a debugger needs it.
test: $(STAMP)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --durations=25 $(ARGUMENTS)

# The inner loop: layers, pages, physics, wind and golden bags, without processes and ROS.
quick: $(STAMP)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m 'not ros and not slow and not forked' \
	  test/test_imports.py test/test_docs.py test/test_docstrings.py test/sbot_sim/world \
	  test/sbot_sim/collision test/sbot_sim/drives test/sbot_sim/dynamics test/wind_model \
	  test/sbot/regression/test_golden.py $(ARGUMENTS)

# All tests with compiled code that checks indices: a read beyond an array is an IndexError, which
# numba only prints where it is in a callback; -W makes it an error there, too. It has a cache of
# its own, so the first time compiles for some minutes.
test-bounds: $(STAMP)
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q \
	  -W error::pytest.PytestUnraisableExceptionWarning $(ARGUMENTS)

# Mutated inputs for all parsers: an hour, or e.g. ARGUMENTS='--count 1000000 --jobs 2'.
soak: $(STAMP)
	$(BIN)/python test/robustness/soak.py $(ARGUMENTS)

# Lint and types; .ci/run and the pre-commit hooks run the same.
check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/sbot bench

$(DOCS): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

# The documentation site in build/site: any warning, dead link or file from the web is an error.
docs: $(DOCS)
	$(BIN)/python docs/make_site.py
	cd build && ../$(BIN)/zensical build --strict --clean --config-file site.yml >site.log 2>&1 \
	  || { cat site.log; exit 1; }
	@! grep '^griffe' build/site.log  # docstrings that name no parameter
	$(BIN)/python docs/finish_site.py build/site
	$(BIN)/python docs/check_site.py build/site

# The tutorials as notebooks, and their pictures: takes some minutes.
notebooks: $(DOCS)
	$(BIN)/python docs/make_notebooks.py $(ARGUMENTS)

# sdist and wheels in dist/, those with machine code for this platform too, tried in fresh environments: make packages PYTHONS='python3.12 python3.13'
packages:
	.ci/packages

# This repository with the addresses of its home, in build/release, to build and publish from:
# make release HOME=https://github.com/OWNER/NAME [DOCS_AT=https://...] [MAIL=...]
release:
	@[ "$(origin HOME)" = "command line" ] || { echo "give HOME=https://..., where the repository is"; exit 1; }
	@$(PYTHON) .ci/release.py $(HOME) $(if $(DOCS_AT),--docs $(DOCS_AT)) $(if $(MAIL),--mail $(MAIL))

# Fast2D as a shared library for hosts in C.
fast2d: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fast2d]'
	$(BIN)/python -m sbot_sim.fast2d.shared_library build/fast2d

clean:
	rm -rf $(VENV) build install log demo dist *.egg-info
