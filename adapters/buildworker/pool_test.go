package buildworker_test

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/markup"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/build/buildtest"
	"github.com/atelierhq/atelier/ports/markup/markuptest"
)

// TestMain lets the tests' own program be a worker, and a service.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case buildworker.Command:
			fmt.Fprintln(os.Stderr, "worker:", buildworker.Run(func() (buildworker.Tools, error) { return tools(os.Args[2]) }))
			os.Exit(1)
		case "service":
			serveForEver(os.Args[2:])
			os.Exit(1)
		case "mischief":
			misbehave(os.Args[2])
			os.Exit(1)
		case "scripted":
			fmt.Fprintln(os.Stderr, "worker:", buildworker.Run(func() (buildworker.Tools, error) { return buildworker.Tools{Builder: &scriptedBuilder{}}, nil }))
			os.Exit(1)
		case "escapist":
			fmt.Fprintln(os.Stderr, "worker:", buildworker.Run(func() (buildworker.Tools, error) { return buildworker.Tools{Builder: escapist{}}, nil }))
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// tools are those of the real worker.
func tools(cacheDir string) (buildworker.Tools, error) {
	builder, err := esbuild.New(cacheDir)
	return buildworker.Tools{Builder: builder, Checker: builder, Patcher: markup.New()}, err
}

// command starts this program as a worker.
func command(t testing.TB) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program, buildworker.Command, t.TempDir()}
}

// open returns a pool that is closed with the test.
func open(t testing.TB, change ...func(*buildworker.Config)) *buildworker.Pool {
	t.Helper()
	config := buildworker.Config{Command: command(t), Readable: []string{os.TempDir()}, Log: slog.New(slog.DiscardHandler)}
	config.Writable = config.Command[2:]
	for _, one := range change {
		one(&config)
	}
	pool := buildworker.New(config)
	t.Cleanup(pool.Close)
	return pool
}

// project is a page with one script and what else it has.
func project(script string, more map[string]string) fstest.MapFS {
	files := fstest.MapFS{
		"index.html":   {Data: []byte(`<!doctype html><title>t</title><script type="module" src="/src/main.tsx"></script>`)},
		"src/main.tsx": {Data: []byte(script)},
	}
	for name, text := range more {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// packages makes a directory of packages, each of one module.
func packages(t testing.TB, modules map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range modules {
		at := filepath.Join(dir, "node_modules", name)
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, content := range map[string]string{"package.json": `{"name": "` + name + `", "version": "1.0.0", "main": "index.js"}`, "index.js": text} {
			if err := os.WriteFile(filepath.Join(at, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestBuilder(t *testing.T) {
	buildtest.RunBuilder(t, func(t *testing.T) build.Builder { return open(t) })
}

func TestAConfigurationOfViteIsReadInAWorker(t *testing.T) {
	pool := open(t)
	files := project("console.log(1)", map[string]string{
		"vite.config.ts": `import { own } from "./settings/own"; import { loadEnv } from "vite"; export default { define: { own, said: JSON.stringify(loadEnv("development", "/").VITE_A) } }`, "settings/own.ts": `export const own = "1"`,
	})
	got, err := pool.ViteConfig(t.Context(), files, map[string]string{"VITE_A": "a"})
	if want := map[string]string{"own": "1", "said": `"a"`}; err != nil || !maps.Equal(got.Preview.Define, want) || !maps.Equal(got.Site.Define, want) {
		t.Errorf("got %+v, %v, want %v", got, err, want)
	}
}

func TestSyntaxChecker(t *testing.T) {
	buildtest.RunSyntaxChecker(t, func(t *testing.T) build.SyntaxChecker { return open(t) })
}

func TestPatcher(t *testing.T) { markuptest.Run(t, open(t)) }
