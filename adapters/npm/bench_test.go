package npm_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/npm"
)

// The benchmarks read the real registry, and run npm beside this resolver: they
// need the network and Node. Run them with
//
//	go test -run '^$' -bench . ./adapters/npm

var benchRanges = map[string]string{"react": "^19.2.0", "react-dom": "^19.2.0"}

func benchInstall(b *testing.B, dir string) {
	b.Helper()
	resolver, err := npm.New(npm.Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	install(b, resolver, benchRanges)
}

// npmInstall is the time that npm takes for the same packages with a warm cache.
func npmInstall(b *testing.B) time.Duration {
	b.Helper()
	run := func() time.Duration {
		command := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "react@^19.2.0", "react-dom@^19.2.0")
		command.Dir = b.TempDir()
		start := time.Now()
		if output, err := command.CombinedOutput(); err != nil {
			b.Fatalf("npm: %v\n%s", err, output)
		}
		return time.Since(start)
	}
	run()
	return run()
}

func BenchmarkInstall(b *testing.B) {
	b.Run("nothing stored", func(b *testing.B) {
		for b.Loop() {
			benchInstall(b, b.TempDir())
		}
	})
	b.Run("stored, a new process", func(b *testing.B) {
		peer, dir := npmInstall(b), b.TempDir()
		benchInstall(b, dir)
		for b.Loop() {
			benchInstall(b, dir)
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/peer.Seconds(), "x-npm")
	})
	b.Run("stored, the same process", func(b *testing.B) {
		resolver := openResolver(b, b.TempDir(), "")
		install(b, resolver, benchRanges)
		for b.Loop() {
			install(b, resolver, benchRanges)
		}
	})
}

// BenchmarkSeed installs the packages of the built-in templates, without a network.
func BenchmarkSeed(b *testing.B) {
	ranges := map[string]string{"react": "^19.2.0", "react-dom": "^19.2.0", "tailwindcss": "^4.3.0"}
	open := func(dir string) *npm.Resolver {
		resolver, err := npm.New(npm.Config{Dir: dir, Seed: npm.BuiltIn()})
		if err != nil {
			b.Fatal(err)
		}
		return resolver
	}
	b.Run("nothing stored", func(b *testing.B) {
		for b.Loop() {
			install(b, open(b.TempDir()), ranges)
		}
	})
	b.Run("stored, a new process", func(b *testing.B) {
		dir := b.TempDir()
		for b.Loop() {
			install(b, open(dir), ranges)
		}
	})
}
