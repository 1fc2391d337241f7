# The whole developer interface. `make help` lists it; nothing here needs more than python3 (3.11 or newer), make and a package registry.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Setup is done for exactly these inputs; a change of any of them makes a new stamp and so a new run.
STAMP  := $(VENV)/.setup-$(shell { cat requirements/dev.txt pyproject.toml; $(PYTHON) --version; } 2>/dev/null | cksum | cut -d ' ' -f 1)
CODE   := $(wildcard policies autoscaler providers simulations benchmarks tests)
LOCK   := --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header

.DEFAULT_GOAL := help
.PHONY: help setup demo test check fmt cases bench torture lock build clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv from the hash-locked requirements; quick when nothing changed
	@echo "setup: $(VENV) is up to date"

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "setup: needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another one: make setup PYTHON=python3.11" >&2; exit 1; }
	@echo "setup: creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { echo "setup: this Python cannot create virtual environments; install its venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@echo "setup: installing requirements/dev.txt (exact versions, checked by hash)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@echo "setup: installing gpu-autoscaler from this folder"
	@# The build backend is found through PATH.
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@rm -f $(VENV)/.setup-* && touch $@

demo: $(STAMP) ## the real loop on a simulated cluster, in fast time
	$(BIN)/gpu-autoscaler demo

test: $(STAMP) ## the tests; what is skipped is listed with its reason
	$(BIN)/python -m pytest -n auto -rs $(TESTFLAGS)

check: $(STAMP) ## format, lint, types, import contracts, rules of the repository
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/house

fmt: $(STAMP) ## format the code and mend what the linter can mend
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

cases: $(STAMP) ## the decision cases of ../shared, where that folder is there
	@if [ -f ../shared/cases/run ]; then GPU_AUTOSCALER="$(CURDIR)/$(BIN)/gpu-autoscaler" $(BIN)/python ../shared/cases/run; \
	else echo "cases: skipped, ../shared/cases is not here"; fi

bench: $(STAMP) ## the benchmarks
	$(BIN)/python -m benchmarks

torture: $(STAMP) ## seeded worlds on all cores: N= how many, SEED= the first; goes on where it was stopped
	$(BIN)/python -m benchmarks.torture --runs $(or $(N),5000) --seed $(or $(SEED),1)

lock: $(STAMP) ## renew requirements/*.txt after a change of pyproject.toml (UPGRADE=--upgrade for newer versions)
	$(BIN)/uv pip compile pyproject.toml --group dev $(LOCK) $(UPGRADE) --output-file requirements/dev.txt
	$(BIN)/uv pip compile pyproject.toml $(LOCK) $(UPGRADE) --output-file requirements/runtime.txt

build: $(STAMP) ## wheel and source archive in dist/
	rm -rf dist
	$(BIN)/uv build --quiet --out-dir dist
	@ls -1 dist

clean: ## remove what the other targets made
	rm -rf $(VENV) dist build out .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
