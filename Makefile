# Everything that these targets need is put into .venv, from the lock files; nothing else on the machine changes.
# Wanted beforehand: Python 3.11 or newer, and make. A second run finds its stamp and starts at once.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help run test lint bench install lock clean

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet --quiet install --no-compile --progress-bar off
# One stamp for each state of a lock file: a changed lock is installed at the next run.
stamp = .venv/.installed-$(shell cksum < $(1) | tr -d ' ')
RUNTIME := $(call stamp,requirements.lock)
TOOLS := $(call stamp,requirements-dev.lock)

help:
	@echo "make run      the demo: bot and simulated platform on loopback, a conversation, then it stays up"
	@echo "make test     every check: format, lint, layers, types, tests with coverage"
	@echo "make lint     the checks of make test that run no code"
	@echo "make bench    the measurements of tests/bench, some seven minutes; ARGS='--json FILE', ARGS=--help"
	@echo "make install  the steward command itself, as $(BIN)/steward"
	@echo "make lock     choose versions anew and write both lock files (needs uv)"
	@echo "make clean    remove .venv and what the tools left behind"

run: $(RUNTIME)
	@$(BIN)/python -m bot demo --stay

test: lint
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --ignore=tests/bench --numprocesses=auto --dist=worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(TOOLS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: $(TOOLS)
	$(BIN)/python -m tests.bench $(ARGS)

install: $(TOOLS)
	@test -x $(BIN)/steward && echo "$(BIN)/steward is there: $(BIN)/steward --help"

$(BIN)/pip:
	@found=; for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "Python 3.11 or newer is needed. On Debian or Ubuntu: apt-get install python3 python3-venv"; exit 1; \
	fi; \
	if ! $$found -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$$found cannot make a virtual environment: it lacks ensurepip."; \
	  echo "On Debian or Ubuntu: apt-get install python3-venv"; exit 1; \
	fi; \
	echo "== making .venv with $$($$found --version)"; \
	$$found -m venv --clear .venv

$(RUNTIME): requirements.lock | $(BIN)/pip
	@echo "== installing what the steward needs into .venv, versions and hashes as locked; about a minute"
	@$(PIP) --require-hashes -r requirements.lock
	@touch $@

$(TOOLS): requirements-dev.lock pyproject.toml | $(BIN)/pip
	@echo "== installing the steward and the tools that check it into .venv, as locked; about a minute"
	@$(PIP) --require-hashes -r requirements-dev.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@ $(RUNTIME)

lock:
	@command -v uv >/dev/null || { echo "make lock needs uv, as its own documentation installs it"; exit 1; }
	uv pip compile pyproject.toml --upgrade --extra postgres --generate-hashes --no-header --no-emit-index-url \
	  --no-annotate --universal --python-version 3.11 --quiet -o requirements.lock
	uv pip compile pyproject.toml --upgrade --extra postgres --extra dev --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate --universal --python-version 3.11 --quiet \
	  --constraint requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* var
