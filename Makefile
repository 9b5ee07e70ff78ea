# GNU make, 3.81 or later. `make` alone lists what there is.

BIN := .cache/bin
GO_BUILD := CGO_ENABLED=0 go build -trimpath
# The race detector is the one thing here that needs a C compiler: RACE= does without.
RACE ?= -race
TEST_TIMEOUT ?= 20m
FUZZTIME ?= 60s

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Long recipes end in `exec`, so that a signal reaches the program itself.

## Use

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } \
		/^## / { printf "\n%s\n", substr($$0, 4) } \
		/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## Build the provider into .cache/bin.
	@mkdir -p $(BIN)
	$(GO_BUILD) -o $(BIN)/ .

.PHONY: demo
demo: ## Read a catalogue with a real engine: pin a revision, follow the latest one.
	@mkdir -p $(BIN)
	@MODELCATALOGUE_DEMO_ENGINE=$$(tools/engine.sh) && export MODELCATALOGUE_DEMO_ENGINE && \
		go build -o $(BIN)/demo ./internal/demo && exec $(BIN)/demo

## Change

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## Format the Go code and the examples.
	$(BIN)/golangci-lint fmt
	@engine=$$(tools/engine.sh) && "$$engine" fmt -recursive examples

.PHONY: lint
lint: $(BIN)/golangci-lint ## Check the Go code: style, mistakes, which package may import which.
	$(BIN)/golangci-lint run

.PHONY: docs
docs: $(BIN)/tfplugindocs ## Generate docs/ from the schema, templates/ and examples/.
	@exec tools/docs.sh generate

.PHONY: docs-check
docs-check: $(BIN)/tfplugindocs ## Fail where docs/ is not what `make docs` writes.
	@exec tools/docs.sh check

## Test

.PHONY: test
test: ## Run every test, with the race detector and a real engine.
	@exec tools/with-engine.sh go test $(RACE) -count=1 -timeout=$(TEST_TIMEOUT) ./...

.PHONY: unit
unit: ## Run the tests that need no engine.
	@unset TF_ACC && exec go test $(RACE) -timeout=$(TEST_TIMEOUT) ./...

.PHONY: test-engines
test-engines: $(BIN)/terraform-1.5 $(BIN)/tofu ## Run the acceptance tests on each engine; print a table.
	@engine=$$(tools/engine.sh) && go build -o $(BIN)/engines ./internal/engines && \
		exec $(BIN)/engines -timeout=$(TEST_TIMEOUT) $(BIN)/terraform-1.5 "$$engine" $(BIN)/tofu

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (60s).
	@exec tools/fuzz.sh $(FUZZTIME)

.PHONY: bench
bench: ## Measure plans against the engine's own cost; write BENCHMARKS.md.
	@mkdir -p $(BIN)
	@MODELCATALOGUE_BENCH_ENGINE=$$(tools/engine.sh) && export MODELCATALOGUE_BENCH_ENGINE && \
		go build -o $(BIN)/bench ./internal/bench && exec $(BIN)/bench

## Release

.PHONY: release-rehearsal
release-rehearsal: $(BIN)/goreleaser ## Build, sign, verify and install a release of HEAD; publish nothing.
	@engine=$$(tools/engine.sh) && go build -o $(BIN)/rehearsal ./internal/rehearsal && \
		exec $(BIN)/rehearsal -goreleaser=$(BIN)/goreleaser -engine="$$engine"

.PHONY: clean
clean: ## Remove everything that make builds, tools and engines too.
	rm -rf .cache dist

# Tools and engines. Each has a Go module of its own under tools/, which pins it
# and all that it is made of by checksum: none can move another's dependencies,
# or the provider's. A tool is rebuilt when its module changes.

$(BIN)/golangci-lint: tools/golangci-lint/go.mod tools/golangci-lint/go.sum
	$(call build-tool,golangci-lint 2.13.2,1 minute,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)

$(BIN)/tfplugindocs: tools/tfplugindocs/go.mod tools/tfplugindocs/go.sum
	$(call build-tool,tfplugindocs 0.25.0,half a minute,github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs)

$(BIN)/goreleaser: tools/goreleaser/go.mod tools/goreleaser/go.sum
	$(call build-tool,goreleaser 2.12.7,2 minutes,github.com/goreleaser/goreleaser/v2)

$(BIN)/tofu: tools/opentofu/go.mod tools/opentofu/go.sum
	$(call build-tool,OpenTofu 1.12.6,3 minutes,$(tofu-release) github.com/opentofu/opentofu/cmd/tofu)

$(BIN)/terraform-1.5: tools/terraform-1.5/go.mod tools/terraform-1.5/go.sum
	$(call build-tool,Terraform 1.5.7,3 minutes,github.com/hashicorp/terraform)

# Without this OpenTofu calls itself 1.12.6-dev, which few version constraints admit.
tofu-release := -ldflags=-X=github.com/opentofu/opentofu/version.dev=no

# $(1) name and version, $(2) how long it takes on two cores, $(3) flags and package.
define build-tool
@echo "building $(1) from Go modules, about $(2), once" >&2
@mkdir -p $(BIN)
@cd $(<D) && $(GO_BUILD) -o "$(CURDIR)/$@" $(3)
@touch $@
endef
