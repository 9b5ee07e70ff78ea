# GNU make, 3.81 or later. `make` by itself lists what there is.

BIN := .cache/bin
# A target does not compile again what another has compiled: all have the flags of
# tools/build.sh.
export CGO_ENABLED := 0
# git refuses the clone of another owner, so nothing but a release is stamped with its commit.
export GOFLAGS := $(shell go env GOFLAGS 2>/dev/null) -buildvcs=false
# The race detector needs packages of its own and a C compiler: RACE= runs without it.
RACE ?= -race
TEST_TIMEOUT ?= 20m
# Where `make install` builds to. From the command line only: shells have a DIR, too.
DIR := .cache/mirror
# The platforms that it builds for, such as "linux_amd64 darwin_arm64": this one if it is empty.
PLATFORMS :=
# Where `make release-rehearsal` leaves the release: a folder that does not exist yet.
KEEP :=
FUZZTIME ?= 60s
SEEDS ?= 200000
# The first of them; the rest follow it.
FIRST_SEED ?= 0
# The newest release of Go; go.mod names the oldest that will do.
NEWEST_GO ?= go1.27.4
# Flags of the sandbox for `make sandbox`, such as ARGS="-rate-limit=60/1m", and of the tests for `make policy`.
ARGS :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Long recipes end in `exec`, so that a signal reaches the program itself, and TIDILY
# leaves nothing in the temporary folder.
TIDILY := exec tools/tidily.sh
FIRST_BUILD := "one to three minutes"

# go says where to get Go if it is missing: most targets need it.
.PHONY: go
go:
	@command -v go >/dev/null || { echo "make $(MAKECMDGOALS) needs Go 1.26 or later on the PATH: https://go.dev/dl" >&2; exit 1; }
build install sandbox demo test test-worst unit bench docs docs-check lint fmt fuzz simulate fleets: go

## Use

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } \
		/^## / { printf "\n%s\n", substr($$0, 4) } \
		/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## Build the provider and the sandbox into .cache/bin, with settings for an engine to take it from there.
	@$(TIDILY) tools/build.sh "the provider and the sandbox" $(FIRST_BUILD) -o=$(BIN)/ . ./cmd/modelcatalogue-sandbox
	@printf 'provider_installation {\n  dev_overrides {\n    "modelcatalogue/modelcatalogue" = "%s"\n  }\n  direct {}\n}\n' \
		"$(CURDIR)/$(BIN)" >$(BIN)/dev.tfrc
	@bash -c 'printf "export TF_CLI_CONFIG_FILE=%q\n" "$$0"' "$(CURDIR)/$(BIN)/dev.tfrc"

.PHONY: install
install: ## Build the provider into a mirror for `init`, .cache/mirror or DIR=…, for PLATFORMS="…", and the sandbox.
	@$(TIDILY) tools/install.sh "$(DIR)" $(PLATFORMS)

.PHONY: sandbox
sandbox: ## Serve the sandbox until Ctrl-C, with the flags ARGS="…".
	@$(TIDILY) tools/build.sh "the sandbox" $(FIRST_BUILD) -o=$(BIN)/ ./cmd/modelcatalogue-sandbox
	@exec $(BIN)/modelcatalogue-sandbox $(ARGS)

.PHONY: demo
demo: ## Read a catalogue with a real engine: pin a revision, follow the latest one.
	@$(TIDILY) tools/demo.sh

## Change

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## Format the Go code and the examples.
	$(BIN)/golangci-lint fmt
	@engine=$$(tools/engine.sh) && "$$engine" fmt -recursive examples

.PHONY: lint
lint: $(BIN)/golangci-lint ## Check the Go code: style, mistakes, which package may import which.
	$(BIN)/golangci-lint run

.PHONY: lint-examples
lint-examples: $(BIN)/tflint ## Check the examples by the recommended rules of tflint, as a reader's own CI may.
	@$(TIDILY) tools/lint-examples.sh

