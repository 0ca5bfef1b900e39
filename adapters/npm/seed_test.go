package npm_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
)

// seedOf makes a seed of the registry's present content.
func seedOf(t *testing.T, registry *fakeRegistry, lists ...map[string]string) fs.FS {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "seed")
	if err := openResolver(t, t.TempDir(), registry.URL).WriteSeed(t.Context(), dir, lists); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

func openSeeded(t *testing.T, dir, registry string, seed fs.FS) *npm.Resolver {
	t.Helper()
	resolver, err := npm.New(npm.Config{Dir: dir, Registry: npm.Source{URL: registry}, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	npm.RetryQuickly(resolver)
	return resolver
}

// publishView publishes two packages that belong together, as react and react-dom
// do, and one below.
func publishView(t *testing.T, registry *fakeRegistry, version string) {
	t.Helper()
	registry.publish(t, "@scope/timer", version, nil, nil)
	registry.publish(t, "view", version, nil, nil)
	registry.publish(t, "view-dom", version, map[string]any{
		"dependencies": map[string]string{"@scope/timer": "^" + version}, "peerDependencies": map[string]string{"view": "^" + version},
	}, nil)
	for _, name := range []string{"@scope/timer", "view", "view-dom"} {
		registry.tagNewest(t, name)
	}
}

var viewRanges = map[string]string{"view": "^1.0.0", "view-dom": "^1.0.0"}

// seededView is a registry that is newer than the seed.
func seededView(t *testing.T) (*fakeRegistry, fs.FS) {
	t.Helper()
	registry := newFakeRegistry(t)
	publishView(t, registry, "1.0.0")
	seed := seedOf(t, registry, viewRanges)
	publishView(t, registry, "1.5.0")
	registry.publish(t, "extra", "1.0.0", map[string]any{"peerDependencies": map[string]string{"view": ">=1"}}, nil)
	registry.mu.Lock()
	registry.requests = nil
	registry.mu.Unlock()
	return registry, seed
}

func TestTheSeedNeedsNoNetwork(t *testing.T) {
	registry, seed := seededView(t)
	resolver := openSeeded(t, t.TempDir(), registry.URL, seed)
	set := install(t, resolver, viewRanges)
	wantVersion(t, versionsIn(t, set.Dir), "view", "view@1.0.0")
	wantVersion(t, around(t, set.Dir, "view-dom"), "view", "view@1.0.0")
	wantVersion(t, around(t, set.Dir, "view-dom"), "@scope/timer", "@scope/timer@1.0.0")
	if asked := registry.asked(); len(asked) != 0 {
		t.Errorf("got the registry asked for %q, want nothing", asked)
	}
}

func TestOnlyWhatTheSeedLacksIsFetched(t *testing.T) {
	registry, seed := seededView(t)
	ranges := map[string]string{"extra": "*"}
	maps.Copy(ranges, viewRanges)
	set := install(t, openSeeded(t, t.TempDir(), registry.URL, seed), ranges)
	wantVersion(t, versionsIn(t, set.Dir), "view", "view@1.0.0")
	wantVersion(t, around(t, set.Dir, "extra"), "view", "view@1.0.0")
	if asked := registry.asked(); len(asked) != 2 || asked[0] != "/extra" {
		t.Errorf("got the registry asked for %q, want extra and its archive", asked)
	}
}

func TestOfflineTheMissingPackageIsNamed(t *testing.T) {
	registry, seed := seededView(t)
	registry.Close()
	ranges := map[string]string{"extra": "*"}
	maps.Copy(ranges, viewRanges)
	_, err := openSeeded(t, t.TempDir(), registry.URL, seed).Install(t.Context(), ranges)
	if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), "the package registry cannot be reached for extra") {
		t.Errorf("got %v, want code %s and the registry that cannot be reached for extra", err, core.CodeUnavailable)
	}
}

