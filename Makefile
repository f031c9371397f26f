# Two commands do everything: `make demo` and `make test`.
.DEFAULT_GOAL := help
PY := .venv/bin/python

.PHONY: help setup data demo toolchains test lint schema zoo clean
help:
	@echo "make demo    train a recommender, convert, validate and publish it"
	@echo "make test    every check: format, lint, types, layering, tests"

setup:
	@.ci/setup

data: setup
	@for model in movielens digits minilm orientation recognition detection voice notes; do \
		test -e workflows/data/$$model/.ready || \
		{ $(PY) workflows/prepare/$$model.py && touch workflows/data/$$model/.ready; } || exit 1; done

demo: setup
	@.ci/demo

lint: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

# Quick where they are built already; the first time this fetches 4 GB, in about 5 minutes.
toolchains: setup
	@for toolchain in ipex openvino-2025.4 tensorflow; do \
		.venv/bin/pipeline toolchain sync $$toolchain || exit 1; done

test: lint data toolchains
	@.ci/browser >/dev/null
	@command -v curl >/dev/null || .ci/debs curl
	@command -v g++ >/dev/null || .ci/debs g++
	@.ci/allocators
	@$(PY) -m benchmarks.zoo --set-up
	$(PY) -m pytest -q -n auto --maxprocesses 4 --dist loadfile

# Every model of public packages, through the product: hours the first time.
zoo: toolchains
	$(PY) -m benchmarks.zoo

schema: setup
	.venv/bin/pipeline schema > workflows/job.schema.json

clean:
	rm -rf .pipeline workflows/data .services build dist
