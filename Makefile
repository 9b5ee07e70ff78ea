# GNU make, 3.81 or later. `make` by itself lists the targets.

SHELL := /usr/bin/env bash -o pipefail
BIN := .cache/bin
# All targets but `make install` compile with the same flags, and share packages. The race detector has separate ones.
export CGO_ENABLED := 0
# git refuses the clone of another owner, so only a release is stamped with the commit.
export GOFLAGS := $(shell go env GOFLAGS 2>/dev/null) -buildvcs=false
# The race detector needs a C compiler: without one, or with RACE=, the tests run without it. CI insists on it.
RACE ?= $(if $(CI)$(filter 1,$(shell env -u CGO_ENABLED go env CGO_ENABLED)),-race)
TEST_TIMEOUT ?= 20m
# Where `make install` builds to. From the command line only: shells have a DIR, too.
DIR := .cache/mirror
# The version that it builds, such as 0.1.1. An empty one is the newest of CHANGELOG.md.
VERSION :=
# The platforms that it builds for, such as "linux_amd64 darwin_arm64". An empty list is this one.
PLATFORMS :=
# Where `make release-rehearsal` copies the release: a folder that does not exist yet.
KEEP :=
FUZZTIME ?= 60s
SEEDS ?= 200000
FIRST_SEED ?= 0
# Flags of the sandbox for `make sandbox`, such as ARGS="-rate-limit=60/1m", and of the tests for `make policy`.
ARGS :=
# Go, with the race detector if RACE is set.
race = CGO_ENABLED=$(if $(RACE),1,0) go
# compile PACKAGES, GO, FLAGS compiles all imports of the tests of these packages, and prints them: `go test` is silent.
compile = packages=$$(go list -deps -test -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' $(1) | grep -v '\.test') && \
	$(2) build -v $(3) $$packages
# ran reads the output of `go test -v`, and fails if no test has passed: go test succeeds without any.
ran = { mkdir -p .cache && tee .cache/$@.log && grep -q '^--- PASS' .cache/$@.log || \
	{ echo "make $@: no test has passed" >&2; exit 1; }; }
# detected runs a test command on $$packages. Where nothing broke but Go's race detector, which happens under
# testing/synctest without the name of a test (golang/go#78156), it runs the packages concerned once more.
detected = mkdir -p .cache && { $(1) $$packages 2>&1 | tee .cache/race.log || { \
	grep -q '^ThreadSanitizer: CHECK failed' .cache/race.log && \
	! grep -qE '^ *--- FAIL|^WARNING: DATA RACE|^panic|^fatal error' .cache/race.log && \
	packages=$$(awk '$$1 == "FAIL" && NF > 1 { print $$2 }' .cache/race.log) && $(1) $$packages; }; }

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build install sandbox demo fmt lint docs test unit policy page renovate fuzz simulate bench vulncheck \
	release-rehearsal clean

## Use

help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } \
		/^## / { printf "\n%s\n", substr($$0, 4) } \
		/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: ## Build the provider and the sandbox into .cache/bin, with settings for an engine to take it from there.
	@go build -v -o=$(BIN)/ . ./cmd/modelcatalogue-sandbox
	@printf 'provider_installation {\n  dev_overrides {\n    "modelcatalogue/modelcatalogue" = "%s"\n  }\n  direct {}\n}\n' \
		"$(CURDIR)/$(BIN)" >$(BIN)/dev.tfrc
	@printf 'export TF_CLI_CONFIG_FILE=%q\n' "$(CURDIR)/$(BIN)/dev.tfrc"

install: ## Build a mirror for `init` in .cache/mirror or DIR=…, for PLATFORMS="…", as VERSION=…; and the sandbox.
	@$(if $(filter command,$(origin PLATFORM)),$(error make install: write PLATFORMS="$(PLATFORM)", not PLATFORM))
	@tools/install.sh "$(DIR)" "$(VERSION)" $(PLATFORMS)

sandbox: ## Serve the sandbox until Ctrl-C, with the flags ARGS="…".
	@go build -v -o=$(BIN)/ ./cmd/modelcatalogue-sandbox
	@exec $(BIN)/modelcatalogue-sandbox $(ARGS)

demo: ## Read a catalogue with a real engine: pin a revision, follow the latest one.
	@tools/demo.sh

## Change

fmt: $(BIN)/golangci-lint ## Format the Go code and the examples.
	$(BIN)/golangci-lint fmt
	@engine=$$(tools/engine.sh) && "$$engine" fmt -recursive examples

lint: $(BIN)/golangci-lint $(BIN)/tflint ## Check the Go code by .golangci.yml, and the examples by the recommended rules of tflint.
	$(BIN)/golangci-lint run
	@tools/lint-examples.sh

docs: $(BIN)/tfplugindocs ## Generate docs/ from schema, templates/ and examples/, and the demo's part of the README.
	@tools/docs.sh

## Test

