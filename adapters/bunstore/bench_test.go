package bunstore

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// benchmark runs do on a store of each kind with a project and the crash chat.
func benchmark(b *testing.B, do func(b *testing.B, in storage.Tables, project core.ID)) {
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		b.Run(name, func(b *testing.B) {
			store := migrated(b, databases(b)[name])
			do(b, store.Tables(), fill(b, store))
		})
	}
}

func BenchmarkProjectByID(b *testing.B) {
	benchmark(b, func(b *testing.B, in storage.Tables, project core.ID) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := in.Projects.ByID(b.Context(), project); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkProjectByIDOfMany has 16 callers.
func BenchmarkProjectByIDOfMany(b *testing.B) {
	benchmark(b, func(b *testing.B, in storage.Tables, project core.ID) {
		b.ReportAllocs()
		b.SetParallelism((16 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
		b.RunParallel(func(each *testing.PB) {
			for each.Next() {
				if _, err := in.Projects.ByID(b.Context(), project); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func tenThousand() []core.FileEntry {
	rows := make([]core.FileEntry, 10_000)
	for i := range rows {
		path := core.MustPath(fmt.Sprintf("src/components/%02d/Component%04d.tsx", i/100, i))
		rows[i] = core.FileEntry{Path: path, Size: int64(i), UpdatedAt: 1_700_000_000_000, ETag: `"0123456789abcdef"`}
	}
	return rows
}

func BenchmarkFileList10000(b *testing.B) {
	benchmark(b, func(b *testing.B, in storage.Tables, project core.ID) {
		if _, err := in.Files.Apply(b.Context(), project, storage.FileDelta{Put: tenThousand()}); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := in.Files.List(b.Context(), project); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFileApply10000(b *testing.B) {
	rows := tenThousand()
	paths := each(rows, func(row core.FileEntry) core.ProjectPath { return row.Path })
	benchmark(b, func(b *testing.B, in storage.Tables, project core.ID) {
		for b.Loop() {
			if _, err := in.Files.Apply(b.Context(), project, storage.FileDelta{Delete: paths, Put: rows}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFileApplyOne(b *testing.B) {
	rows := tenThousand()
	benchmark(b, func(b *testing.B, in storage.Tables, project core.ID) {
		for b.Loop() {
			if _, err := in.Files.Apply(b.Context(), project, storage.FileDelta{Put: rows[:1]}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEventAppend(b *testing.B) {
	payloads := []core.Payload{core.MessageDelta{Delta: "some words of an answer"}}
	benchmark(b, func(b *testing.B, in storage.Tables, _ core.ID) {
		for b.Loop() {
			if _, err := in.Events.Append(b.Context(), crashChat, 1, payloads); err != nil {
				b.Fatal(err)
			}
		}
	})
}
