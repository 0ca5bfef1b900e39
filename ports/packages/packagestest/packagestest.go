// Package packagestest tests a packages.Resolver against its port.
package packagestest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

// Harness is a resolver over an empty registry that a test fills.
type Harness struct {
	Resolver packages.Resolver
	// Publish adds a version of a package; a package.json among the files adds
	// to the one that is made.
	Publish func(t *testing.T, pkg Entry)
	// Corrupt makes the content of a version differ from its integrity.
	Corrupt func(t *testing.T, name, version string)
	// Offline makes the registry unreachable.
	Offline func()
}

// Entry is one version of a package. Scripts are its lifecycle scripts.
type Entry struct {
	Name, Version string
	Dependencies  map[string]string
	Scripts       map[string]string
	Files         map[string]string
}

// Run tests a resolver of packages against the port. open returns a new one
// over a registry of its own.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := []struct {
		name string
		test func(t *testing.T, h Harness)
	}{
		{"no dependencies are an empty set", none},
		{"every package finds what it needs", areLinked},
		{"two versions of a package live side by side", ofTwoVersions},
		{"the newest version in the range is taken", newest},
		{"the same ranges give the same versions ever after", areLocked},
		{"the second time needs no network", offline},
		{"equal keys mean equal packages", keys},
		{"what the person wrote wrongly is said by name", mistakes},
		{"too many dependencies are refused", tooMany},
		{"a registry that cannot be reached is unavailable", unreachable},
		{"content that does not match its integrity is refused", corrupt},
		{"lifecycle scripts never run", runNothing},
		{"nobody may change a package", areReadOnly},
		{"installs at the same time give one set", inParallel},
		{"a cancelled context ends the install", honourCancel},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

func mustInstall(t *testing.T, h Harness, dependencies map[string]string) packages.Set {
	t.Helper()
	set, err := h.Resolver.Install(t.Context(), dependencies)
	if err != nil {
		t.Fatalf("Install(%v): %v", dependencies, err)
	}
	return set
}

// findPackage looks a package up as Node does, from a directory upwards, and
// returns its real directory and its version.
func findPackage(t *testing.T, from, name string) (dir, version string) {
	t.Helper()
	for at := from; ; at = filepath.Dir(at) {
		dir := filepath.Join(at, "node_modules", filepath.FromSlash(name))
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil {
			var manifest struct{ Version string }
			if err := json.Unmarshal(text, &manifest); err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
			real, err := filepath.EvalSymlinks(dir)
			if err != nil {
				t.Fatal(err)
			}
			return real, manifest.Version
		}
		if at == filepath.Dir(at) {
			t.Fatalf("from %s: got no package %q, want one", from, name)
		}
	}
}

func none(t *testing.T, h Harness) {
	for _, none := range []map[string]string{nil, {}} {
		if got := mustInstall(t, h, none); got != (packages.Set{}) {
			t.Errorf("got %+v, want an empty set", got)
		}
	}
}

func areLinked(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "@scope/view", Version: "1.2.0", Dependencies: map[string]string{"engine": "^2.0.0"}})
	h.Publish(t, Entry{Name: "engine", Version: "2.1.0", Dependencies: map[string]string{"fuel": "~1.0.0"}, Files: map[string]string{"lib/index.js": "export default 1"}})
	h.Publish(t, Entry{Name: "fuel", Version: "1.0.5", Dependencies: map[string]string{"engine": "^2.0.0"}})
	set := mustInstall(t, h, map[string]string{"@scope/view": "^1.0.0"})
	if !filepath.IsAbs(set.Dir) || set.Key == "" {
		t.Errorf("got %+v, want an absolute directory and a key", set)
	}
	view, _ := findPackage(t, set.Dir, "@scope/view")
	engine, version := findPackage(t, view, "engine")
	if version != "2.1.0" {
		t.Errorf("got engine %s, want 2.1.0", version)
	}
	if got, err := os.ReadFile(filepath.Join(engine, "lib", "index.js")); string(got) != "export default 1" {
		t.Errorf("got %q, %v, want the file of the package", got, err)
	}
	fuel, _ := findPackage(t, engine, "fuel")
	if _, version := findPackage(t, fuel, "engine"); version != "2.1.0" {
		t.Errorf("round the circle: got engine %s, want 2.1.0", version)
	}
}

func ofTwoVersions(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	h.Publish(t, Entry{Name: "engine", Version: "2.0.0"})
	h.Publish(t, Entry{Name: "old", Version: "1.0.0", Dependencies: map[string]string{"engine": "^1.0.0"}})
	set := mustInstall(t, h, map[string]string{"engine": "^2.0.0", "old": "^1.0.0"})
	if _, version := findPackage(t, set.Dir, "engine"); version != "2.0.0" {
		t.Errorf("got engine %s, want 2.0.0", version)
	}
	old, _ := findPackage(t, set.Dir, "old")
	if _, version := findPackage(t, old, "engine"); version != "1.0.0" {
		t.Errorf("below old: got engine %s, want 1.0.0", version)
	}
}

func newest(t *testing.T, h Harness) {
	for _, version := range []string{"1.2.0", "1.10.0", "1.9.9", "2.0.0", "0.3.1", "0.3.4", "0.4.0"} {
		h.Publish(t, Entry{Name: "engine", Version: version})
	}
	cases := map[string]string{
		"^1.2.0": "1.10.0", "~1.9.0": "1.9.9", "1.2.0": "1.2.0", "=1.2.0": "1.2.0", "1.x": "1.10.0", "*": "2.0.0", "^0.3.1": "0.3.4",
		"<2.0.0": "1.10.0", ">=1.2.0 <1.10.0": "1.9.9", "^0.3.0 || ^1.0.0": "1.10.0", "latest": "2.0.0", "": "2.0.0",
	}
	for text, want := range cases {
		set := mustInstall(t, h, map[string]string{"engine": text})
		if _, got := findPackage(t, set.Dir, "engine"); got != want {
			t.Errorf("engine@%s: got %s, want %s", text, got, want)
		}
	}
}

