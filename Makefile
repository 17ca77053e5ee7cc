# Every target sets up what it needs; `make` alone lists the targets.

PYTHON ?= python3

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint coverage bench bench-scale paper test-oldest test-exports test-refit test-memory test-kills test-engines faults sanitize attack mutants test-page screenshots pages clean

RUN := .venv/bin/python
RUN_OLDEST := .venv-oldest/bin/python
RUN_SANITIZE := .venv-sanitize/bin/python
RUN_MUTANTS := .venv-mutants/bin/python
RUN_ENGINES := .venv-engines/bin/python
PAGE_CHECKS := tests/report/javascript
INPUTS := pyproject.toml CMakeLists.txt $(wildcard src/kernels/*)

# The build runs with the tools of the environment itself, so that it can be continued later.
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
# What takes long to unpack, which is done while the kernels are compiled.
LARGE := matplotlib numpy pandas scikit-learn scipy
# What is never imported need not be compiled.
INSTALL := -m pip --disable-pip-version-check install --quiet --no-compile

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name text; do \
	  printf '  make %-12s %s\n' "$$name" "$$text"; done

demo: .venv/demo-installed  ## learn three small models, print them, draw them and write their pages into demo/
	@$(RUN) -m sorb.demo --out demo

test: lint  ## lint, then all tests and doctests
	$(RUN) -m pytest -n 2 --dist worksteal

lint: .venv/installed  ## ruff, clang-format, mypy --strict, import-linter
	$(RUN) -m ruff check src tests benchmarks
	$(RUN) -m ruff format --check src tests benchmarks
	.venv/bin/clang-format --dry-run --Werror src/kernels/*.?pp
	$(RUN) -m mypy
	.venv/bin/lint-imports --no-logo

# It takes nearly twice as long as the tests alone.
coverage: .venv/installed  ## that the tests reach 95 % of the lines; those that they miss, in htmlcov/
	$(RUN) -m pytest -n 2 --cov --cov-report=html
	@echo "Open htmlcov/index.html"

bench: .venv/installed  ## speed, predictions, memory and import time, into benchmarks/results/
	$(RUN) benchmarks/speed.py
	$(RUN) benchmarks/predict_speed.py
	$(RUN) benchmarks/classes.py
	$(RUN) benchmarks/mixed_columns.py
	$(RUN) benchmarks/memory.py
	$(RUN) benchmarks/import_time.py

bench-scale: .venv/installed  ## time and memory of large tables, into benchmarks/results/ (half an hour)
	$(RUN) benchmarks/scale.py

# Each finished part is kept: an interrupted run goes on where it was.
paper: .venv/installed  ## the paper's evaluation with all rivals (hours), into results/ and docs/results/
	.venv/bin/sorb lab run paper --jobs 2 --out results/paper
	.venv/bin/sorb lab run published --jobs 2 --out results/published
	.venv/bin/sorb lab tables results/paper --format markdown --out docs/results
	.venv/bin/sorb lab figures results/paper --out docs/results
	.venv/bin/sorb lab tables results/published --table complexity_cv,risk_cv --format markdown --out docs/results/published
	.venv/bin/sorb lab report results/paper

# Old libraries warn of changes that have long happened, which is no error here.
test-oldest: .venv-oldest/installed  ## scikit-learn's estimator checks and a few more, with the oldest dependencies
	$(RUN_OLDEST) -m pytest --override-ini=filterwarnings= tests/estimators/test_sklearn_contract.py tests/learning/test_near_duplicates.py

test-exports: .venv/installed  ## every export on 1,000 random models
	SORB_EXPORT_MODELS=1000 $(RUN) -m pytest tests/export

test-refit: .venv/installed  ## the accuracy of the refit on 10,000 random problems
	SORB_REFIT_PROBLEMS=10000 $(RUN) -m pytest tests/learning/test_refit_accuracy.py

test-page: .venv/browser-installed $(PAGE_CHECKS)/node_modules/.package-lock.json chromium firefox  ## the report page: eslint, tsc, its unit tests, and in Chromium and Firefox (needs Node.js)
	$(PAGE_CHECKS)/node_modules/.bin/eslint --config $(PAGE_CHECKS)/eslint.config.js src/sorb/report/page $(PAGE_CHECKS)
	$(PAGE_CHECKS)/node_modules/.bin/tsc --project $(PAGE_CHECKS)/tsconfig.json
	node --test $(PAGE_CHECKS)/*.test.js
	SORB_PAGE_MODELS=200 $(RUN) -m pytest tests/report

screenshots: .venv/browser-installed chromium demo  ## pictures of the demo's pages at three widths, light and dark, into build/screenshots/
	PYTHONPATH=tests $(RUN) -m report.browser.screenshots demo/*.html

pages: .venv/browser-installed chromium demo  ## write the demo's pages into docs/pages/, and the picture of one into docs/images/
	mkdir -p docs/pages
	cp demo/*.html docs/pages/
	PYTHONPATH=tests $(RUN) -m report.browser.picture docs/pages/breast_cancer.html docs/images/report.png

.PHONY: chromium firefox
chromium:
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null \
	  || { apt-get update -q && apt-get install -qy --no-install-recommends chromium; }

firefox:
	@command -v firefox-esr > /dev/null || command -v firefox > /dev/null \
	  || { apt-get update -q && apt-get install -qy --no-install-recommends firefox-esr; }

test-memory: .venv/installed .venv-engines/installed postgresql  ## the limit of --memory with ten million rows, and what is used
	SORB_MEMORY_ROWS=10_000_000 $(RUN) -m pytest -s tests/cli/test_memory_limit.py
	SORB_MEMORY_ROWS=10_000_000 SORB_ENGINES=postgres $(RUN_ENGINES) -m pytest -s --override-ini=filterwarnings= tests/engines/test_command_line.py -k memory

test-kills: .venv/installed  ## that 30 fits that are killed go on to the same models
	SORB_KILLED_FITS=30 $(RUN) -m pytest tests/cli/test_partial_fit.py

# The engines' own warnings are no errors here.
test-engines: .venv-engines/installed postgresql  ## the same models on Spark, PostgreSQL and Ibis (15 minutes; needs Java 17)
	SORB_ENGINES="ibis postgres spark" $(RUN_ENGINES) -m pytest --override-ini=filterwarnings= tests/engines

# Each trial is kept: an interrupted run goes on where it was.
TIMES ?= 20
faults: .venv-engines/installed postgresql  ## kill workers and cut connections while models are learned (hours), into benchmarks/results/
	PYTHONPATH=tests $(RUN_ENGINES) -m engines.faults --times $(TIMES)

.PHONY: postgresql
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || { apt-get update -q && apt-get install -qy postgresql; }

# The interpreter itself is not built with the sanitizers, so their libraries are loaded before it.
SANITIZED = LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $(RUN_SANITIZE)

sanitize: .venv-sanitize/installed  ## all tests that reach the kernels, under AddressSanitizer and UBSan
	$(SANITIZED) -m pytest -n 2 tests $(foreach part,rules lab cli ecosystem explanation export simplify render test_documents.py,--ignore=tests/$(part))

# Each finished part is kept: an interrupted run goes on where it was. SIZE=0.1 tries a tenth.
SIZE ?= 1
ATTACK = -m attacks --size $(SIZE)
ATTACK_PATH := PYTHONPATH=tests:benchmarks
attack: .venv/installed .venv-sanitize/installed  ## try to break it, at random (45 minutes), into benchmarks/results/
	$(ATTACK_PATH) $(SANITIZED) $(ATTACK) fits kernel_calls
	$(ATTACK_PATH) $(RUN) $(ATTACK) model_files lab_files names kills boundaries
	$(ATTACK_PATH) $(RUN) $(ATTACK) --report

# Each verdict is kept: an interrupted run goes on where it was.
MUTANTS ?= 300
SEED ?= 0
mutants: .venv-mutants/installed  ## that the tests notice 85 % of small faults in the code (hours)
	$(RUN_MUTANTS) benchmarks/mutants.py --mutants $(MUTANTS) --seed $(SEED)
	$(RUN_MUTANTS) tests/attacks/figures.py

clean:  ## remove everything that these targets made, but the results of the benchmarks
	rm -rf .venv .venv-oldest .venv-sanitize .venv-mutants .venv-engines build dist demo htmlcov .coverage*
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp holds the folder that its environment was made in: one that was moved is made anew.
STAMPS := .venv/demo-installed .venv/installed .venv/browser-installed .venv-oldest/installed .venv-sanitize/installed .venv-mutants/installed .venv-engines/installed
MOVED := $(foreach stamp,$(STAMPS),$(shell \
  if [ -e $(stamp) ] && [ "$$(cat $(stamp))" != "$$PWD" ]; then echo $(stamp); fi))
.PHONY: $(MOVED)

# What the demo needs; the tests need more, and add it to the same environment.
.venv/demo-installed: constraints.txt $(INPUTS)
	@$(call environment,.venv)
	@$(RUN) $(INSTALL) -c constraints.txt $(BUILD_TOOLS)
	@echo "Installing what the demo needs, and compiling the kernels in C++, which takes longest."
	@$(RUN) $(INSTALL) -c constraints.txt $(LARGE) & \
	  $(RUN) $(INSTALL) --no-build-isolation --no-deps --editable .; compiled=$$?; wait; exit $$compiled
	@$(RUN) $(INSTALL) -c constraints.txt 'sorb[demo]'
	@pwd > $@

.venv/installed: .venv/demo-installed
	@echo "Installing what the tests need."
	@$(RUN) $(INSTALL) -c constraints.txt 'sorb[dev]'
	@pwd > $@

# What drives a browser, which the tests do without if it is not there.
.venv/browser-installed: .venv/installed
	@$(RUN) $(INSTALL) -c constraints.txt playwright
	@pwd > $@

.venv-oldest/installed: constraints-oldest.txt constraints.txt $(INPUTS)
	@$(call environment,.venv-oldest)
	@$(RUN_OLDEST) $(INSTALL) -c constraints.txt $(BUILD_TOOLS)
	@$(RUN_OLDEST) $(INSTALL) -c constraints-oldest.txt --no-build-isolation \
	  --config-settings build-dir=build/oldest --editable . pandas pytest hypothesis
	@pwd > $@

.venv-sanitize/installed: constraints.txt $(INPUTS)
	@$(call environment,.venv-sanitize)
	@$(RUN_SANITIZE) $(INSTALL) -c constraints.txt $(BUILD_TOOLS)
	@$(RUN_SANITIZE) $(INSTALL) -c constraints.txt --no-build-isolation \
	  --config-settings build-dir=build/sanitize --config-settings cmake.define.SORB_SANITIZE=ON \
	  --editable '.[dev]'
	@pwd > $@

# Not editable, because the mutants are imported from copies of the code.
.venv-mutants/installed: constraints.txt $(INPUTS)
	@$(call environment,.venv-mutants)
	@$(RUN_MUTANTS) $(INSTALL) -c constraints.txt $(BUILD_TOOLS)
	@$(RUN_MUTANTS) $(INSTALL) -c constraints.txt --no-build-isolation \
	  --config-settings build-dir=build/mutants-kernels '.[dev]' 'cosmic-ray>=8.7,<9'
	@pwd > $@

.venv-engines/installed: constraints.txt $(INPUTS)
	@$(call environment,.venv-engines)
	@$(RUN_ENGINES) $(INSTALL) -c constraints.txt $(BUILD_TOOLS)
	@$(RUN_ENGINES) $(INSTALL) -c constraints.txt distributed duckdb hypothesis pandas polars pyarrow pytest \
	  'ibis-framework[duckdb,postgres]>=11' 'pyspark>=4'
	@$(RUN_ENGINES) $(INSTALL) -c constraints.txt --no-build-isolation \
	  --config-settings build-dir=build/engines --editable .
	@pwd > $@

$(PAGE_CHECKS)/node_modules/.package-lock.json: $(PAGE_CHECKS)/package-lock.json
	@command -v npm > /dev/null || { echo "the page is tested with Node.js; please install node and npm." >&2; exit 1; }
	cd $(PAGE_CHECKS) && npm ci --no-audit --no-fund
	@touch $@

OLD_PYTHON := sorb needs Python 3.10 or newer; name one, as in: make test PYTHON=python3.12
NO_COMPILER := sorb needs a C++17 compiler, such as g++ or clang++; please install one

define environment
echo "Preparing the environment $(1)."; \
{ command -v $(CXX) || command -v c++ || command -v clang++; } > /dev/null \
|| { echo "$(NO_COMPILER)." >&2; exit 1; }; \
if [ -z "$(filter $(1)/%,$(MOVED))" ] && $(1)/bin/python -m pip --version > /dev/null 2>&1; \
then exit; fi; \
$(PYTHON) -c 'import sys; sys.exit("$(OLD_PYTHON)." if sys.version_info < (3, 10) else 0)' \
&& $(PYTHON) -m venv --clear $(1)
endef