.PHONY: docs
docs: $(BIN)/tfplugindocs ## Generate docs/ from schema, templates/ and examples/, and the demo's part of the README.
	@$(TIDILY) tools/docs.sh generate

.PHONY: docs-check
docs-check: $(BIN)/tfplugindocs ## Fail if docs/ or the README is not what `make docs` writes.
	@$(TIDILY) tools/docs.sh check

## Test

.PHONY: test
test: ## Run every test, with the race detector and a real engine.
	@RACE="$(RACE)" $(TIDILY) tools/with-engine.sh tools/test.sh -count=1 -timeout=$(TEST_TIMEOUT)

.PHONY: test-worst
test-worst: ## Run every test where contributors are: from a tarball, behind a proxy, without IPv6 and more at once.
	@$(TIDILY) tools/with-engine.sh tools/test-worst.sh -count=1 -timeout=$(TEST_TIMEOUT)

.PHONY: unit
unit: ## Run the tests that do not need an engine.
	@unset TF_ACC && RACE="$(RACE)" $(TIDILY) tools/test.sh -timeout=$(TEST_TIMEOUT)

.PHONY: test-newest-go
test-newest-go: ## Run the tests of the provider and its parts on the newest Go.
	@GOTOOLCHAIN=$(NEWEST_GO) $(TIDILY) go test -timeout=$(TEST_TIMEOUT) ./internal/catalogue ./internal/encode ./internal/provider

# Prints the newest Go's version, and fails if it cannot be downloaded.
.PHONY: newest-go
newest-go:
	@GOTOOLCHAIN=$(NEWEST_GO) go env GOVERSION

.PHONY: test-engines
test-engines: $(BIN)/terraform-1.5 $(BIN)/terraform-newest $(BIN)/tofu $(BIN)/tofu-next ## Run the acceptance tests on each engine; print a table.
	@engine=$$(tools/engine.sh) && \
		$(TIDILY) tools/test-engines.sh $(TEST_TIMEOUT) $(BIN)/terraform-1.5 "$$engine" \
		$(BIN)/terraform-newest $(BIN)/tofu $(BIN)/tofu-next

# Prints which of these engines are built already.
.PHONY: built-engines
built-engines:
	@printf '%s\n' $(wildcard $(addprefix $(BIN)/,terraform-1.5 terraform-newest tofu tofu-next))

# The newest Renovate and the Node that it needs, from the npm registry. No script
# of its packages is run; Node's fetches its program.
.PHONY: renovate
renovate: ## Run the newest Renovate as in the guide about pins, against the sandbox.
	@echo "installing Renovate from the npm registry; the first time it takes one to three minutes" >&2
	@npm install --loglevel=error --no-audit --no-fund --prefix .cache/node node@24 >&2
	@npm install --loglevel=error --no-audit --no-fund --ignore-scripts --prefix .cache/renovate renovate@latest >&2
	@MODELCATALOGUE_TEST_RENOVATE="$(CURDIR)/.cache" $(TIDILY) tools/with-engine.sh \
		go test -v -count=1 -run='^TestRenovate$$' -timeout=10m ./internal/acctest

.PHONY: policy
policy: $(BIN)/conftest ## Hold plans to the policy of the guide about pins, by conftest.
	@MODELCATALOGUE_TEST_CONFTEST="$(CURDIR)/$(BIN)/conftest" $(TIDILY) tools/with-engine.sh \
		go test -v -count=1 -run='^TestPolicy' -timeout=10m ./internal/acctest $(if $(ARGS),-args $(ARGS))

.PHONY: deployments
deployments: ## Validate the deployments of the guides with their providers, from the registry.
	@$(TIDILY) tools/with-engine.sh tools/deployments.sh

PICTURES := $(CURDIR)/.cache/pictures

.PHONY: page
page: ## Drive the sandbox's page in a Chromium, if there is one on the PATH; leave pictures in .cache/pictures.
	@mkdir -p "$(PICTURES)"
	@cd tools/page && exec ../tidily.sh go test -count=1 -v . -args -pictures="$(PICTURES)"

