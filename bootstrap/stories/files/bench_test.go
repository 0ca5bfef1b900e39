package files

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// projectOf is a project of n files of 1 KiB, 70 in a directory, on disk, git and
// SQLite.
func projectOf(b *testing.B, n int) *world {
	b.Helper()
	w := start(b, onDisk(b))
	w.signUp("ann@example.com")
	content := fstest.MapFS{}
	for i := range n {
		content[fmt.Sprintf("src/dir%03d/file%05d.ts", i/70, i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d%s", i, strings.Repeat("x", 1020))}
	}
	id := core.NewID()
	rows, err := w.pipeline.Create(b.Context(), id, content, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}})
	must(b, err)
	tables := w.store.Tables()
	project := core.Project{ID: id, WorkspaceID: core.ID(w.workspace), Slug: "bench", Name: "Bench", Visibility: core.VisibilityWorkspace, CreatedBy: w.actor.UserID}
	must(b, tables.Projects.Create(b.Context(), project))
	_, err = tables.Files.Apply(b.Context(), id, storage.FileDelta{Put: rows})
	must(b, err)
	w.project = string(id)
	return w
}

func (w *world) tree() string { return filepath.Join(w.root, w.project) }

// stock runs the git client in the project's tree.
func (w *world) stock(arguments ...string) {
	w.Helper()
	identity := []string{"-C", w.tree(), "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "gc.auto=0"}
	if output, err := exec.Command("git", append(identity, arguments...)...).CombinedOutput(); err != nil {
		w.Fatalf("git %s: %v, %s", arguments[0], err, output)
	}
}

// median is the median time of 15 runs; prepare is not counted.
func median(prepare func(i int), run func()) time.Duration {
	var times []time.Duration
	for i := range 15 {
		prepare(i)
		begun := time.Now()
		run()
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// compare reports how many times as long as a baseline an operation took.
func compare(b *testing.B, name string, baseline time.Duration) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(baseline.Nanoseconds()), "x-"+name)
}

// BenchmarkWrite writes 4 KiB: durable, staged, cached and broadcast.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			w := projectOf(b, n)
			at := core.FileAt{Project: core.ID(w.project), Path: core.MustPath("src/dir000/file00007.ts")}
			content := func(i int) []byte { return fmt.Appendf(nil, "%d%s", i, strings.Repeat("y", 4<<10)) }
			i := 0
			for b.Loop() {
				i++
				_, err := w.service.Write(b.Context(), w.actor, at, func() ([]byte, error) { return content(i), nil }, nil)
				must(b, err)
			}
			file := filepath.Join(w.tree(), at.Path.String())
			compare(b, "git-add", median(func(i int) { must(b, os.WriteFile(file, content(-i), 0o644)) }, func() { w.stock("add", at.Path.String()) }))
		})
	}
}

// BenchmarkBulk writes 100 files and makes one version of them.
func BenchmarkBulk(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			w := projectOf(b, n)
			paths := make([]string, 100)
			for i := range paths {
				paths[i] = fmt.Sprintf("src/dir%03d/file%05d.ts", i/70, i)
			}
			round := 0
			content := func(i int) string { return fmt.Sprintf("%d %d%s", round, i, strings.Repeat("z", 4<<10)) }
			for b.Loop() {
				round++
				operations := make([]files.Operation, len(paths))
				for i := range paths {
					text := content(i)
					operations[i] = files.Operation{Op: core.OpWrite, Path: &paths[i], Content: &text}
				}
				answer, err := w.service.Bulk(b.Context(), w.actor, core.ID(w.project), files.Batch{Operations: operations})
				must(b, err)
				if answer.Commit == nil {
					b.Fatal("no version was made")
				}
			}
			write := func(int) {
				round++
				for i, path := range paths {
					must(b, os.WriteFile(filepath.Join(w.tree(), path), []byte(content(i)), 0o644))
				}
			}
			compare(b, "git-add-commit", median(write, func() { w.stock("add", "src"); w.stock("commit", "-q", "-m", "Bulk") }))
		})
	}
}

// walk lists the tree as a service without a cache would.
func (w *world) walk() int {
	n := 0
	must(w, filepath.WalkDir(w.tree(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() {
			n++
		}
		return err
	}))
	return n
}

// BenchmarkList lists 10,000 files, unchanged and with a write before each list.
func BenchmarkList(b *testing.B) {
	w := projectOf(b, 10_000)
	walk := median(func(int) {}, func() {
		if n := w.walk(); n != 10_000 {
			b.Fatalf("got %d files", n)
		}
	})
	list := func() {
		listing, err := w.service.List(b.Context(), w.actor, core.ID(w.project))
		must(b, err)
		if len(listing.Flat().JSON) < 1<<20 {
			b.Fatalf("got %d bytes", len(listing.Flat().JSON))
		}
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			list()
		}
		compare(b, "walk", walk)
	})
	b.Run("changed", func(b *testing.B) {
		at := core.FileAt{Project: core.ID(w.project), Path: core.MustPath("src/new.ts")}
		for b.Loop() {
			b.StopTimer()
			_, err := w.service.Write(b.Context(), w.actor, at, func() ([]byte, error) { return []byte("1"), nil }, nil)
			must(b, err)
			b.StartTimer()
			list()
		}
		compare(b, "walk", walk)
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w.useCases = newUseCases(w.adapterSet)
			b.StartTimer()
			list()
		}
		compare(b, "walk", walk)
	})
}

// BenchmarkRead opens a file of 1 KiB and reads it.
func BenchmarkRead(b *testing.B) {
	w := projectOf(b, 1_000)
	at := core.FileAt{Project: core.ID(w.project), Path: core.MustPath("src/dir000/file00007.ts")}
	buffer := make([]byte, 2<<10)
	for b.Loop() {
		file, err := w.service.Read(b.Context(), w.actor, at)
		must(b, err)
		if n, err := file.Read(buffer); n < 1000 || err != nil {
			b.Fatal(n, err)
		}
		must(b, file.Close())
	}
}
