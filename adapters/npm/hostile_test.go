package npm_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
)

// Ways in which a registry can be slow or talk without end. Each goes on until the
// client leaves.
var misbehaviours = map[string]func(w http.ResponseWriter, r *http.Request){
	"hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"hangs after the header": func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	},
	"drips": func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	},
	"never ends": func(w http.ResponseWriter, r *http.Request) {
		for flood := strings.Repeat(" ", 1<<16); r.Context().Err() == nil; {
			if _, err := io.WriteString(w, flood); err != nil {
				return
			}
		}
	},
	"talks garbage": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "\x00<html>") },
	"says nothing":  func(http.ResponseWriter, *http.Request) {},
}

func TestARegistryThatMisbehavesIsUnavailable(t *testing.T) {
	for name, misbehave := range misbehaviours {
		for _, path := range []string{"/engine", "/engine/-/archive-1.0.0.tgz"} {
			registry := newFakeRegistry(t)
			registry.publish(t, "engine", "1.0.0", nil, nil)
			handler := registry.Config.Handler
			registry.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == path {
					misbehave(w, r)
					return
				}
				handler.ServeHTTP(w, r)
			})
			resolver := openResolver(t, t.TempDir(), registry.URL)
			npm.SetPatience(resolver, 20*time.Millisecond)
			npm.SetLimits(resolver, npm.Limits{Packument: 1 << 22, Tarball: 1 << 22})
			_, err := resolver.Install(t.Context(), map[string]string{"engine": "*"})
			tooLarge := name == "never ends" && core.IsCode(err, core.CodeValidationFailed)
			if !core.IsCode(err, core.CodeUnavailable) && !tooLarge || !strings.Contains(err.Error(), "engine") {
				t.Errorf("%s at %s: got %v, want code %s that names engine", name, path, err, core.CodeUnavailable)
			}
		}
	}
}

func TestThousandsOfDependenciesAskTheRegistryNothing(t *testing.T) {
	registry := newFakeRegistry(t)
	many := make(map[string]string)
	for i := range 10_000 {
		many[fmt.Sprintf("package-%d", i)] = "*"
	}
	_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), many)
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "10000 dependencies") {
		t.Errorf("got %v, want code %s that says how many there are", err, core.CodeValidationFailed)
	}
	if asked := registry.asked(); len(asked) != 0 {
		t.Errorf("got %d requests, want none", len(asked))
	}
}

func TestThousandsOfDependenciesOfAPackageAreNotAllAskedFor(t *testing.T) {
	registry := newFakeRegistry(t)
	many := make(map[string]string)
	for i := range 10_000 {
		many[fmt.Sprintf("package-%d", i)] = "*"
	}
	registry.publish(t, "engine", "1.0.0", map[string]any{"dependencies": many}, nil)
	_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
	if !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, want code %s", err, core.CodeValidationFailed)
	}
	if asked := registry.asked(); len(asked) != 1 {
		t.Errorf("got %d requests, want that for engine alone", len(asked))
	}
}

func TestHostileNamesAndRangesAskTheRegistryNothing(t *testing.T) {
	registry := newFakeRegistry(t)
	names := []string{
		"../x", "..", ".", "/etc/passwd", "a/../b", "@scope/../x", "@scope", "@/x", "@scope/", "@a/b/c", "ｅngine", "engine\u202e", "a b", "a%2fb", "a\x00b",
		"a\nb", "a?b", "a#b", "http://x", strings.Repeat("x", 10<<10), "node_modules", "a\\b", "__proto__/x", "-\r\nHost: x",
	}
	ranges := []string{
		"git+ssh://git@example.com/x.git", "github:a/b", "a/b", "https://example.com/x.tgz", "http://169.254.169.254/", "file:/etc", "link:../x",
		"workspace:*", "npm:../x@1", "npm:@1", "npm:", "npm:npm:x@1", strings.Repeat("9", 10<<10), strings.Repeat("^1 || ", 5000), "1.0.0\x00", "^1 ^^2", "🦄",
	}
	resolver := openResolver(t, t.TempDir(), registry.URL)
	check := func(name, text string) {
		_, err := resolver.Install(t.Context(), map[string]string{name: text})
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%.40q: %.40q: got %v, want code %s", name, text, err, core.CodeValidationFailed)
		} else if len(err.Error()) > 2000 {
			t.Errorf("%.40q: %.40q: got a message of %d bytes, want it short", name, text, len(err.Error()))
		}
	}
	for _, name := range names {
		check(name, "*")
	}
	for _, text := range ranges {
		check("engine", text)
	}
	if asked := registry.asked(); len(asked) != 0 {
		t.Errorf("got requests %q, want none", asked)
	}
}

func TestAPackumentOfAMillionVersionsIsRefused(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		io.WriteString(w, `{"name":"engine","versions":{`)
		for i := range 1_000_000 {
			fmt.Fprintf(w, `"1.0.%d":{},`, i)
		}
		io.WriteString(w, `"2.0.0":{}}}`)
		return true
	})
	_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
	if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), "versions") {
		t.Errorf("got %v, want code %s that says what is wrong", err, core.CodeUnavailable)
	}
}

func TestACircleOfDependenciesAndPeersEnds(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "a", "1.0.0", map[string]any{"dependencies": map[string]string{"b": "*", "a": "*"}}, nil)
	registry.publish(t, "b", "1.0.0", map[string]any{"dependencies": map[string]string{"c": "*"}, "peerDependencies": map[string]string{"a": "*", "b": "*"}}, nil)
	registry.publish(t, "c", "1.0.0", map[string]any{"peerDependencies": map[string]string{"a": "^2.0.0", "b": "*"}}, nil)
	set := install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"a": "*"})
	wantVersion(t, around(t, set.Dir, "a"), "b", "b@1.0.0")
}

func TestPeersThatContradictEachOtherStillInstall(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "view", "1.0.0", nil, nil)
	registry.publish(t, "view", "2.0.0", nil, nil)
	registry.publish(t, "left", "1.0.0", map[string]any{"peerDependencies": map[string]string{"view": "^1.0.0"}}, nil)
	registry.publish(t, "right", "1.0.0", map[string]any{"peerDependencies": map[string]string{"view": "^2.0.0"}}, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)
	own := install(t, resolver, map[string]string{"left": "*", "right": "*", "view": "^2.0.0"})
	for _, name := range []string{"left", "right"} {
		wantVersion(t, around(t, own.Dir, name), "view", "view@2.0.0")
	}
	none := install(t, resolver, map[string]string{"left": "*", "right": "*"})
	wantVersion(t, around(t, none.Dir, "left"), "view", "view@1.0.0")
	wantVersion(t, around(t, none.Dir, "right"), "view", "view@2.0.0")
}

// Programs that share a store install the same packages at the same moment.
func TestTwoProcessesInstallTheSameSetAtOnce(t *testing.T) {
	registry, dir := newFakeRegistry(t), t.TempDir()
	for _, name := range []string{"engine", "fuel", "view"} {
		registry.publish(t, name, "1.0.0", nil, map[string]string{"a.js": strings.Repeat(name, 10_000)})
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			child := installer(dir, registry.URL)
			if output, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, output)
			}
		})
	}
	group.Wait()
	set := install(t, openResolver(t, dir, registry.URL), crashRanges)
	for _, name := range []string{"engine", "fuel", "view"} {
		wantVersion(t, versionsIn(t, set.Dir), name, name+"@1.0.0")
	}
	if left := countIn(t, dir, "tmp"); left != 0 {
		t.Errorf("got %d things in tmp, want none", left)
	}
}
