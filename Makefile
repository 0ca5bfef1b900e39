# Atelier's commands. `make` alone lists them.

BIN      := bin/atelier
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
# The stories wait most and take longest: they begin first, and what computes fills the gaps.
PACKAGES ?= ./bootstrap/stories/... ./...
ROUNDS   ?= 100
KILLS    ?= 1000
DEMO_URL ?= http://localhost:8080
DATA_DIR ?= ./data
# C that was translated to Go, and code that reckons on what one goroutine holds: the race
# detector makes it up to twenty times slower and has nothing to find in it. What uses
# atomics, or anything generic that does (sync.Map, atomic.Pointer), must not be here: the
# detector would not see that memory is handed over, and the linker could take its copy of
# the generic code for the whole program. bootstrap/stories/process has the same list.
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

.PHONY: help build run demo test soak lint lint-studio format-studio bench generate notices pictures gallery studio seed clean

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
# already, with more checks than go test would.
TEST     := go run ./bootstrap/tools/testenv -- env CGO_ENABLED=1 GORACE=$(GORACE) GOGC=$(GOGC) \
	$(GOTEST) -trimpath -vet=off -race $(UNRACED:%=-gcflags=%=-race=false) -count=1

test: ## run all tests with the race detector; brings PostgreSQL and whatever else they need
	$(TEST) -timeout=45m $(PACKAGES)

soak: ## kill and cut off processes under load, ROUNDS times (100), those of backends KILLS times (1000): 2 hours
	$(TEST) -tags soak -timeout 120m -run Faults ./bootstrap/stories/cluster -rounds $(ROUNDS)
	$(TEST) -timeout 120m -run Faults ./adapters/dataworker ./bootstrap/stories/backends -kills $(KILLS)
	$(TEST) -timeout 60m -run RandomWalk ./bootstrap/stories/backends -steps 300
	$(TEST) -timeout 60m -run Faults ./core/backends/attack -schemas 500

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
