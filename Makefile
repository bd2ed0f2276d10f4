# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
BIN := .venv/bin
# The tests start hundreds of processes: what those import is compiled once.
export PYTHONDONTWRITEBYTECODE :=

# Tests that start programs, editors or JAX again and again.
SLOW := $(wildcard tests/test_confirm*.py) tests/differential tests/test_command.py \
	tests/test_flake8.py tests/test_measured.py tests/test_page.py tests/test_pre_commit.py \
	tests/test_server.py

.PHONY: demo test lint quick confirm docs new-rule clean

demo: .venv/static
	$(BIN)/flake8 --select JXL examples/train.py || true

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal
	JAX_PLATFORMS=cpu $(BIN)/jaxlint confirm

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/flake8 --select JXL jaxlint tests tools

quick: .venv/dev
	$(BIN)/python -m pytest -n auto $(addprefix --ignore=,$(SLOW))

# The site, in build/site: warnings are errors, and each link leads somewhere.
docs: .venv/docs
	$(BIN)/python -m mkdocs build --strict
	$(BIN)/python -m tools.site check build/site

new-rule: .venv/dev
	$(BIN)/python -m tools.new_rule $(CODE) $(NAME) $(EVENT)

confirm: .venv/dev
	JAX_PLATFORMS=cpu $(BIN)/jaxlint confirm --json docs/evidence/cpu.json

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/static: .venv/bin/python pyproject.toml setup.py
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/dev: .venv/bin/python pyproject.toml setup.py
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

.venv/docs: .venv/bin/python pyproject.toml setup.py
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv build dist *.egg-info
