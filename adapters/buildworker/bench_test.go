package buildworker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
)

// largeProject is a project of a number of modules in twenty directories on the disk,
// with two MiB of dependencies.
func largeProject(b *testing.B, modules int) build.Request {
	b.Helper()
	dir, all := b.TempDir(), strings.Builder{}
	write := func(name, text string) {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for i := range modules {
		fmt.Fprintf(&all, "import { v%d } from './d%d/m%d'; console.log(v%d)\n", i, i%20, i, i)
		write(fmt.Sprintf("src/d%d/m%d.tsx", i%20, i), fmt.Sprintf("export const v%d = <p className='a'>%s</p>\n", i, strings.Repeat("text ", 200)))
	}
	write("index.html", `<!doctype html><title>t</title><script type="module" src="/src/main.tsx"></script>`)
	write("src/main.tsx", "import large from 'large'\nimport 'react/jsx-runtime'\nconsole.log(large)\n"+all.String())
	return build.Request{
		Mode: build.ModePreview, Files: os.DirFS(dir), PackagesKey: "bench",
		Packages: packages(b, map[string]string{
			"large": "module.exports = " + fmt.Sprintf("%q", strings.Repeat("0123456789", 200_000)),
			"react": "exports.x = 1", "react/jsx-runtime": "exports.jsx = exports.jsxs = () => 1", "react/jsx-dev-runtime": "exports.jsxDEV = () => 1",
		}),
	}
}

// BenchmarkRebuild compares a build after the first with one in process. Run it with
//
//	go test -run '^$' -bench . ./adapters/buildworker
func BenchmarkRebuild(b *testing.B) {
	for _, modules := range []int{1, 20, 500} {
		b.Run(fmt.Sprintf("%d modules", modules), func(b *testing.B) {
			req, pool := largeProject(b, modules), open(b)
			here, err := esbuild.New(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			once := func(builder build.Builder) time.Duration {
				start := time.Now()
				made, err := builder.Build(b.Context(), req)
				if err != nil || len(made.Diagnostics) > 0 {
					b.Fatal(made.Diagnostics, err)
				}
				return time.Since(start)
			}
			once(pool)
			once(here)
			var apart, inside time.Duration
			for b.Loop() {
				apart += once(pool)
				inside += once(here)
			}
			b.ReportMetric(float64(apart)/float64(inside), "times")
			b.ReportMetric(float64((apart-inside).Microseconds())/float64(b.N), "µs-more/op")
		})
	}
}

// BenchmarkCheck is a syntax check of a small source.
func BenchmarkCheck(b *testing.B) {
	pool := open(b)
	for b.Loop() {
		if found, err := pool.Syntax(b.Context(), "a.tsx", []byte("export default () => <p>a</p>")); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}

// BenchmarkStart is a syntax check by a worker that is started for it.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		pool := open(b)
		b.StartTimer()
		if found, err := pool.Syntax(b.Context(), "a.tsx", []byte("export default () => <p>a</p>")); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
		b.StopTimer()
		pool.Close()
		b.StartTimer()
	}
}
