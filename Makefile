# make setup, test, lint, train, ... : everything runs in .venv, which is made with PYTHON and the versions of constraints.txt.

PYTHON ?= python3
GAME ?= inphexion_v0
SEED ?= 0
# arguments for pytest and for the training, e.g. make test PYTEST="-k perft -x", make train TRAIN="--steps 1000000", make train-rllib TRAIN="--runners 4"
PYTEST ?=
TRAIN ?=
# for the arena, e.g. make ratings RATINGS="--games 1000 --json ratings.json"
RATINGS ?=
JOBS ?= 2

BIN := .venv/bin
OLDEST := .venv-oldest/bin
FRAMEWORKS := .venv-frameworks/bin
RLLIB := .venv-rllib/bin
RUN := runs/$(GAME)-$(SEED)
# tests of what the extras `train` and `numba` install; the oldest versions are tested without these
EXTRA_TESTS := tests/test_sb3*.py tests/test_train*.py tests/test_plot.py tests/test_compiled.py tests/test_alphazero.py
PACKAGE_TESTS := tests/test_package.py

.PHONY: help setup lint format test test-slow test-oldest test-frameworks test-rllib docs train train-rllib ratings bench clean

help:
	@echo 'make setup        make .venv (redone only when pyproject.toml or constraints.txt changed)'
	@echo 'make test         the tests that take seconds'
	@echo 'make test-slow    the tests that take longer'
	@echo 'make test-oldest  the tests of the core with the oldest supported gymnasium and numpy'
	@echo 'make docs         the documentation as a site, in site/; a warning is an error'
	@echo 'make test-frameworks  the games in OpenSpiel, TorchRL and Tianshou (docs/frameworks.md), in .venv-frameworks'
	@echo 'make test-rllib   the games in RLlib (docs/rllib.md), in .venv-rllib'
	@echo 'make lint         ruff and pyright;  make format  lets ruff mend what it can'
	@echo 'make train        train GAME=$(GAME) with SEED=$(SEED), then evaluate the saved model in a fresh process'
	@echo 'make train-rllib  train GAME=$(GAME) with SEED=$(SEED) by self-play in RLlib, in .venv-rllib'
	@echo 'make ratings      play all agents against one another, and print the ratings of each game'
	@echo 'make bench        measure the throughput'
	@echo 'make clean        remove what these made, runs/ excepted'

setup: .venv/.installed

# torch is named so that it is resolved together with the rest, at its pinned version
.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt torch -e '.[render,train,numba,docs,test,dev]'
	@touch $@

.venv-oldest/.installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	$(OLDEST)/python -m pip install -q -c constraints-oldest.txt -e '.[render,test]'
	@touch $@

.venv-frameworks/.installed: pyproject.toml constraints-frameworks.txt
	$(PYTHON) -m venv .venv-frameworks
	$(FRAMEWORKS)/python -m pip install -q -c constraints-frameworks.txt torch -e '.[openspiel,torchrl,tianshou]' \
	    pytest pytest-xdist hypothesis
	@touch $@

.venv-rllib/.installed: pyproject.toml constraints-rllib.txt
	$(PYTHON) -m venv .venv-rllib
	$(RLLIB)/python -m pip install -q -c constraints-rllib.txt torch -e '.[rllib]' pytest hypothesis
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

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# one thread each: the networks are small, and the tests run side by side
test-frameworks: .venv-frameworks/.installed
	OMP_NUM_THREADS=1 $(FRAMEWORKS)/python -m pytest tests/frameworks -n $(JOBS) --durations 10 $(PYTEST)

# one after the other: they share a cluster
test-rllib: .venv-rllib/.installed
	OMP_NUM_THREADS=1 $(RLLIB)/python -m pytest tests/rllib --durations 10 $(PYTEST)

train: setup
	$(BIN)/python examples/train_maskable_ppo.py --game $(GAME) --seed $(SEED) --out $(RUN) $(TRAIN)
	$(BIN)/python examples/train_maskable_ppo.py --evaluate $(RUN)

train-rllib: .venv-rllib/.installed
	$(RLLIB)/python examples/train_rllib.py --game $(GAME) --seed $(SEED) $(TRAIN)

ratings: setup
	$(BIN)/python -m abstract_envs arena all $(RATINGS)

bench: setup
	$(BIN)/python benchmarks/throughput.py

clean:
	rm -rf .venv .venv-oldest .venv-frameworks .venv-rllib build dist site .pytest_cache .ruff_cache .hypothesis
