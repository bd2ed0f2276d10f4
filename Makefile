# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check confirm clean

demo: .venv/static
	$(BIN)/flake8 --select JXL examples/train.py || true

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/flake8 --select JXL jaxlint tests
	$(BIN)/python -m pytest -n auto
	JAX_PLATFORMS=cpu $(BIN)/jaxlint confirm

confirm: .venv/dev
	JAX_PLATFORMS=cpu $(BIN)/jaxlint confirm --json docs/evidence/cpu.json

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/static: .venv/bin/python pyproject.toml setup.cfg
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/dev: .venv/bin/python pyproject.toml setup.cfg
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build dist *.egg-info
