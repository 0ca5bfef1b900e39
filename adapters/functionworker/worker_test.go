package functionworker_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/functionworker"
	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/functions/functionstest"
)

// These variables tell this test's program, started as a worker, the bounds of a call.
const (
	processorVariable = "ATELIER_TEST_PROCESSOR"
	timeVariable      = "ATELIER_TEST_TIME"
)

func TestMain(m *testing.M) {
	processor, err := time.ParseDuration(os.Getenv(processorVariable))
	if err != nil {
		os.Exit(m.Run())
	}
	whole, err := time.ParseDuration(os.Getenv(timeVariable))
	if err != nil {
		panic(err)
	}
	err = functionworker.Run(func() (functionworker.Runner, error) {
		return quickjs.New(quickjs.Limits{Memory: functions.MaxMemoryBytes, Processor: processor, Time: whole})
	})
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func TestRunner(t *testing.T) { functionstest.Run(t, harness{}) }

type harness struct{}

func (harness) Runner(t *testing.T) functions.Runner { return pool(t, ample) }

func (harness) Code(p functionstest.Program) []byte { return []byte(p.Script) }

// ample are bounds that no good call meets.
var ample = functionstest.Bounds{Processor: 5 * time.Second, Time: conformance.Patience / 2}

func pool(t testing.TB, bounds functionstest.Bounds) *functionworker.Pool {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	made := functionworker.NewPool(functionworker.Config{
		Command: []string{program},
		Env:     []string{processorVariable + "=" + bounds.Processor.String(), timeVariable + "=" + bounds.Time.String()},
		Log:     slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	t.Cleanup(made.Close)
	return made
}

func TestHostileFunctionsAreContained(t *testing.T) {
	functionstest.Attack(t, func(t testing.TB, bounds functionstest.Bounds) functions.Runner { return pool(t, bounds) })
}

// call runs a script.
func call(ctx context.Context, p *functionworker.Pool, script string) (functions.Result, error) {
	return p.Run(ctx, functions.Call{Tenant: core.NewID(), Code: []byte(script), Request: functions.Request{Method: "GET", URL: "https://shop.example.com/"}}, nil)
}

const good = `exports.default = () => new Response("good")`

func TestAWorkerWithAThreadThatCannotBeStoppedIsReplaced(t *testing.T) {
	p := pool(t, functionstest.Bounds{Processor: 300 * time.Millisecond, Time: ample.Time})
	var slow sync.WaitGroup
	slow.Go(func() {
		found, err := call(t.Context(), p, `exports.default = () => new Promise((done) => setTimeout(() => done(new Response("slow")), 4000))`)
		if err != nil || string(found.Response.Body) != "slow" {
			t.Errorf("a call beside it: got %q, %+v, %v", found.Response.Body, found.Failure, err)
		}
	})
	if found, err := call(t.Context(), p, good); err != nil || found.Failure != nil {
		t.Fatal(found.Failure, err)
	}
	first := p.Process()
	for _, script := range []string{
		`exports.default = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
		`exports.default = () => Array.prototype.fill.call(new Proxy({}, {}), 1, 0, 1)`,
	} {
		found, err := call(t.Context(), p, script)
		if err != nil || found.Failure == nil {
			t.Fatalf("got %+v, %v, want a failure", found, err)
		}
	}
	conformance.Eventually(t, "another worker", func() bool {
		found, err := call(t.Context(), p, good)
		return err == nil && string(found.Response.Body) == "good" && p.Process() != first
	})
	slow.Wait()
	conformance.Eventually(t, "the end of the first worker", func() bool {
		_, err := os.Stat("/proc/" + strconv.Itoa(first))
		return os.IsNotExist(err)
	})
}

func TestAKilledWorkerIsReplaced(t *testing.T) {
	p := pool(t, ample)
	for i := range 10 {
		if found, err := call(t.Context(), p, good); err != nil || string(found.Response.Body) != "good" {
			t.Fatalf("got %+v, %v", found, err)
		}
		_, err := p.Run(t.Context(), functions.Call{
			Tenant: core.NewID(), Code: fmt.Appendf(nil, `exports.default = () => fetch("https://example.com/") // %d`, i),
			Request: functions.Request{Method: "GET", URL: "https://shop.example.com/"},
		}, killer{kill: p.Kill})
		if core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("got %v, want %s", err, core.CodeUnavailable)
		}
	}
}

// gate is a host whose fetches say that they were asked, and wait until they are let go.
type gate struct {
	functions.Host
	asked, leave chan struct{}
}

// Fetch implements functions.Host.
func (g gate) Fetch(ctx context.Context, _ functions.Request) (functions.Response, error) {
	g.asked <- struct{}{}
	select {
	case <-g.leave:
		return functions.Response{Status: 200}, nil
	case <-ctx.Done():
		return functions.Response{}, ctx.Err()
	}
}

const (
	waits = `exports.default = () => new Promise((done) => setTimeout(() => done(new Response("waited")), 1500))`
	asks  = `exports.default = async () => { await fetch("https://example.com/"); return new Response("asked") }`
)

func TestACallThatHasAskedForNothingSurvivesItsWorker(t *testing.T) {
	p := pool(t, ample)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if found, err := call(t.Context(), p, waits); err != nil || string(found.Response.Body) != "waited" {
				t.Errorf("got %q, %+v, %v, want it repeated", found.Response.Body, found.Failure, err)
			}
		})
	}
	host := gate{asked: make(chan struct{}, 1), leave: make(chan struct{})}
	ask := functions.Call{Tenant: core.NewID(), Code: []byte(asks), Request: functions.Request{Method: "GET", URL: "https://shop.example.com/"}}
	all.Go(func() {
		if _, err := p.Run(t.Context(), ask, host); core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("got %v for a call that acted, want %s", err, core.CodeUnavailable)
		}
	})
	<-host.asked
	p.Kill()
	all.Wait()
	// Until it ends in peace, the code runs in a worker of its own, whose end harms nobody.
	if found, err := call(t.Context(), p, good); err != nil || string(found.Response.Body) != "good" {
		t.Fatal(found.Failure, err)
	}
	shared := p.Process()
	all.Go(func() {
		if found, err := p.Run(t.Context(), ask, host); err != nil || string(found.Response.Body) != "asked" {
			t.Errorf("alone: got %+v, %v", found, err)
		}
	})
	<-host.asked
	p.Kill()
	conformance.Eventually(t, "the end of the shared worker", func() bool {
		_, err := os.Stat("/proc/" + strconv.Itoa(shared))
		return os.IsNotExist(err)
	})
	close(host.leave)
	all.Wait()
}

// killer kills the worker that asks for something.
type killer struct {
	functions.Host
	kill func()
}

// Fetch implements functions.Host.
func (k killer) Fetch(ctx context.Context, _ functions.Request) (functions.Response, error) {
	k.kill()
	<-ctx.Done()
	return functions.Response{}, ctx.Err()
}
