package disk_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// BenchmarkView reads 10,000 files of 4 KiB through the view, against plain
// os.ReadFile ("x-os").
func BenchmarkView(b *testing.B) {
	tree, dir, names := benchTree(b, 10_000)
	view := tree.FS().(fs.ReadFileFS)
	race(b, "x-os", func() {
		for _, name := range names {
			if _, err := view.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
	}, func() {
		for _, name := range names {
			if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWalk walks 10,000 files, against filepath.WalkDir with Info
// ("x-walkdir").
func BenchmarkWalk(b *testing.B) {
	tree, dir, _ := benchTree(b, 10_000)
	race(b, "x-walkdir", func() {
		if err := tree.Walk(b.Context(), func(worktree.Info) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}, func() {
		err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil {
				_, err = entry.Info()
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkWrite replaces a file of 4 KiB durably, against the least that this
// takes: temp, sync, rename, sync of the directory ("x-bare").
func BenchmarkWrite(b *testing.B) {
	tree, dir, names := benchTree(b, 100)
	content := make([]byte, 4096)
	change := []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(names[7]), Content: content}}
	race(b, "x-bare", func() {
		if err := tree.Apply(b.Context(), change)[0].Err; err != nil {
			b.Fatal(err)
		}
	}, func() { bareWrite(b, filepath.Join(dir, names[8]), content) })
}

func bareWrite(b *testing.B, path string, content []byte) {
	temp, err := os.Create(path + ".tmp")
	if err != nil {
		b.Fatal(err)
	}
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		b.Fatal(err)
	}
	_, err = temp.Write(content)
	for _, err := range []error{err, temp.Sync(), temp.Close(), os.Rename(temp.Name(), path), parent.Sync(), parent.Close()} {
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchTree(b *testing.B, files int) (worktree.Tree, string, []string) {
	b.Helper()
	root := b.TempDir()
	trees := newTrees(b, root)
	project := core.NewID()
	if err := trees.Create(b.Context(), project); err != nil {
		b.Fatal(err)
	}
	tree, err := trees.Open(b.Context(), project)
	if err != nil {
		b.Fatal(err)
	}
	changes, names := make([]core.FileChange, files), make([]string, files)
	for i := range changes {
		names[i] = fmt.Sprintf("src/dir%03d/file%05d.ts", i%140, i)
		changes[i] = core.FileChange{Op: core.OpWrite, Path: core.MustPath(names[i]), Content: []byte(strings.Repeat("0123456789abcdef", 256))}
	}
	for _, result := range tree.Apply(b.Context(), changes) {
		if result.Err != nil {
			b.Fatal(result.Err)
		}
	}
	return tree, filepath.Join(root, string(project)), names
}

// race lets both sides work b.N times by turns and reports the medians' ratio.
func race(b *testing.B, name string, ours, theirs func()) {
	var own, other []time.Duration
	for b.Loop() {
		start := time.Now()
		ours()
		middle := time.Now()
		theirs()
		own, other = append(own, middle.Sub(start)), append(other, time.Since(middle))
	}
	slices.Sort(own)
	slices.Sort(other)
	b.ReportMetric(float64(own[len(own)/2])/float64(other[len(other)/2]), name)
	b.ReportMetric(float64(own[len(own)/2].Microseconds()), "µs-own")
}
