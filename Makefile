# All set-up happens by itself, in .venv. Needs Python >= 3.11 and make; uses uv when it is there.
CONFIG ?= configs/cubirds.yaml
LADDERS ?= configs/reference/*.yaml
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

ifeq ($(shell command -v uv 2>/dev/null),)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
VENV = $(PYTHON) -m venv .venv
else
INSTALL = uv pip install --quiet --python $(BIN)/python
VENV = uv venv --quiet --python $(PYTHON) .venv
endif

.PHONY: run test test-fast check format bench reference clean
.DELETE_ON_ERROR:

run: .venv/arena  ## play the tournament of CONFIG and print its leaderboard
	$(BIN)/arena run $(CONFIG)

test: .venv/dev  ## all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-fast: .venv/dev  ## the tests that need neither Ray nor many games
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

check: .venv/dev  ## formatting, lint, types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/arena  ## measure; prints JSON
	$(BIN)/python -m bench

reference: .venv/arena  ## play LADDERS again (the reference ladders: hours) and compare with results/reference
	@for config in $(LADDERS); do \
		name=$$(basename $$config .yaml) && \
		$(BIN)/arena run $$config -o results/again-$$name && \
		for board in results/reference/$$name/*; do \
			diff $$board results/again-$$name/$$(basename $$board) || exit 1; \
		done || exit 1; \
	done

clean:
	rm -rf .venv build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "arena needs Python 3.11 or newer; found: $$(python3 --version 2>&1)" >&2; exit 1; }
	@echo "setting up .venv (first run only) …"
	@$(VENV)

.venv/arena: pyproject.toml | .venv/bin/python
	@echo "installing arena (first run only) …"
	@$(INSTALL) -e .
	@touch $@

.venv/dev: pyproject.toml | .venv/bin/python
	@echo "installing arena with its tests and tools (first run only) …"
	@$(INSTALL) -e ".[dev]"
	@touch $@ .venv/arena
