# Every task a developer or the CI needs; `make` alone lists them.
# A target is at most five lines: whatever needs thought is a script in tools/.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

# rustup's usual place, for shells that have not been told yet.
ifeq ($(shell command -v cargo),)
export PATH := $(PATH):$(HOME)/.cargo/bin
endif

BIN := .venv/bin
STEP := tools/step.sh
# The names of the steps to come, for step.sh, which says how many there are and which is next.
ifndef STEP_PLAN
export STEP_PLAN := $(shell STEP_PLAN=asked $(MAKE) --dry-run $(MAKECMDGOALS) 2>/dev/null \
	| sed -nE 's/.*tools\/step.sh (--talks )?"([^"]*)".*/\2/p' | paste -sd '|')
export STEP_STARTED := $(shell date +%s)
endif
WITH_DRIVERS := $(BIN)/python tools/with_drivers.py
# Drivers take as long to compile kernels as all other tests take; `make test` has them.
NO_DRIVERS := SITU_OPENCL=off SITU_SYCL_LIBRARY=off
SOURCES := python tests tools benches examples
# A process more than there are cores: some tests wait for threads and for other processes.
PYTEST := $(BIN)/pytest -q -n $(shell expr $$(nproc) + 1)
# The extension module and the wheel of the tests have the profile and the features of the Rust tests, so that all
# of them share one compilation. (`cargo test` turns on situ-ir/arbitrary by itself.)
TEST_BUILD := --profile dev --locked --features llvm-static,situ-ir/arbitrary
CARGO_TEST := cargo test --workspace --locked --features situ-python/llvm-static
WHEEL_SOURCES := $(shell tools/wheel_sources.sh)
# Not empty if dist/ has the wheel of these sources, and no extension module was built in place.
MATCHING_WHEEL = $(and $(wildcard dist/.built),$(if $(wildcard python/situ/*.so),,none),\
	$(filter $(shell tools/wheel_sources.sh hash),$(file <dist/.built)))

.PHONY: help
help:  ## List these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

.PHONY: demo
demo: $(if $(MATCHING_WHEEL),install-wheel,build-quick)  ## Set up, build and take the tour (start here)
	@$(BIN)/python examples/tour.py $(if $(MATCHING_WHEEL),,--quick-build)

.PHONY: test
test: lint test-rust test-python test-packaging docs  ## Set up, then run every check and every test (what the CI runs)

.PHONY: check
check: lint-quick build-test .venv/.group-test  ## The quick half of `make test`, for use while editing: no drivers
	@$(STEP) "Rust tests" env $(NO_DRIVERS) $(CARGO_TEST) -- --quiet
	@$(STEP) --talks "Python tests" env $(NO_DRIVERS) SITU_TEST_EXAMPLES=25 $(PYTEST) -m "not slow and not packaging"

.PHONY: setup
setup: .venv/.ready  ## Install Debian packages and .venv for building (done by the others)

.venv/.ready: pyproject.toml tools/setup.sh tools/debian-packages.txt
	@tools/setup.sh
	@touch $@

.venv/.debian-drivers: tools/setup.sh tools/debian-drivers.txt .venv/.ready
	@tools/setup.sh drivers
	@touch $@

.venv/.group-drivers: .venv/.debian-drivers

.venv/.group-%: pyproject.toml .venv/.ready
	@$(STEP) "Python tools: $*" $(BIN)/pip install --quiet --group $*
	@touch $@

.PHONY: build
build: setup  ## Build the extension module (release) into .venv
	@RUSTFLAGS="$$(tools/release_flags.sh)" PIP_QUIET=1 $(STEP) "extension module" \
		$(BIN)/maturin develop --release --locked --features llvm-static

.PHONY: build-quick
build-quick: setup  ## Build it without link-time optimisation, in half the time (what `make demo` runs)
	@PIP_QUIET=1 $(STEP) "extension module, quick" $(BIN)/maturin develop --profile quick --locked

.PHONY: build-test
build-test: setup  ## Build it with assertions, sharing the compilation of the Rust tests
	@PIP_QUIET=1 $(STEP) "extension module, tests" $(BIN)/maturin develop $(TEST_BUILD)

.PHONY: fmt
fmt: .venv/.group-lint  ## Format Rust and Python; the only target that edits sources
	@cargo fmt --all
	@$(BIN)/ruff format $(SOURCES)
	@$(BIN)/ruff check --fix --quiet $(SOURCES)

.PHONY: lint-quick
lint-quick: .venv/.group-lint
	@$(STEP) "format" cargo fmt --all --check
	@$(STEP) "Python format" $(BIN)/ruff format --check --quiet $(SOURCES)
	@$(STEP) "Python lint" $(BIN)/ruff check --quiet $(SOURCES)
	@$(STEP) "layers" $(BIN)/python tools/check_layers.py
	@$(STEP) "package stub" $(BIN)/python tools/make_package_stub.py --check
	@$(STEP) "error pages" $(BIN)/python tools/make_error_pages.py --check

.PHONY: lint
lint: lint-quick build-test  ## Format, lint, layer, type and stub checks
	@$(STEP) "clippy" cargo clippy --workspace --all-targets --locked --features situ-python/llvm-static -- -D warnings
	@$(STEP) "Rust docs" tools/check_rust_docs.sh
	@$(STEP) "Python types" $(BIN)/pyright
	@$(STEP) "stubs" $(BIN)/stubtest situ._native --concise

.PHONY: test-rust
test-rust: setup .venv/.group-drivers  ## Every Rust test, over every driver
	@$(STEP) "Rust tests" $(WITH_DRIVERS) $(CARGO_TEST) -- --quiet

.PHONY: test-python
test-python: build-test .venv/.group-drivers .venv/.group-test .venv/.group-bench .venv/.group-clients  ## Every Python test but the wheel's; each over one driver
	@EXPECTED_CLIENTS="dask.array einops jax scipy sklearn xarray" \
		$(STEP) --talks "Python tests" env SITU_TEST_EXAMPLES=50 $(WITH_DRIVERS) $(PYTEST) -m "not packaging"

.PHONY: test-all
test-all: test test-wheel  ## `make test`, the release wheel, every Python test over every driver, more random programs
	@$(STEP) "more random programs" $(WITH_DRIVERS) $(CARGO_TEST) --tests -- --quiet --ignored other_programs
	@$(STEP) --talks "Python tests over all drivers" env SITU_TEST_EXAMPLES=200 $(WITH_DRIVERS) $(PYTEST) \
		-m "not packaging" --all-drivers

.PHONY: test-dpnp
test-dpnp: build .venv-peers/.ready  ## Tests with the real dpnp, which is too large (3 GB) for `make test`
	@.venv-peers/bin/pip install --quiet --group test
	@$(STEP) --talks "dpnp" .venv-peers/bin/python tools/with_drivers.py .venv-peers/bin/pytest -q tests/interop/test_dpnp.py

.PHONY: test-packaging
test-packaging: setup .venv/.group-test  ## Run a wheel of the tests' build in an empty environment
	@$(STEP) "wheel of the tests" tools/build_wheel.sh target/test-wheel $(TEST_BUILD) --compression-level 1
	@$(STEP) --talks "packaging" env TESTED_WHEELS=target/test-wheel $(BIN)/pytest -q tests/packaging

.PHONY: test-wheel
test-wheel: wheel .venv/.group-test  ## Run the release wheel in an empty environment
	@$(STEP) --talks "wheel test" env TESTED_WHEELS=dist $(BIN)/pytest -q tests/packaging

.PHONY: stress
stress: build-test .venv/.group-drivers .venv/.group-test  ## Attack the queues for minutes: random programs against a model, many threads
	@$(STEP) "random programs" $(WITH_DRIVERS) $(CARGO_TEST) --test model -- --quiet --ignored
	@$(STEP) "many threads" $(WITH_DRIVERS) $(CARGO_TEST) --test stress -- --quiet --ignored
	@$(STEP) --talks "Python queues" $(WITH_DRIVERS) $(BIN)/pytest -q tests/runtime

MINUTES := 60

.PHONY: fuzz
fuzz: build .venv/.group-drivers .venv/.group-test  ## Search for wrong results by random programs for MINUTES (60)
	@$(WITH_DRIVERS) $(BIN)/python tools/fuzz.py $(MINUTES)

.PHONY: snapshots
snapshots: setup  ## Rewrite the expected outputs of snapshot tests, for review with git diff
	@INSTA_UPDATE=always INSTA_FORCE_PASS=1 $(CARGO_TEST) --quiet
	@git --no-pager diff --stat

.PHONY: bench
bench: build .venv/.group-bench  ## Measure against NumPy and refresh docs/performance.md (10 minutes)
	@mkdir -p docs/performance
	@$(BIN)/python -m situ bench --scaling --json docs/performance/results.json
	@$(BIN)/python tools/make_performance_page.py

.PHONY: bench-peers
bench-peers: build .venv-peers/.ready  ## The same lines against Numba, dpnp and JAX as well (15 minutes)
	@mkdir -p docs/performance
	@.venv-peers/bin/python -m situ bench --against numba,dpnp,jax --json docs/performance/peers.json
	@.venv-peers/bin/python tools/make_performance_page.py

.PHONY: bench-programs
bench-programs: build .venv/.group-bench  ## Measure programs against NumPy and Numba (half an hour)
	@$(BIN)/python -m situ bench --programs --json docs/performance/programs.json; status=$$?; \
		$(BIN)/python tools/make_performance_page.py && exit $$status

.venv-peers/.ready: pyproject.toml tools/setup_peers.sh .venv/.ready
	@tools/setup_peers.sh
	@touch $@

.PHONY: bench-details
bench-details: build .venv/.group-bench .venv/.group-drivers  ## One question at a time: every function, kernels, njit, queues, drivers
	@for name in spine runtime array kernels njit; do $(BIN)/python benches/python/bench_$$name.py || exit 1; done
	@$(WITH_DRIVERS) $(BIN)/python benches/python/bench_drivers.py

.PHONY: wheel
wheel: dist/.built  ## One self-contained wheel in dist/, LLVM linked statically

dist/.built: .venv/.ready $(WHEEL_SOURCES)
	@RUSTFLAGS="$$(tools/release_flags.sh)" $(STEP) "wheel" tools/build_wheel.sh dist --release --locked --features llvm-static
	@tools/wheel_sources.sh hash >$@

.PHONY: install-wheel
install-wheel: setup
	@$(STEP) "wheel of dist/" $(BIN)/pip install --quiet --force-reinstall --no-deps dist/*.whl

.PHONY: docs
docs: build-test .venv/.group-docs  ## Build the documentation site into site/; any broken link fails
	@$(STEP) "docs" $(BIN)/mkdocs build --strict --quiet

.PHONY: clean
clean:  ## Remove everything that was built, and .venv
	@rm -rf target dist site .venv .venv-peers python/situ/*.so
