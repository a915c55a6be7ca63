# The commands of the project; `make` lists them. What they do lies in scripts/.

# Tests start hundreds of processes; without its bytecode each would compile the project again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run test test-fast test-thorough test-servers mutation attack fuzz lint format bench bundle docs lock

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Make .venv with everything for development
	@scripts/setup dev
	@echo "Everything for development is in .venv. Next: make run, make test-fast."

run: ## Run the workbench; HOST and PORT say where (127.0.0.1:8000)
	@scripts/run

test: ## Run every check and every test that this machine allows
	@scripts/test

test-fast: ## Run the tests that need no browser and no server and are quick
	@scripts/setup dev
	@env -u PYTHONDONTWRITEBYTECODE .venv/bin/python -m pytest -q -n 2 --nomigrations -m "not browser and not server and not slow and not thorough and not full" tests

test-thorough: ## Run the tests with many generated texts, or long ones
	@scripts/setup dev
	@status=0; scripts/pytest -m "thorough and not attack" tests || status=1; .venv/bin/python scripts/mutation.py --quick --sample 20 --least 0.5 --tests tests/abl/expressions --tests tests/abl/runtime/constraints abl/expressions abl/runtime/constraints || status=1; scripts/attack || status=1; exit $$status

test-servers: ## Run the tests that touch data on PostgreSQL and Redis
	@scripts/test-servers

mutation: ## Change the runtime and the expressions in 600 ways and list what no test notices (an hour)
	@scripts/setup dev
	@.venv/bin/python scripts/mutation.py

attack: ## Attack a workbench of its own and print which bounds hold (minutes)
	@scripts/attack

fuzz: ## Run the tests with generated texts at full length (hours)
	@scripts/setup dev
	@scripts/fuzz

lint: ## Check style, types, layers and templates
	@scripts/setup dev
	@scripts/lint

format: ## Format Python
	@scripts/setup dev
	@.venv/bin/ruff check --quiet --fix . && .venv/bin/ruff format --quiet .

bench: ## Measure speed against the bars and the peers
	@scripts/setup bench
	@echo "Measuring, module by module: minutes, with two cores. Some start a workbench or a browser."
	@.venv/bin/python -m benchmarks

bundle: ## Build static/dist from frontend/ (needs node and npm)
	@scripts/bundle

docs: ## Write the reference pages that come from code
	@scripts/setup dev
	@.venv/bin/python scripts/reference.py

lock: ## Pin requirements/*.in anew into requirements/*.txt (needs uv)
	@scripts/lock
