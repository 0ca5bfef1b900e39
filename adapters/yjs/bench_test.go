package yjs_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// The trace of the benchmarks: a megabyte in a hundred files, in which three people
// type single keys, in runs, now and then deleting one.
const (
	benchFiles = 100
	benchBytes = 1 << 20
	benchKeys  = 100_000
)

// typing returns the initial state, and the updates of typing.
func typing(tb testing.TB, keys int) (state []byte, updates [][]byte) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	first := open(tb, nil)
	line := strings.Repeat("const value = compute(1, 2)\n", benchBytes/benchFiles/28)
	for n := range benchFiles {
		mustEdit(tb, first, benchPath(n), replica.Edit{Insert: line})
	}
	state = mustEncode(tb, first, nil)
	people := []replica.Document{open(tb, state), open(tb, state), open(tb, state)}
	for len(updates) < keys {
		by := people[random.IntN(len(people))]
		path := benchPath(random.IntN(benchFiles))
		text, _ := by.Text(path)
		at := random.IntN(len(text))
		for range min(20+random.IntN(40), keys-len(updates)) {
			edit := replica.Edit{At: at, Insert: "k"}
			if random.IntN(8) == 0 && at > 0 {
				at--
				edit = replica.Edit{At: at, Delete: 1}
			} else {
				at++
			}
			updates = append(updates, mustEdit(tb, by, path, edit).Update)
		}
	}
	return state, updates
}

func benchPath(n int) core.ProjectPath { return core.MustPath(fmt.Sprintf("src/file%d.ts", n)) }

func open(tb testing.TB, state []byte) replica.Document {
	tb.Helper()
	d, err := yjs.Maker{}.Open(state)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return d
}

func mustEdit(tb testing.TB, d replica.Document, path core.ProjectPath, edits ...replica.Edit) replica.Change {
	tb.Helper()
	change, err := d.Edit(path, edits)
	if err != nil {
		tb.Fatalf("edit %s: %v", path, err)
	}
	return change
}

func mustApply(tb testing.TB, d replica.Document, update []byte) replica.Change {
	tb.Helper()
	change, err := d.Apply(update)
	if err != nil {
		tb.Fatalf("apply: %v", err)
	}
	return change
}

// BenchmarkApplyKey applies the update of one key.
func BenchmarkApplyKey(b *testing.B) {
	state, updates := typing(b, benchKeys)
	b.ReportAllocs()
	d := open(b, state)
	next := 0
	for b.Loop() {
		if next == len(updates) {
			b.StopTimer()
			d, next = open(b, state), 0
			b.StartTimer()
		}
		mustApply(b, d, updates[next])
		next++
	}
}

// typed is a document after all the typing.
func typed(b *testing.B) replica.Document {
	b.Helper()
	state, updates := typing(b, benchKeys)
	d := open(b, state)
	for _, update := range updates {
		mustApply(b, d, update)
	}
	return d
}

// BenchmarkLateJoin encodes the state for somebody who has nothing.
func BenchmarkLateJoin(b *testing.B) {
	d := typed(b)
	b.SetBytes(int64(len(mustEncode(b, d, nil))))
	b.ReportAllocs()
	for b.Loop() {
		mustEncode(b, d, nil)
	}
}

// BenchmarkOpen reads a state.
func BenchmarkOpen(b *testing.B) {
	state := mustEncode(b, typed(b), nil)
	b.SetBytes(int64(len(state)))
	b.ReportAllocs()
	for b.Loop() {
		open(b, state)
	}
}

// BenchmarkRewrite makes forty edits throughout a text of ten kilobytes.
func BenchmarkRewrite(b *testing.B) {
	state := mustEncode(b, typed(b), nil)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		d := open(b, state)
		text, _ := d.Text(benchPath(0))
		var edits []replica.Edit
		for n := range 40 {
			edits = append(edits, replica.Edit{At: n * len(text) / 41, Delete: 10, Insert: "rewritten!"})
		}
		b.StartTimer()
		mustEdit(b, d, benchPath(0), edits...)
	}
}

// BenchmarkRoomMemory reports the heap of a document before and after the typing.
func BenchmarkRoomMemory(b *testing.B) {
	state, updates := typing(b, benchKeys)
	for b.Loop() {
		before := heap()
		d := open(b, state)
		fresh := heap()
		for _, update := range updates {
			mustApply(b, d, update)
		}
		b.ReportMetric(float64(fresh-before)/(1<<20), "MB-fresh")
		b.ReportMetric(float64(heap()-before)/(1<<20), "MB-typed")
		b.ReportMetric(float64(d.Stats().Structs), "structs")
		d.Rest()
		b.ReportMetric(float64(heap()-before)/(1<<20), "MB-resting")
		runtime.KeepAlive(d)
	}
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
