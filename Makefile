# Atelier's commands. `make` alone lists them.

BIN      := bin/atelier
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
PACKAGES ?= ./...
# What is below bootstrap starts whole services, with browsers and databases, which the race detector
# makes three times as slow: it watches units and suites, and the rest in `make soak`.
WHOLE    := /(bootstrap|core/backends/attack)(/|$$)
# What takes minutes is for `make test-slow`: these packages, and of the others the tests that are
# hostile or kill, by their names. The main job in a browser is in both.
SLOW     := /bootstrap/(stories/(browser|cluster|frameworks)|evals(/.*)?)$$
HOSTILE  := Hostile|FightBack|Faults|Kill|Poison|TestEngine/(hostile|made-up|spoiled|a_filter_tells|a_sort_tells)
MAIN_JOB := TestStudio/somebody_who_has_read_nothing
ROUNDS   ?= 100
KILLS    ?= 1000
DEMO_URL ?= http://localhost:8080
DATA_DIR ?= ./data
# C that was translated to Go, and code that reckons on what one goroutine holds: the race
# detector makes it up to twenty times slower and has nothing to find in it. What uses
# atomics, or anything generic that does (sync.Map, atomic.Pointer), must not be here: the
# detector would not see that memory is handed over, and the linker could take its copy of
# the generic code for the whole program. Programs that tests build get the list as well.
UNRACED  := modernc.org/libc/... modernc.org/libquickjs modernc.org/memory modernc.org/sqlite/lib \
	compress/... regexp golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b golang.org/x/crypto/blowfish \
	github.com/andybalholm/brotli/... github.com/pjbgf/sha1cd/... github.com/uptrace/bunrouter \
	github.com/evanw/esbuild/internal/css_... github.com/evanw/esbuild/internal/js_...
# The race detector holds the end of every program up for a second, in case that a race
# still comes: minutes for all tests and the services that they start.
GORACE   := atexit_sleep_ms=0

# Compilers and tests are short-lived and many: collecting garbage less often saves a sixth
# of their processor time. Programs that tests start have settings of their own.
GOGC     := 400

export CGO_ENABLED ?= 0

.PHONY: help build run demo check test test-slow test-all soak lint lint-studio format-studio bench generate notices pictures gallery studio seed clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

build: ## build bin/atelier: one static binary
	go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./bootstrap/atelier

run: build ## build and serve on http://localhost:8080, data in ./data
	AI_PROVIDER=$${AI_PROVIDER:-auto} $(BIN) serve

demo: ## walk the main job against the service that `make run` started
	go run ./bootstrap/tools/demo -url $(DEMO_URL) -outbox $(DATA_DIR)/outbox

# CI runs `make test GOTEST=.ci/gotest`, where a test that fails runs again by itself.
GOTEST   ?= go test

