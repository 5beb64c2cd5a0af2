# `make run` starts Parley on the embedded engine. `make test` runs the tests. Both set up what they
# need in .venv; nothing else has to be installed but Python 3.11 or newer.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_PIN := pip==26.2.1
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test test-slow check example-url bench setup-run setup-dev clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(BIN)/python:
	@echo "parley: making a virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "parley: Python 3.11 or newer is needed (set PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) '$(PIP_PIN)'

$(VENV)/.run: requirements.txt pyproject.toml | $(BIN)/python
	@echo "parley: installing what the service needs (first run only, about a minute)"
	@$(INSTALL) -r requirements.txt --group local
	@touch $@

$(VENV)/.dev: requirements.txt pyproject.toml | $(BIN)/python
	@echo "parley: installing what the tests and checks need (first run only, about a minute)"
	@$(INSTALL) -r requirements.txt --group dev
	@touch $@ $(VENV)/.run

setup-run: $(VENV)/.run
setup-dev: $(VENV)/.dev

run: setup-run ## start the whole service on the embedded engine (PARLEY_PORT, PARLEY_DATA_DIR)
	@$(BIN)/python -m infra.local

test: setup-dev ## run the tests (under four minutes)
	@$(BIN)/python -m pytest -m "not slow" --numprocesses auto

test-slow: setup-dev setup-tools ## kill loops, conformance, real SDK clients (about ten minutes)
	@$(BIN)/python -m pytest -m slow

check: setup-dev package ## linters, types, layers, house rules, the package and both its templates
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest tests/house

example-url: setup-run ## walk a URL elicitation end to end on a service of its own
	@$(BIN)/python examples/mcp-url-elicitation/run.py $(ARGS)

bench: setup-dev ## measure against the bare floor in the same run
	@$(BIN)/python -m bench

clean: ## remove what make and the service made here
	rm -rf $(VENV) .venv-tools .venv-package build .parley .mypy_cache .ruff_cache .hypothesis

# Lambda runs the Python that packages: 3.13 where there is one, which AWS supports until June 2029.
STAGE ?= production
TOOLS := .venv-tools
PACKAGE_VENV := $(shell python3.13 -c 'print(".venv-package")' 2>/dev/null || echo $(VENV))
.PHONY: package deploy destroy setup-tools

.venv-package/.run: requirements.txt
	@echo "parley: installing what packaging needs for Python 3.13 (first run only, about a minute)"
	@python3.13 -m venv .venv-package
	@.venv-package/bin/python -m pip install --quiet --disable-pip-version-check '$(PIP_PIN)'
	@.venv-package/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(TOOLS)/.tools: infra/tools-requirements.txt | $(BIN)/python
	@$(BIN)/python -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check -r infra/tools-requirements.txt
	@touch $@

setup-tools: $(TOOLS)/.tools

package: $(PACKAGE_VENV)/.run $(TOOLS)/.tools ## build and check what goes to AWS (STAGE=production)
	@$(PACKAGE_VENV)/bin/python -m infra.build --stage $(STAGE)
	@$(PACKAGE_VENV)/bin/python -m infra.check --stage $(STAGE)

deploy: package ## create or update the stack, after showing what would change (ARGS="OperatorEmail=...")
	@$(PACKAGE_VENV)/bin/python -m infra.deploy --stage $(STAGE) $(ARGS)

destroy: $(PACKAGE_VENV)/.run ## delete the stack; refused while the table is protected
	@$(PACKAGE_VENV)/bin/python -m infra.destroy --stage $(STAGE) $(ARGS)
