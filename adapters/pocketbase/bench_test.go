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
	everybody := ""
	schema := backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_notes", Name: "notes", Type: backend.Base, Rules: backend.Rules{List: &everybody},
		Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}},
	}}}
	var all []backend.Place
	engine := open()
	for range places {
		all = append(all, backend.Place{Project: core.NewID(), Env: core.DataLive})
		if err := engine.Apply(b.Context(), all[len(all)-1], schema); err != nil {
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
