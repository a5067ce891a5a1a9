# make setup, test, lint, train, ... : everything runs in .venv, which is made with PYTHON and the versions of constraints.txt.

PYTHON ?= python3
GAME ?= inphexion_v0
SEED ?= 0
# arguments for pytest and for the training, e.g. make test PYTEST="-k perft -x", make train TRAIN="--steps 1000000"
PYTEST ?=
TRAIN ?=
# for the arena, e.g. make ratings RATINGS="--games 1000 --json ratings.json"
RATINGS ?=
JOBS ?= 2

BIN := .venv/bin
OLDEST := .venv-oldest/bin
RUN := runs/$(GAME)-$(SEED)
# tests of what the extras `train` and `numba` install; the oldest versions are tested without these
EXTRA_TESTS := tests/test_sb3*.py tests/test_train*.py tests/test_plot.py tests/test_compiled.py tests/test_alphazero.py
PACKAGE_TESTS := tests/test_package.py

.PHONY: help setup lint format test test-slow test-oldest train ratings bench clean

help:
	@echo 'make setup        make .venv (redone only when pyproject.toml or constraints.txt changed)'
	@echo 'make test         the tests that take seconds'
	@echo 'make test-slow    the tests that take longer'
	@echo 'make test-oldest  the tests of the core with the oldest supported gymnasium and numpy'
	@echo 'make lint         ruff and pyright;  make format  lets ruff mend what it can'
	@echo 'make train        train GAME=$(GAME) with SEED=$(SEED), then evaluate the saved model in a fresh process'
	@echo 'make ratings      play all agents against one another, and print the ratings of each game'
	@echo 'make bench        measure the throughput'
	@echo 'make clean        remove what these made, runs/ excepted'

setup: .venv/.installed

# torch is named so that it is resolved together with the rest, at its pinned version
.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt torch -e '.[render,train,numba,test,dev]'
	@touch $@

.venv-oldest/.installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	$(OLDEST)/python -m pip install -q -c constraints-oldest.txt -e '.[render,test]'
	@touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: setup
	$(BIN)/python -m pytest -m 'not slow' -n $(JOBS) $(PYTEST)

test-slow: setup
	$(BIN)/python -m pytest -m slow -n $(JOBS) --durations 10 $(PYTEST)

test-oldest: .venv-oldest/.installed
	$(OLDEST)/python -m pytest -m 'not slow' -n $(JOBS) $(PACKAGE_TESTS:%=--ignore=%) $(EXTRA_TESTS:%=--ignore-glob='%') $(PYTEST)

train: setup
	$(BIN)/python examples/train_maskable_ppo.py --game $(GAME) --seed $(SEED) --out $(RUN) $(TRAIN)
	$(BIN)/python examples/train_maskable_ppo.py --evaluate $(RUN)

ratings: setup
	$(BIN)/python -m abstract_envs arena all $(RATINGS)

bench: setup
	$(BIN)/python benchmarks/throughput.py

clean:
	rm -rf .venv .venv-oldest build dist .pytest_cache .ruff_cache .hypothesis
