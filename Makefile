# One virtual environment, made from the pinned constraints; every target sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FAMILY ?=
WORKERS ?= 2
# A worker without tests takes half of those that wait for another.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Each worker keeps BLAS to one thread, so that they do not wait for each other's. Compiled modules are kept, whatever
# the environment says: every worker, and every process that a test starts, reads hundreds of them.
test test-all: export OPENBLAS_NUM_THREADS := 1
test test-all: export OMP_NUM_THREADS := 1
test test-all: export PYTHONDONTWRITEBYTECODE :=

# Environments beside it: the least versions that pyproject.toml declares, on the least Python, and the newest of all.
FLOORS := .venv-floors
NEWEST := .venv-newest
FLOOR_PYTHON ?= python3.11

.PHONY: help demo warm wheel test test-all test-floors test-newest neural lint format bench docs spec clean

help:
	@echo "make demo      set up and run the main job on embedded data"
	@echo "make warm      set up and compile the kernels"
	@echo "make wheel     the pure wheel, and one that carries compiled kernels, in dist/"
	@echo "make test      set up and run the tests (about 10 minutes on two cores once kernels are compiled)"
	@echo "make test-all  the same with the slow ones"
	@echo "make test-floors  the commands, the examples and the tests marked smoke, with the least versions declared"
	@echo "make test-newest  the same with the newest versions there are"
	@echo "make neural    set up PyTorch too, so that the tests that need it are not skipped"
	@echo "make lint      ruff, format check, layer contracts, types"
	@echo "make bench     ours beside the peers (FAMILY=linear for one family)"
	@echo "make docs      the site in docs/_build/html, gallery executed, no network"
	@echo "make spec      which ids of the specification no test shows"

$(VENV)/.made:
	$(PYTHON) -c "import sys; sys.exit('gnomon needs Python 3.11 or newer, this is ' + sys.version) if sys.version_info < (3, 11) else 0"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

# $(call install,extra): the package, editable, with one set of extras, at the pinned versions
define install
$(VENV)/.$(1): $(VENV)/.made pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[$(1)]"
	touch $$@
endef
$(foreach extra,app frames dev docs bench neural,$(eval $(call install,$(extra))))

demo: $(VENV)/.app $(VENV)/.frames
	$(BIN)/gnomon demo

# Kernels are compiled before the workers start, so that no two compile the same one.
warm: $(VENV)/.dev
	$(BIN)/gnomon warmup --jobs $(WORKERS) $(KERNELS)

wheel: $(VENV)/.dev
	$(BIN)/python tools/compiled_wheel.py --jobs $(WORKERS)

# What `make test` grows are small tables.
test: KERNELS := cluster features generative learn linear neighbors normal svm trees
test: warm
	$(PYTEST) -m "not slow"

test-all: warm
	$(PYTEST)

$(FLOORS)/.made: pyproject.toml constraints-floors.txt
	$(FLOOR_PYTHON) -m venv --clear $(FLOORS)
	$(FLOORS)/bin/python -m pip install --quiet --constraint constraints-floors.txt --editable ".[test]"
	touch $@

$(NEWEST)/.made: pyproject.toml
	$(PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --editable ".[test]"
	touch $@

# $(call smoke,environment): what shows that an environment serves
define smoke
	$(1)/bin/python -W error -m gnomon demo --out $(1)/demo
	$(1)/bin/python -m pytest -n $(WORKERS) --dist worksteal -m smoke
endef

test-floors: $(FLOORS)/.made
	$(call smoke,$(FLOORS))

# Newest again at every call.
test-newest:
	rm -f $(NEWEST)/.made
	$(MAKE) $(NEWEST)/.made
	$(call smoke,$(NEWEST))

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(FAMILY)

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# PyTorch, the second engine of networks; tests that need it are skipped without it.
neural: $(VENV)/.neural

spec: $(VENV)/.dev
	@if [ -f ../shared/tools/spec_ids.py ]; then \
		$(BIN)/python ../shared/tools/spec_ids.py --root . --missing $(if $(FAMILY),--family $(FAMILY)) || true; \
	else echo "no specification beside this checkout; nothing to compare"; fi

clean:
	rm -rf $(VENV) $(FLOORS) $(NEWEST) docs/_build docs/gallery build src/*.egg-info
