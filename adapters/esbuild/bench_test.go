package esbuild_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
)

// The benchmarks install the real packages with npm, and build with vite beside
// this builder: they need the network and Node. Run them with
//
//	go test -run '^$' -bench . ./adapters/esbuild

// todoApp installs the template with all that vite needs.
func todoApp(b *testing.B) (dir string, files fstest.MapFS) {
	b.Helper()
	dir = b.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../scaffold/templates/todo-app")); err != nil {
		b.Fatal(err)
	}
	files = make(fstest.MapFS)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = &fstest.MapFile{Data: content}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	inDir(b, dir, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
	return dir, files
}

func inDir(b *testing.B, dir, name string, args ...string) time.Duration {
	b.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	start := time.Now()
	if output, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", name, err, output)
	}
	return time.Since(start)
}

func newBuilder(b *testing.B, cache string) *esbuild.Builder {
	b.Helper()
	builder, err := esbuild.New(cache)
	if err != nil {
		b.Fatal(err)
	}
	return builder
}

func buildOnce(b *testing.B, builder *esbuild.Builder, mode build.Mode, dir string, files fs.FS) {
	b.Helper()
	result, err := builder.Build(b.Context(), build.Request{Mode: mode, Files: files, Packages: dir, PackagesKey: "bench"})
	if err != nil || len(result.Diagnostics) > 0 {
		b.Fatalf("got error %v, diagnostics %+v, want neither", err, result.Diagnostics)
	}
}

// save changes a component as a person would.
func save(files fstest.MapFS, n int) {
	source := files["src/App.tsx"].Data
	files["src/App.tsx"] = &fstest.MapFile{Data: fmt.Appendf(slices.Clone(source), "// %d\nexport const saved = %d\n", n, n)}
}

func BenchmarkTodoApp(b *testing.B) {
	dir, files := todoApp(b)
	cache := b.TempDir()
	buildOnce(b, newBuilder(b, cache), build.ModePreview, dir, files)
	buildOnce(b, newBuilder(b, cache), build.ModeSite, dir, files)

	b.Run("first preview, no caches", func(b *testing.B) {
		for b.Loop() {
			buildOnce(b, newBuilder(b, b.TempDir()), build.ModePreview, dir, files)
		}
	})
	b.Run("first preview, dependencies on the disk", func(b *testing.B) {
		for b.Loop() {
			buildOnce(b, newBuilder(b, cache), build.ModePreview, dir, files)
		}
	})
	b.Run("preview after a save", func(b *testing.B) { rebuild(b, newBuilder(b, cache), build.ModePreview, dir, files) })
	b.Run("publish", func(b *testing.B) {
		vite := viteBuild(b, dir)
		rebuild(b, newBuilder(b, cache), build.ModeSite, dir, files)
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/vite.Seconds(), "x-vite")
	})
	b.Run("publish, no caches", func(b *testing.B) {
		vite := viteBuild(b, dir)
		for b.Loop() {
			buildOnce(b, newBuilder(b, b.TempDir()), build.ModeSite, dir, files)
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/vite.Seconds(), "x-vite")
	})
}

func rebuild(b *testing.B, builder *esbuild.Builder, mode build.Mode, dir string, files fstest.MapFS) {
	buildOnce(b, builder, mode, dir, files)
	n := 0
	for b.Loop() {
		changed := make(fstest.MapFS, len(files))
		for name, file := range files {
			changed[name] = file
		}
		save(changed, n)
		buildOnce(b, builder, mode, dir, changed)
		n++
	}
}

// viteBuild is the median of three builds of the same sources.
func viteBuild(b *testing.B, dir string) time.Duration {
	var times []time.Duration
	for range 3 {
		times = append(times, inDir(b, dir, filepath.Join(dir, "node_modules", ".bin", "vite"), "build"))
	}
	slices.Sort(times)
	return times[1]
}
