package npm_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
)

// The child process of TestAKilledProcessLeavesNoHalfPackages.
const (
	crashStore    = "NPM_TEST_CRASH_STORE"
	crashRegistry = "NPM_TEST_CRASH_REGISTRY"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashStore); dir != "" {
		installUntilKilled(dir, os.Getenv(crashRegistry))
	}
	if dir := os.Getenv(crashSweep); dir != "" {
		sweepUntilKilled(dir)
	}
	os.Exit(m.Run())
}

var crashRanges = map[string]string{"engine": "*", "fuel": "*", "view": "*"}

func installUntilKilled(dir, registry string) {
	resolver, err := npm.New(npm.Config{Dir: dir, Registry: npm.Source{URL: registry}})
	if err == nil {
		_, err = resolver.Install(context.Background(), crashRanges)
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// installer is a process of its own that installs crashRanges.
func installer(dir, registry string) *exec.Cmd {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashStore+"="+dir, crashRegistry+"="+registry)
	return child
}

// A process is killed at each request that it makes; whatever it had stored by
// then, the next one installs everything, whole.
func TestAKilledProcessLeavesNoHalfPackages(t *testing.T) {
	for kill := 1; kill <= 6; kill++ {
		registry, dir := newFakeRegistry(t), t.TempDir()
		for _, name := range []string{"engine", "fuel", "view"} {
			registry.publish(t, name, "1.0.0", nil, map[string]string{"a.js": strings.Repeat(name, 10_000), "deep/b.js": name})
		}
		child := installer(dir, registry.URL)
		asked, started := 0, make(chan struct{})
		registry.intercept(func(http.ResponseWriter, *http.Request) bool {
			<-started
			if asked++; asked == kill {
				if err := child.Process.Kill(); err != nil {
					t.Error(err)
				}
			}
			return false
		})
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		close(started)
		if err := child.Wait(); err == nil {
			t.Fatalf("killed at request %d: got a process that ended well, want it killed", kill)
		}
		registry.intercept(nil)
		set := install(t, openResolver(t, dir, registry.URL), crashRanges)
		for _, name := range []string{"engine", "fuel", "view"} {
			text, err := os.ReadFile(filepath.Join(set.Dir, "node_modules", name, "a.js"))
			if err != nil || string(text) != strings.Repeat(name, 10_000) {
				t.Errorf("killed at request %d: got %d bytes of %s, %v, want the whole file", kill, len(text), name, err)
			}
		}
	}
}
