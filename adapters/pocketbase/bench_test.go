package pocketbase_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// places is how many places a benchmark has open.
const places = 50

// BenchmarkOpen measures the memory of an unused open place, and the first answer of a closed one.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	open := func() *pocketbase.Engine {
		engine, err := pocketbase.New(pocketbase.Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		return engine
	}
	shut := func(engine *pocketbase.Engine) {
		if err := engine.Close(); err != nil {
			b.Fatal(err)
		}
	}
	var all []backend.Place
	engine := open()
	for range places {
		all = append(all, backend.Place{Project: core.NewID(), Env: core.DataLive})
		if err := engine.Apply(b.Context(), all[len(all)-1], notesSchema()); err != nil {
			b.Fatal(err)
		}
	}
	shut(engine)
	var first []time.Duration
	for b.Loop() {
		before := residentBytes(b)
		engine = open()
		for _, place := range all {
			began, w := time.Now(), httptest.NewRecorder()
			engine.Serve(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/collections/notes/records", nil), place, backend.Identity{})
			first = append(first, time.Since(began))
			if w.Code != http.StatusOK {
				b.Fatalf("got %d %s", w.Code, w.Body)
			}
		}
		b.ReportMetric(float64(residentBytes(b)-before)/places/(1<<20), "MiB/open")
		shut(engine)
	}
	slices.Sort(first)
	b.ReportMetric(float64(first[len(first)/2].Microseconds())/1000, "ms-reopen-p50")
}

func notesSchema() backend.Schema {
	everybody := ""
	return backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_notes", Name: "notes", Type: backend.Base, Rules: backend.Rules{List: &everybody},
		Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}},
	}}}
}

// closed is how many places BenchmarkClosed has used and closed.
const closed = 1000

// BenchmarkClosed measures the memory that places still take after they were closed: what the heap
// holds of them, and the pages of the process. As many before them fill the pools that all share.
func BenchmarkClosed(b *testing.B) {
	engine, err := pocketbase.New(pocketbase.Config{Dir: b.TempDir(), MaxOpen: 8, Idle: time.Second, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	use := func() (heap, resident int64) {
		for range closed {
			if err := engine.Apply(b.Context(), backend.Place{Project: core.NewID(), Env: core.DataLive}, notesSchema()); err != nil {
				b.Fatal(err)
			}
		}
		time.Sleep(3 * time.Second) // all are closed, and forgotten
		resident = residentBytes(b)
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		return int64(memory.HeapAlloc), resident
	}
	for b.Loop() {
		heapBefore, residentBefore := use()
		heap, resident := use()
		b.ReportMetric(float64(heap-heapBefore)/(1<<20), "MiB-heap/1000")
		b.ReportMetric(float64(resident-residentBefore)/(1<<20), "MiB/1000")
	}
}

// residentBytes is the memory of this process.
func residentBytes(b *testing.B) int64 {
	b.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	b.Fatal("the kernel says nothing about the memory")
	return 0
}
