# Needs cargo, a C compiler, and, where the Hugging Face Hub cannot be reached, python3 with pip.
CARGO ?= cargo
DEMO_STORE ?= target/demo/memory.db
DATA ?=
BENCH_PYTHON ?= python3

.PHONY: demo test lint bench reproduce

## See it work: builds, gets the model, imports a small conversation, asks five questions.
demo:
	$(CARGO) build --release -p aforesaid-cli
	./target/release/aforesaid --store $(DEMO_STORE) demo

## All tests; the ones on public data run where AFORESAID_DATA names its folder, and say so elsewhere.
test:
	$(CARGO) test --workspace

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check; \
	else echo "cargo-deny is not installed: licences and advisories were not checked"; fi

## Speed, as ratios to named peers: see bench/README.md.
bench:
	BENCH_PYTHON=$(BENCH_PYTHON) bench/run

## Measures again every published figure whose data is here: make reproduce DATA=folder/with/datasets
reproduce:
	$(CARGO) build --release -p aforesaid-studies
	./target/release/aforesaid-studies reproduce $(if $(DATA),--data "$(DATA)")
