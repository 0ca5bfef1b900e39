package esbuild_test

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
	for _, part := range []string{"templates/todo-app", "shared"} {
		if err := os.CopyFS(dir, os.DirFS("../scaffold/"+part)); err != nil {
			b.Fatal(err)
		}
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

// BenchmarkSave rebuilds a preview after the change of one component among many.
// It needs no network.
func BenchmarkSave(b *testing.B) {
	for _, modules := range []int{10, 500} {
		b.Run(fmt.Sprintf("%d modules", modules), func(b *testing.B) {
			dir := b.TempDir()
			for name, text := range fakeReact() {
				at := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			files := manyComponents(modules)
			builder := newBuilder(b, b.TempDir())
			buildOnce(b, builder, build.ModePreview, dir, files)
			part := string(files["src/parts/Part3.tsx"].Data)
			for n := 0; b.Loop(); n++ {
				changed := strings.Replace(part, "Some words", fmt.Sprintf("Some %d words", n), 1)
				files["src/parts/Part3.tsx"] = &fstest.MapFile{Data: []byte(changed)}
				buildOnce(b, builder, build.ModePreview, dir, files)
			}
		})
	}
}

// manyComponents is an application of n components of 4 KB each, every one with
// some others in it.
func manyComponents(n int) fstest.MapFS {
	s := sources{"src/main.tsx": "import { createRoot } from 'react-dom/client'\nimport App from './App'\ncreateRoot(document.body).render(<App />)\n"}
	imports, elements := "", ""
	for i := range n {
		imports += fmt.Sprintf("import { Part%d } from './parts/Part%d'\n", i, i)
		elements += fmt.Sprintf("<Part%d />", i)
		body := strings.Repeat("    <p className=\"text\">Some words that stand in a paragraph of the page</p>\n", 45)
		s[fmt.Sprintf("src/parts/Part%d.tsx", i)] = fmt.Sprintf("import { useState } from 'react'\nimport { label } from '../label'\nexport function Part%d() {\n  const [n] = useState(0)\n  return <div>{label}{n}\n%s</div>\n}\n", i, body)
	}
	s["src/label.ts"] = "export const label = 'label'\n"
	s["src/App.tsx"] = imports + "export default function App() { return <main>" + elements + "</main> }\n"
	return s.files()
}