func areLocked(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0", Dependencies: map[string]string{"fuel": "^1.0.0"}})
	h.Publish(t, Entry{Name: "fuel", Version: "1.0.0"})
	ranges := map[string]string{"engine": "^1.0.0"}
	want := mustInstall(t, h, ranges)
	h.Publish(t, Entry{Name: "engine", Version: "1.1.0"})
	h.Publish(t, Entry{Name: "fuel", Version: "1.0.1"})
	if got := mustInstall(t, h, ranges); got != want {
		t.Errorf("after newer versions: got %+v, want %+v", got, want)
	}
}

func offline(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	ranges := map[string]string{"engine": "^1.0.0"}
	want := mustInstall(t, h, ranges)
	h.Offline()
	if got := mustInstall(t, h, ranges); got != want {
		t.Errorf("offline: got %+v, want %+v", got, want)
	}
	findPackage(t, want.Dir, "engine")
}

func keys(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	first := mustInstall(t, h, map[string]string{"engine": "^1.0.0"})
	same := mustInstall(t, h, map[string]string{"engine": "1.0.0"})
	if first.Key != same.Key {
		t.Errorf("one version by two ranges: got keys %s and %s, want one", first.Key, same.Key)
	}
	h.Publish(t, Entry{Name: "engine", Version: "1.1.0"})
	if other := mustInstall(t, h, map[string]string{"engine": "^1.1.0"}); other.Key == first.Key {
		t.Errorf("another version: got key %s again, want another", other.Key)
	}
}

func mistakes(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	cases := []struct{ name, text string }{
		{"engine", "^2.0.0"},
		{"engine", "one.two"},
		{"engine", ">=1 <<2"},
		{"engine", "git+https://example.com/engine.git"},
		{"engine", "file:../engine"},
		{"engine", "https://example.com/engine.tgz"},
		{"engine", "workspace:*"},
		{"no-such-package", "^1.0.0"},
		{"../engine", "^1.0.0"},
		{"engine/lib", "^1.0.0"},
		{"Bad Name", "^1.0.0"},
		{"", "^1.0.0"},
	}
	for _, c := range cases {
		_, err := h.Resolver.Install(t.Context(), map[string]string{c.name: c.text})
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s@%s: got %v, want code %s", c.name, c.text, err, core.CodeValidationFailed)
			continue
		}
		if !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s@%s: got %q, want the name in it", c.name, c.text, err)
		}
	}
}

func tooMany(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	many := make(map[string]string)
	for i := range packages.MaxDependencies {
		many[fmt.Sprintf("package-%d", i)] = "*"
	}
	if _, err := h.Resolver.Install(t.Context(), many); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "package-") {
		t.Errorf("as many as are allowed: got %v, want code %s for one that does not exist", err, core.CodeValidationFailed)
	}
	many["one-too-many"] = "*"
	_, err := h.Resolver.Install(t.Context(), many)
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), strconv.Itoa(len(many))) {
		t.Errorf("one too many: got %v, want code %s and their number", err, core.CodeValidationFailed)
	}
}

func unreachable(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	h.Offline()
	if _, err := h.Resolver.Install(t.Context(), map[string]string{"engine": "^1.0.0"}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}

func corrupt(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0", Files: map[string]string{"index.js": "module.exports = 1"}})
	h.Corrupt(t, "engine", "1.0.0")
	for range 2 {
		if _, err := h.Resolver.Install(t.Context(), map[string]string{"engine": "^1.0.0"}); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
		}
	}
}

func runNothing(t *testing.T, h Harness) {
	marker := filepath.Join(t.TempDir(), "ran")
	scripts := make(map[string]string)
	for _, name := range []string{"preinstall", "install", "postinstall", "prepare"} {
		scripts[name] = "touch " + marker
	}
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0", Scripts: scripts})
	mustInstall(t, h, map[string]string{"engine": "^1.0.0"})
	if _, err := os.Stat(marker); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no script to have run", err)
	}
}

func areReadOnly(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0", Files: map[string]string{"index.js": "module.exports = 1"}})
	set := mustInstall(t, h, map[string]string{"engine": "^1.0.0"})
	dir, _ := findPackage(t, set.Dir, "engine")
	for _, name := range []string{"package.json", "index.js"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s: got mode %v, want none to write", name, info.Mode())
		}
	}
}

func inParallel(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0", Dependencies: map[string]string{"fuel": "^1.0.0"}})
	h.Publish(t, Entry{Name: "fuel", Version: "1.0.0"})
	sets := make([]packages.Set, 16)
	var group sync.WaitGroup
	for i := range sets {
		group.Go(func() {
			set, err := h.Resolver.Install(t.Context(), map[string]string{"engine": "^1.0.0"})
			if err != nil {
				t.Errorf("got %v, want no error", err)
			}
			sets[i] = set
		})
	}
	group.Wait()
	for _, set := range sets {
		if set != sets[0] {
			t.Errorf("got %+v, want %+v", set, sets[0])
		}
	}
	engine, _ := findPackage(t, sets[0].Dir, "engine")
	findPackage(t, engine, "fuel")
}

func honourCancel(t *testing.T, h Harness) {
	h.Publish(t, Entry{Name: "engine", Version: "1.0.0"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Resolver.Install(ctx, map[string]string{"engine": "^1.0.0"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