# Acceptance tests run engine and provider as separate processes, where the race detector has no effect.
# Packages report in the order of their names here, reversed because catalogue is the slowest.
test: ## Run every test, with the race detector and a real engine.
	@$(if $(RACE),,echo "these tests run without the race detector, which needs a C compiler" >&2)
	@$(call compile,./...,$(race),$(RACE))
	@packages=$$(go list ./... | grep -v /acctest | sort -r) && \
		$(call detected,$(race) test $(RACE) -count=1 -timeout=$(TEST_TIMEOUT))
	@$(call compile,./internal/acctest,go)
	@tools/engine.sh go test -v -count=1 -timeout=$(TEST_TIMEOUT) ./internal/acctest | $(ran) | \
		grep -E '^(engine:|--- |ok |FAIL)' || { grep -v '^=== ' .cache/$@.log; exit 1; }

unit: ## Run the tests that do not need an engine.
	@$(call compile,./...,$(race),$(RACE))
	@unset TF_ACC && packages=./... && $(call detected,$(race) test $(RACE) -timeout=$(TEST_TIMEOUT))

policy: $(BIN)/conftest ## Hold plans to the policy of the guide about pins, by conftest.
	@MODELCATALOGUE_TEST_CONFTEST="$(CURDIR)/$(BIN)/conftest" tools/engine.sh \
		go test -v -count=1 -run='^TestPolicy' -timeout=10m ./internal/acctest $(if $(ARGS),-args $(ARGS)) | $(ran)

page: ## Drive the sandbox's page in a Chromium of the PATH; leave pictures in .cache/pictures.
	@mkdir -p .cache/pictures
	@(cd tools/page && go test -count=1 -v . -args -pictures="$(CURDIR)/.cache/pictures") | $(ran)

# Scripts of Renovate's packages do not run. That of Node's package downloads the program.
renovate: ## Run the newest Renovate, from npm, as in the guide about pins, against the sandbox.
	@npm install --loglevel=error --no-audit --no-fund --prefix .cache/node node@24 >&2
	@npm install --loglevel=error --no-audit --no-fund --ignore-scripts --prefix .cache/renovate renovate@latest >&2
	@MODELCATALOGUE_TEST_RENOVATE="$(CURDIR)/.cache" tools/engine.sh \
		go test -v -count=1 -run='^TestRenovate$$' -timeout=10m ./internal/acctest | $(ran)

# A failing input is kept in the package's testdata/fuzz. Commit it with the fix: every later test runs it.
fuzz: ## Fuzz each target for FUZZTIME: a time such as 60s, or a number of inputs such as 10000x.
	@go test -list='^Fuzz' ./... | \
		awk '/^Fuzz/ { name[n++] = $$1 } /^ok/ { for (; n; ran++) print $$2, name[--n] } END { exit !ran }' | \
		(set -e; while read -r package target; do \
			echo "== $$target in $$package, $(FUZZTIME)"; \
			go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x $$package </dev/null; \
		done)

simulate: ## Make SEEDS (200000) plans over services that fail, on a fake clock, plant faults, and make plans of fleets.
	@go test -count=1 -timeout=4h -run='^TestSimulation$$|^TestPlanted' -v ./internal/catalogue \
		-seeds=$(SEEDS) -first-seed=$(FIRST_SEED) -planted | $(ran)
	@go test -count=1 -timeout=$(TEST_TIMEOUT) -run='^TestFleets|^TestStrays$$' -v ./internal/catalogue \
		-fleet-plans=80 -stray-plans=30 | $(ran)

bench: ## Measure plans against the engine's own cost; write BENCHMARKS.md and the table of a page.
	@go build -v -ldflags='-s -w' -o=.cache/bench/provider/terraform-provider-modelcatalogue .
	@go build -v -ldflags='-s -w' -o=.cache/bench/floor/terraform-provider-modelcatalogue ./internal/tools/bench/floor
	@tools/engine.sh go run ./internal/tools/bench "$(CURDIR)/.cache/bench"

vulncheck: $(BIN)/govulncheck ## Look for known vulnerabilities in the code that is called; asks vuln.go.dev.
	$(BIN)/govulncheck ./...

## Release

release-rehearsal: $(BIN)/goreleaser $(BIN)/cyclonedx-gomod ## Build, sign, verify and install a release of HEAD; publish nothing.
	@tools/engine.sh tools/rehearsal.sh "$(KEEP)"

clean: ## Remove everything that make builds, tools and engines too.
	rm -rf .cache dist

$(BIN)/%: tools/versions.txt
	@GOBIN="$(CURDIR)/$(BIN)" go install -v $(TOOL_FLAGS) "$$(awk '$$1 == "$*" { print $$2 }' $<)"
	@touch $@

# Its bills contain its checksum, so its build must not contain a path of this machine.
$(BIN)/cyclonedx-gomod: TOOL_FLAGS := -trimpath

# It has a separate module, because `go install` refuses the `replace` in OpenTofu's. Without the flag it would report
# a development version, which most version constraints exclude.
$(BIN)/tofu: tools/tofu/go.mod tools/tofu/go.sum
	@echo "building OpenTofu from Go modules; the first time it takes three to ten minutes" >&2
	@cd tools/tofu && go build -v -ldflags=-X=github.com/opentofu/opentofu/version.dev=no -o="$(CURDIR)/$@" tool
	@touch $@
