# make demo: build mem and watch it work on real input.   make test: pass the tests.
# The rest is for working on mem.
VERSION := 0.2.0-dev
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
TOOL    := go tool -modfile=tools/go.mod
FUZZ    ?= 30s
export CGO_ENABLED ?= 0
# Packages without the path of their directory are the same in each clone, for the build cache.
export GOFLAGS ?= -trimpath

.PHONY: build install demo test rest test-all crash life check lint cross race bench bench-postgres bench-compare compare eval fuzz secrets clients mcp record release release-test clean

# mem hands over to the memd beside it, if that is of the same build.
build:
	go build -trimpath -ldflags "$(LDFLAGS)" -o bin/ ./cmd/mem ./cmd/memd

install:
	go install -trimpath -ldflags "$(LDFLAGS)" ./cmd/mem ./cmd/memd
	@sh scripts/installed.sh "$$(go list -f '{{.Target}}' ./cmd/mem)"

demo:
	@echo "demo: builds bin/mem alone; the first time, Go downloads the modules that mem links" \
		"(docs/dependencies.md) and compiles them"
	go build -trimpath -ldflags "$(LDFLAGS)" -o bin/ ./cmd/mem
	sh scripts/demo.sh bin/mem

# Of a sweep (a kill at each call, a session on another store) a drawn part runs; SEED draws the same
# one again, and SWEEP=all takes the whole. At the end the tests are listed that this machine could
# not run.
PACKAGES ?= ./...
SWEEP ?= sample
SEED ?=
test rest: export MEM_SWEEP = $(SWEEP)
test rest: export MEM_SEED = $(SEED)
test:
	sh scripts/gotest.sh $(PACKAGES)

# The tests of "make test" that "make check" has not run.
rest:
	sh scripts/race.sh rest

# A test that cannot run fails: this needs Linux, root, ptrace, mounts, node and npm, and apt-get
# for the browser that the page is driven in.
test-all:
	sh scripts/page/install.sh
	MEM_TEST_ALL=1 go test -count=1 ./...
	$(MAKE) clients mcp

# The tests of "What mem promises" in their long form: every kill, fault and power cut, in minutes.
crash:
	MEM_SWEEP=long go test -count=1 -timeout 60m -v ./internal/test/e2e ./internal/front/cli \
		./internal/store/filestore ./compact ./internal/store/fsck ./internal/store/pgstore

# Lives of people with several machines, drawn for HOURS on all cores; a failing one is printed with
# the command that shows it again.
HOURS ?= 1
life:
	sh scripts/lives.sh "$(HOURS)"

check: lint cross race

# What checks a package keeps most of its memory to the end: it is collected less often.
lint cross: export GOGC ?= 400
lint:
	go vet ./...
	! gofmt -l . | grep .
	go mod tidy -diff
	cd tools && go mod tidy -diff
	$(TOOL) staticcheck ./...
	$(TOOL) actionlint -shellcheck= -pyflakes=
	for f in .ci/run $$(git ls-files 'scripts/*.sh'); do bash -n $$f || exit 1; done

# All packages and tests type-check for the other systems; a release links them there.
cross:
	cd tools && go run ./cross -dir .. darwin/arm64 windows/amd64

# The race detector over what starts goroutines: scripts/race.txt.
race:
	sh scripts/race.sh

# The report; with ONLY=compact, or other sections with commas between, these are printed alone.
bench: build
	go run ./scripts/bench -mem bin/mem $(if $(ONLY),-only "$(ONLY)",-out BENCHMARKS.md)

# The same for a store on PostgreSQL, beside what PostgreSQL itself does.
EVENTS ?= 100000
bench-postgres: build
	go run ./scripts/pgbench -mem bin/mem -events $(EVENTS) -out docs/postgres-figures.md

# Hold set, get, read, search, hook and compact of the working tree against the revision OLD.
OLD  ?= HEAD
RUNS ?= 1000
bench-compare:
	rm -f BENCH/old.txt BENCH/new.txt
	go run ./scripts/bench -old "$(OLD)" -runs $(RUNS); failed=$$?; \
	$(TOOL) benchstat BENCH/old.txt BENCH/new.txt && exit $$failed

# The same ten tasks with mem and with other memories of agents, out of npm and Go modules. The first
# time installs them, 0.5 GB, into $XDG_CACHE_HOME/mem-compare.
compare: build
	go run ./scripts/compare -mem bin/mem

# Recall on the public sets whose files lie in DATA; the comment of scripts/eval names them. Flags go
# into EVAL, as in EVAL='-set locomo-turns -out found.jsonl'.
DATA ?=
EVAL ?=
eval:
	@test -n "$(DATA)" || { echo "eval: DATA is empty: make eval DATA=dir, with the files of the sets" >&2; exit 1; }
	@$(MAKE) build
	go run ./scripts/eval -mem bin/mem -data "$(DATA)" $(EVAL)

# Each fuzz target for FUZZ.
fuzz:
	sh scripts/fuzz.sh $(FUZZ)

# Write the rules for secrets anew from the pinned gitleaks, and hold them against it.
secrets:
	go -C tools/gitleaks run . ../../internal/rule/secret
	go -C tools/gitleaks run . -compare

# Run the real coding agents offline, or those in ONLY. The first time installs them, 2 GB, into
# $XDG_CACHE_HOME/mem-clients.
clients: build
	cache=$$(ONLY=$(ONLY) sh scripts/clients/install.sh) && \
	go run ./scripts/clients -mem bin/mem -cache "$$cache" -only "$(ONLY)"

# Hold the MCP server against the conformance suite and the inspector, and the memory tool against
# that of the SDK. The first time installs them, 0.4 GB, into $XDG_CACHE_HOME/mem-mcp and mem-memtool.
mcp: build
	cache=$$(sh scripts/mcp/install.sh) && go run ./scripts/mcp -mem bin/mem -cache "$$cache"
	cache=$$(sh scripts/memtool/install.sh) && go run ./scripts/memtool -cache "$$cache"

# Film the first five minutes with mem, docs/first.svg, for the README. Linux only.
record: build
	go run ./scripts/record

# The archives of a version, in dist/. RELEASE_KEY is the file of the key that signs it; ONLY names
# one target, as in ONLY=linux/amd64.
RELEASE_KEY ?=
ONLY ?=
release:
	go run ./scripts/release -version "$(VERSION)" -key "$(RELEASE_KEY)" -only "$(ONLY)"

# The release built twice, compared, served on loopback, installed, and removed.
release-test:
	go test -count=1 -tags release -timeout 20m ./scripts/release

clean:
	rm -rf bin dist