.PHONY: picture
picture: ## Take the README's picture of the page anew.
	@mkdir -p "$(PICTURES)"
	@cd tools/page && ../tidily.sh go test -count=1 -v -run='^TestPicture$$' . -args -pictures="$(PICTURES)"
	@cp "$(PICTURES)/sandbox.png" .github/sandbox.png

.PHONY: interface
interface: ## Have tools of others read the interface: prism, generated clients; from npm and Go modules.
	@$(TIDILY) tools/with-engine.sh tools/interface.sh

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (60s).
	@$(TIDILY) tools/fuzz.sh $(FUZZTIME)

.PHONY: simulate
simulate: ## Make SEEDS (200000) plans over services that fail, on a fake clock, hold the client to its rules, and plant faults.
	@$(TIDILY) go test -count=1 -timeout=4h -run='^TestSimulation$$|^TestPlanted' -v ./internal/catalogue \
		-seeds=$(SEEDS) -first-seed=$(FIRST_SEED) -planted

.PHONY: fleets
fleets: ## Make many plans of runs that share an allowance, and over instances that reject tokens.
	@exec go test -count=1 -timeout=$(TEST_TIMEOUT) -run='^TestFleets|^TestStrays$$' -v ./internal/catalogue \
		-fleet-plans=80 -stray-plans=30

.PHONY: bench
bench: ## Measure plans against the engine's own cost; write BENCHMARKS.md and the table of a page.
	@$(TIDILY) tools/build.sh "the benchmarks" $(FIRST_BUILD) -o=$(BIN)/ ./internal/tools/bench
	@$(TIDILY) tools/with-engine.sh $(BIN)/bench

.PHONY: bench-pace
bench-pace: ## Measure plans within request allowances, in simulated time; print a table.
	@$(TIDILY) go test -count=1 -timeout=$(TEST_TIMEOUT) -run='^TestAllowances$$' -v ./internal/catalogue \
		-allowance-seeds=9

.PHONY: vulncheck
vulncheck: $(BIN)/govulncheck ## Look for known vulnerabilities in the code that is called; asks vuln.go.dev.
	$(BIN)/govulncheck ./...

## Release

.PHONY: release-rehearsal
release-rehearsal: $(BIN)/goreleaser $(BIN)/cyclonedx-gomod ## Build, sign, verify and install a release of HEAD; publish nothing.
	@$(TIDILY) tools/with-engine.sh tools/rehearsal.sh "$(KEEP)"

.PHONY: clean
clean: ## Remove everything that make builds, tools and engines too.
	rm -rf .cache dist

# Tools and engines. Each has a Go module of its own under tools/, which pins it
# and all its dependencies by checksum, so that none can change another's, or the
# provider's. A tool is rebuilt when its module changes.

$(BIN)/%: tools/%/go.mod tools/%/go.sum
	@cd tools/$* && ../tidily.sh ../build.sh "$*" "$(or $(TOOL_TIME),one to three minutes)" \
		$(TOOL_FLAGS) -o="$(CURDIR)/$@" tool
	@touch $@

$(BIN)/terraform-newest: $(wildcard tools/terraform-newest/stubs/*/*)

# Its output contains its own checksum, so it must not contain a path of this machine.
$(BIN)/cyclonedx-gomod: TOOL_FLAGS := -trimpath
# Without this flag an engine calls itself a development build, which few version
# constraints admit.
$(BIN)/tofu $(BIN)/tofu-next: TOOL_FLAGS := -ldflags=-X=github.com/opentofu/opentofu/version.dev=no
# Its module needs the newest Go.
$(BIN)/tofu-next: export GOTOOLCHAIN := $(NEWEST_GO)
$(BIN)/terraform-newest: TOOL_FLAGS := -ldflags=-X=github.com/hashicorp/terraform/version.dev=no
$(BIN)/tofu $(BIN)/tofu-next $(BIN)/terraform-newest $(BIN)/terraform-1.5: TOOL_TIME := three to ten minutes
