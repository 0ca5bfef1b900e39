package pocketbase

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// openRoom returns an engine that holds a few places open, and makes places without collections.
func openRoom(t testing.TB, most int, idle time.Duration) (*Engine, func() backend.Place) {
	t.Helper()
	engine, err := New(Config{Dir: t.TempDir(), MaxOpen: most, Idle: idle, Log: slog.New(slog.DiscardHandler), Limits: Limits{Requests: 1e6}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine, func() backend.Place {
		place := backend.Place{Project: core.NewID(), Env: core.DataTest}
		if err := engine.Apply(t.Context(), place, backend.Schema{}); err != nil {
			t.Fatal(err)
		}
		return place
	}
}

func isOpen(engine *Engine, place backend.Place) bool {
	engine.places.mu.Lock()
	set := engine.places.sets[place]
	engine.places.mu.Unlock()
	return set != nil && set.present() != nil
}

func TestTheLeastRecentlyUsedPlaceIsClosedForAnother(t *testing.T) {
	engine, place := openRoom(t, 2, time.Hour)
	first, second := place(), place()
	if _, err := engine.Stats(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	third := place()
	if got := engine.places.room.count(); got != 2 {
		t.Errorf("got %d open places, want 2", got)
	}
	if isOpen(engine, second) || !isOpen(engine, first) || !isOpen(engine, third) {
		t.Error("got another place closed, want the one that was not used for the longest time")
	}
	if _, err := engine.Stats(t.Context(), second); err != nil {
		t.Errorf("got %v of the closed place, want it opened again", err)
	}
}

func TestManyPlacesAreUsedAtOnceWithRoomForFew(t *testing.T) {
	engine, place := openRoom(t, 3, time.Hour)
	var places []backend.Place
	for range 8 {
		places = append(places, place())
	}
	var users sync.WaitGroup
	for range 4 {
		for _, place := range places {
			users.Go(func() {
				for range 5 {
					if _, err := engine.Stats(t.Context(), place); err != nil && !core.IsCode(err, core.CodeUnavailable) {
						t.Errorf("got %v, want an answer or a request to try again", err)
					}
					if got := engine.places.room.count(); got > 3 {
						t.Errorf("got %d open places, want at most 3", got)
					}
				}
			})
		}
	}
	users.Wait()
}

func TestStreamsEndForAnotherPlaceIfAllHaveSome(t *testing.T) {
	engine, place := openRoom(t, 1, time.Hour)
	streamed := place()
	over := make(chan struct{})
	go func() {
		defer close(over)
		engine.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/realtime", nil), streamed, backend.Identity{})
	}()
	set, done, err := engine.places.use(streamed)
	if err != nil {
		t.Fatal(err)
	}
	done()
	conformance.Eventually(t, "the stream", set.isLent)
	other := backend.Place{Project: core.NewID(), Env: core.DataTest}
	conformance.Eventually(t, "room", func() bool {
		err := engine.Apply(t.Context(), other, backend.Schema{})
		if err != nil && (!core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), "BACKEND_MAX_OPEN")) {
			t.Fatalf("got %v, want a request to try again and then room", err)
		}
		return err == nil
	})
	conformance.Await(t, "the end of the stream", over)
}

func TestAnIdlePlaceIsClosedAndForgotten(t *testing.T) {
	engine, place := openRoom(t, 10, 50*time.Millisecond)
	for range 3 {
		place()
	}
	if !conformance.Becomes(func() bool { return engine.places.room.count() == 0 && len(engine.places.all()) == 0 }) {
		t.Errorf("got %d places open and %d known, want none", engine.places.room.count(), len(engine.places.all()))
	}
}

// residentBytes returns the process's memory, including SQLite's, which Go does not count.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// usage is the process's use of memory and goroutines.
type usage struct{ bytes, goroutines int64 }

func measure() usage {
	debug.FreeOSMemory()
	return usage{residentBytes(), int64(runtime.NumGoroutine())}
}

// BenchmarkIdle measures the memory of open places, and what remains after closing them.
// The first round leaves what SQLite and PocketBase allocate once.
func BenchmarkIdle(b *testing.B) {
	const count = 200
	for b.Loop() {
		engine, place := openRoom(b, count, time.Hour)
		var places []backend.Place
		for range count {
			places = append(places, place())
		}
		engine.places.closeUnused(time.Now())
		before := measure()
		for _, place := range places {
			if _, err := engine.Stats(b.Context(), place); err != nil {
				b.Fatal(err)
			}
		}
		open := measure()
		engine.places.closeUnused(time.Now())
		closed := measure()
		b.ReportMetric(float64(open.bytes-before.bytes)/count/(1<<20), "MiB/open")
		b.ReportMetric(float64(open.goroutines-before.goroutines)/count, "goroutines/open")
		b.ReportMetric(float64(closed.bytes-before.bytes)/count/(1<<20), "MiB/closed")
		b.ReportMetric(float64(closed.goroutines-before.goroutines)/count, "goroutines/closed")
	}
}
