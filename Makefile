# Atelier's commands. `make` alone lists them.

BIN      := bin/atelier
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
PACKAGES ?= ./...
DEMO_URL ?= http://localhost:8080
DATA_DIR ?= ./data
# C that was translated to Go: the race detector makes it twenty times slower and has
# nothing to find in it.
UNRACED  := modernc.org/libc/... modernc.org/libquickjs modernc.org/sqlite/lib

export CGO_ENABLED ?= 0

.PHONY: help build run demo test lint bench generate seed clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## build bin/atelier: one static binary
	go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./bootstrap/atelier

run: build ## build and serve on http://localhost:8080, data in ./data
	AI_PROVIDER=$${AI_PROVIDER:-auto} $(BIN) serve

demo: ## walk the main job against the service that `make run` started
	go run ./bootstrap/demo -url $(DEMO_URL) -outbox $(DATA_DIR)/outbox

test: ## run all tests with the race detector; brings PostgreSQL and whatever else they need
	go run ./bootstrap/testenv -- env CGO_ENABLED=1 go test -race $(UNRACED:%=-gcflags=%=-race=false) -count=1 -timeout 12m $(PACKAGES)

lint: ## check formatting, vet, generated code and module files
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet ./...
	go tool wire diff ./bootstrap/local ./bootstrap/inmemory
	go mod tidy -diff

bench: ## measure speed and memory as ratios against a peer in the same run
	go run ./bootstrap/testenv -peers -- go run ./bootstrap/bench

generate: ## write the generated code anew (wire)
	go tool wire gen ./bootstrap/local ./bootstrap/inmemory

seed: ## fetch the packages of the built-in templates anew (needs the npm registry)
	go run ./bootstrap/seed

clean: ## remove what was built
	rm -rf bin
