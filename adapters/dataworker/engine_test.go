package dataworker_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/ports/backend/backendtest"
)

// Variables tell this test's program, started as a worker, where the data is and its bounds.
const (
	dirVariable    = "ATELIER_TEST_DATA"
	limitsVariable = "ATELIER_TEST_LIMITS"
)

// brokenVariable makes the worker one that does not speak HTTP/2.
const brokenVariable = "ATELIER_TEST_BROKEN"

func TestMain(m *testing.M) {
	dir := os.Getenv(dirVariable)
	switch {
	case os.Getenv(brokenVariable) != "":
		speakNonsense()
	case dir == "":
		os.Exit(m.Run())
	}
	err := dataworker.Run(func(service dataworker.Service) (dataworker.Backend, error) {
		var limits pocketbase.Limits
		if err := json.Unmarshal([]byte(os.Getenv(limitsVariable)), &limits); err != nil {
			return nil, err
		}
		return pocketbase.New(pocketbase.Config{Dir: dir, Limits: limits, Post: service.Post, SignIns: service.SignIns, Client: service.Client, Log: slog.New(slog.DiscardHandler)})
	})
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

// speakNonsense is a worker that breaks the protocol, and lives until the service closes another
// connection.
func speakNonsense() {
	requests, err := workerprocess.Connection(0)
	other, err2 := workerprocess.Connection(1)
	if err := errors.Join(err, err2); err != nil {
		os.Exit(1)
	}
	_, _ = requests.Write([]byte("nonsense that is not a frame"))
	_, _ = io.Copy(io.Discard, other)
	os.Exit(0)
}

func TestEngine(t *testing.T) {
	backendtest.Run(t, func(t *testing.T) backendtest.Harness { return &harness{dir: t.TempDir()} })
}

type harness struct {
	dir     string
	service backendtest.Service
	limits  backendtest.Limits
	engine  *dataworker.Engine
}

func (h *harness) Open(t testing.TB, service backendtest.Service, limits backendtest.Limits) backendtest.Engine {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := json.Marshal(limits)
	if err != nil {
		t.Fatal(err)
	}
	h.service, h.limits = service, limits
	h.engine = dataworker.New(dataworker.Config{
		Command: []string{program}, Env: []string{dirVariable + "=" + h.dir, limitsVariable + "=" + string(bounds)}, Dir: h.dir,
		Post: service.Post, SignIns: service.SignIns, Client: service.Client, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	t.Cleanup(h.engine.Close)
	return h.engine
}

func (h *harness) Reopen(t *testing.T) backendtest.Engine {
	h.engine.Close()
	return h.Open(t, h.service, h.limits)
}