# -trimpath lets a clone at another path use what the compiler has built. `make lint` vets
# already, with more checks than go test would. Only a test that hangs meets the time limit.
TESTENV  := go run ./bootstrap/tools/testenv -- env GOGC=$(GOGC)
FLAGS    := -trimpath -vet=off -count=1 -timeout=45m
TEST     := $(TESTENV) $(GOTEST) $(FLAGS)
RACED    := $(TESTENV) CGO_ENABLED=1 GORACE=$(GORACE) UNRACED='$(UNRACED)' $(GOTEST) -race $(UNRACED:%=-gcflags=%=-race=false) $(FLAGS)
# HAVE_HOSTILE lets packages through that have tests which HOSTILE names.
HAVE_HOSTILE := while read -r path; do if grep -qsE '^func Test\w*(Hostile|FightBack|Faults|Kill|Poison)|backendtest\.Run' ".$${path\#github.com/atelierhq/atelier}"/*_test.go; then echo "$$path"; fi; done
# on is a command on those of the packages that a filter lets through.
on        = packages=$$(go list $(PACKAGES) | $(1) || true); test -z "$$packages" || $(2) $$packages

check: ## check the format, vet, and run the tests that need nothing but Go
	@test -z "$$(gofmt -l core ports)" || { echo "run gofmt -w on:"; gofmt -l core ports; exit 1; }
	go vet ./core/... ./ports/...
	go test $$(go list ./core/... ./ports/... | grep -v '/core/browsing$$') # which needs Chromium

test: ## run units, suites and short stories; brings PostgreSQL and whatever else they need (PACKAGES=./core/… for some)
	@$(call on,grep -vE '$(WHOLE)',$(RACED) -skip='$(HOSTILE)')
	@$(call on,grep -E '$(WHOLE)' | grep -vE '$(SLOW)',$(TEST) -skip='$(HOSTILE)')
	@$(call on,grep '/stories/browser$$',$(TEST) -run='$(MAIN_JOB)')

test-slow: ## run what takes minutes: the stories of browsers, clusters and frameworks, evals, and hostile tests
	@$(call on,grep -E '$(SLOW)',$(TEST))
	@$(call on,grep -vE '$(SLOW)' | $(HAVE_HOSTILE),$(TEST) -run='$(HOSTILE)')

test-all: test test-slow ## run all tests

soak: ## play everything with the race detector, and kill and cut off processes under load, ROUNDS times (100), those of backends KILLS times (1000): 3 hours
	$(RACED) ./...
	$(RACED) -tags soak -timeout=120m -run Faults ./bootstrap/stories/cluster -rounds $(ROUNDS)
	$(RACED) -timeout=120m -run Faults ./adapters/dataworker ./bootstrap/stories/backends -kills $(KILLS)
	$(RACED) -timeout=60m -run RandomWalk ./bootstrap/stories/backends -steps 300
	$(RACED) -timeout=60m -run Faults ./core/backends/attack -schemas 500

# golangci-lint is built once, from the module proxy, and vets too (.golangci.yml).
lint: lint-studio ## check formatting, mistakes, generated code, module files and workflows
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go tool wire diff ./bootstrap/local ./bootstrap/inmemory
	.ci/moq
	go tool -modfile=.ci/actionlint/go.mod actionlint
	go mod tidy -diff
	go tool -modfile=.ci/golangci-lint/go.mod golangci-lint run --allow-parallel-runners

lint-studio: ## lint the sources of the web page, and check their format (Biome)
	go run ./bootstrap/tools/studio -lint

format-studio: ## format the sources of the web page (Biome)
	go run ./bootstrap/tools/studio -format

bench: ## measure speed and memory as ratios against a peer in the same run (ONLY='record|function' measures some rows)
	go run ./bootstrap/tools/testenv -peers -- go run ./bootstrap/tools/bench -only '$(ONLY)'

generate: ## write the generated code anew (wire, moq), and the import rules into the linter's settings
	go tool wire gen ./bootstrap/local ./bootstrap/inmemory
	go generate -run moq ./...
	go test -count=1 ./bootstrap/rules -run ImportRulesAreTheLintersToo -linter

notices: ## write the licences of what others wrote anew
	go run ./bootstrap/tools/notices

pictures: ## take the pictures of the README anew
	ATELIER_PICTURES=$(CURDIR)/adapters/studio/pictures go run ./bootstrap/tools/testenv -- go test -count=1 -run 'TestStudio/(somebody_who_has_read_nothing|a_project_without_data)' ./bootstrap/stories/browser

gallery: ## take the templates' pictures that the studio shows anew (then: make studio)
	ATELIER_GALLERY=$(CURDIR)/adapters/studio/web/public/gallery go run ./bootstrap/tools/testenv -- go test -count=1 -run 'TestBrowser/every_template_renders|TestProjectWithTools' ./bootstrap/stories/browser

studio: ## build the web page that the program carries from adapters/studio/web
	go run ./bootstrap/tools/studio

seed: ## fetch the packages of the built-in templates anew (needs the npm registry)
	go run ./bootstrap/tools/seed

clean: ## remove what was built
	rm -rf bin