func TestPackagesThatBelongTogetherComeFromTheSeedTogether(t *testing.T) {
	registry, seed := seededView(t)
	cases := []struct{ view, dom, want string }{
		{"^1.0.0", "^1.5.0", "1.5.0"},
		{"^1.5.0", "^1.0.0", "1.5.0"},
		{"^1.5.0", "^1.5.0", "1.5.0"},
		{"1.5.0", "*", "1.5.0"},
		{"*", ">=1", "1.0.0"},
		{"latest", "^1.0.0", "1.5.0"},
	}
	for _, c := range cases {
		set := install(t, openSeeded(t, t.TempDir(), registry.URL, seed), map[string]string{"view": c.view, "view-dom": c.dom})
		got := versionsIn(t, set.Dir)
		if got["view"] != "view@"+c.want || got["view-dom"] != "view-dom@"+c.want {
			t.Errorf("view %s, view-dom %s: got %v, want both in %s", c.view, c.dom, got, c.want)
		}
	}
}

func TestALockOutlivesANewerSeed(t *testing.T) {
	registry, seed := seededView(t)
	dir := t.TempDir()
	want := install(t, openSeeded(t, dir, registry.URL, seed), viewRanges)
	newer := seedOf(t, registry, viewRanges)
	registry.Close()
	if got := install(t, openSeeded(t, dir, registry.URL, newer), viewRanges); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestASeedIsBroughtBackAfterASweepWithoutANetwork(t *testing.T) {
	registry, seed := seededView(t)
	registry.Close()
	dir := t.TempDir()
	resolver := openSeeded(t, dir, registry.URL, seed)
	want := install(t, resolver, viewRanges)
	ageAll(t, dir, month)
	sweep(t, resolver)
	if got := install(t, resolver, viewRanges); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// copyOf makes a seed that a test may change.
func copyOf(t *testing.T, seed fs.FS) fstest.MapFS {
	t.Helper()
	copied := make(fstest.MapFS)
	err := fs.WalkDir(seed, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(seed, path)
		copied[path] = &fstest.MapFile{Data: content}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

func TestADamagedSeedIsNotExtracted(t *testing.T) {
	registry, seed := seededView(t)
	damaged := copyOf(t, seed)
	damaged["view@1.0.0.tgz"].Data[30] ^= 1
	_, err := openSeeded(t, t.TempDir(), registry.URL, damaged).Install(t.Context(), viewRanges)
	if !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(err.Error(), "view@1.0.0") {
		t.Errorf("got %v, want code %s that names view@1.0.0", err, core.CodeUnavailable)
	}
	damaged["packages.json"].Data = []byte("{")
	if _, err := npm.New(npm.Config{Dir: t.TempDir(), Seed: damaged}); err == nil {
		t.Error("got a resolver with a seed that cannot be read, want an error")
	}
}

func TestASeedIsCheckedAgainstWhatNeedsIt(t *testing.T) {
	_, seed := seededView(t)
	more := map[string]string{"view": "^1.0.0", "extra": "^1.0.0"}
	cases := map[string]struct {
		change func(fstest.MapFS)
		lists  []map[string]string
		want   string
	}{
		"as it was written":        {nil, []map[string]string{viewRanges}, ""},
		"a package is missing":     {nil, []map[string]string{viewRanges, more}, "extra"},
		"a version is too old":     {nil, []map[string]string{{"view": "^1.5.0"}}, "view"},
		"a package is left over":   {nil, []map[string]string{{"view": "^1.0.0"}}, "nothing needs view-dom@1.0.0"},
		"a file is left over":      {func(seed fstest.MapFS) { seed["stray.tgz"] = &fstest.MapFile{} }, []map[string]string{viewRanges}, "nothing needs stray.tgz"},
		"an archive is missing":    {func(seed fstest.MapFS) { delete(seed, "view@1.0.0.tgz") }, []map[string]string{viewRanges}, "the archive of view@1.0.0 is missing"},
		"an archive is damaged":    {func(seed fstest.MapFS) { seed["view@1.0.0.tgz"].Data[30] ^= 1 }, []map[string]string{viewRanges}, "view@1.0.0 does not match"},
		"the index cannot be read": {func(seed fstest.MapFS) { delete(seed, "packages.json") }, []map[string]string{viewRanges}, "cannot be read"},
	}
	for name, c := range cases {
		changed := copyOf(t, seed)
		if c.change != nil {
			c.change(changed)
		}
		err := npm.CheckSeed(t.Context(), changed, c.lists)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
