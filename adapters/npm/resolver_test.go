package npm_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages/packagestest"
)

func TestResolver(t *testing.T) { packagestest.Run(t, openHarness) }

func openHarness(t *testing.T) packagestest.Harness {
	registry := newFakeRegistry(t)
	return packagestest.Harness{
		Resolver: openResolver(t, t.TempDir(), registry.URL),
		Publish: func(t *testing.T, pkg packagestest.Entry) {
			extra := map[string]any{"dependencies": pkg.Dependencies, "scripts": pkg.Scripts}
			registry.publish(t, pkg.Name, pkg.Version, extra, pkg.Files)
			registry.tagNewest(t, pkg.Name)
		},
		Corrupt: func(t *testing.T, name, version string) {
			registry.mu.Lock()
			defer registry.mu.Unlock()
			registry.tarballs[registry.tarballPath(name, version)][30] ^= 1
		},
		Offline: registry.Close,
	}
}

func TestNewRefusesARegistryThatIsNone(t *testing.T) {
	for _, address := range []string{"registry", "ftp://registry", "http://", "file:///etc", "://"} {
		if _, err := npm.New(npm.Config{Dir: t.TempDir(), Registry: npm.Source{URL: address}}); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("registry %q: got %v, want code %s", address, err, core.CodeValidationFailed)
		}
	}
}

func TestNewRefusesADirectoryThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := npm.New(npm.Config{Dir: file}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}

// versionsIn returns the version of every package that a directory can import.
func versionsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(dir, "node_modules", "*", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	scoped, err := filepath.Glob(filepath.Join(dir, "node_modules", "@*", "*", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	versions := make(map[string]string)
	for _, path := range append(manifests, scoped...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct{ Name, Version string }
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(filepath.Join(dir, "node_modules"), filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		versions[relative] = manifest.Name + "@" + manifest.Version
	}
	return versions
}

// around returns what a package of a set can import.
func around(t *testing.T, setDir, name string) map[string]string {
	t.Helper()
	real, err := filepath.EvalSymlinks(filepath.Join(setDir, "node_modules", name))
	if err != nil {
		t.Fatal(err)
	}
	return versionsIn(t, real[:strings.LastIndex(real, "/node_modules/")])
}

func wantVersion(t *testing.T, versions map[string]string, name, want string) {
	t.Helper()
	if got := versions[name]; got != want {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

func TestAnAliasInstallsAnotherPackageUnderTheName(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "@scope/engine", "1.4.0", nil, nil)
	registry.publish(t, "@scope/engine", "2.0.0", nil, nil)
	set := install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"old-engine": "npm:@scope/engine@^1.0.0", "engine": "npm:@scope/engine"})
	versions := versionsIn(t, set.Dir)
	wantVersion(t, versions, "old-engine", "@scope/engine@1.4.0")
	wantVersion(t, versions, "engine", "@scope/engine@2.0.0")
}

func TestADistTagNamesAVersion(t *testing.T) {
	registry := newFakeRegistry(t)
	for _, version := range []string{"1.0.0", "2.0.0-beta.3", "1.5.0"} {
		registry.publish(t, "engine", version, nil, nil)
	}
	registry.tag("engine", "latest", "1.0.0")
	registry.tag("engine", "next", "2.0.0-beta.3")
	resolver := openResolver(t, t.TempDir(), registry.URL)
	for text, want := range map[string]string{"next": "2.0.0-beta.3", "latest": "1.0.0", "^1.0.0": "1.0.0", "^1.2.0": "1.5.0", ">=2.0.0-beta.1": "2.0.0-beta.3"} {
		set := install(t, resolver, map[string]string{"engine": text})
		wantVersion(t, versionsIn(t, set.Dir), "engine", "engine@"+want)
	}
	if _, err := resolver.Install(t.Context(), map[string]string{"engine": "insiders"}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("an unknown tag: got %v, want code %s", err, core.CodeValidationFailed)
	}
}

func TestADeprecatedVersionIsTheLastChoice(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	registry.publish(t, "engine", "1.1.0", map[string]any{"deprecated": "broken"}, nil)
	registry.publish(t, "engine", "2.0.0", map[string]any{"deprecated": "broken"}, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)
	for text, want := range map[string]string{"^1.0.0": "1.0.0", "^2.0.0": "2.0.0"} {
		wantVersion(t, versionsIn(t, install(t, resolver, map[string]string{"engine": text}).Dir), "engine", "engine@"+want)
	}
}

func TestAChosenVersionIsTakenAgain(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.2.0", nil, nil)
	registry.publish(t, "engine", "1.9.0", nil, nil)
	registry.publish(t, "view", "1.0.0", map[string]any{"dependencies": map[string]string{"engine": "^1.0.0"}}, nil)
	set := install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"engine": "1.2.0", "view": "^1.0.0"})
	wantVersion(t, around(t, set.Dir, "view"), "engine", "engine@1.2.0")
}

func TestPeersAreLinked(t *testing.T) {
	registry := newFakeRegistry(t)
	peers := map[string]any{
		"peerDependencies":     map[string]string{"react": "^18.0.0", "core-js": "^3.0.0", "extra": "*", "absent": "*"},
		"peerDependenciesMeta": map[string]any{"extra": map[string]bool{"optional": true}, "absent": map[string]bool{"optional": true}},
	}
	registry.publish(t, "react", "19.0.0", nil, nil)
	registry.publish(t, "react", "18.3.0", nil, nil)
	registry.publish(t, "core-js", "3.5.0", nil, nil)
	registry.publish(t, "extra", "1.0.0", nil, nil)
	registry.publish(t, "absent", "1.0.0", nil, nil)
	registry.publish(t, "hooks", "1.0.0", peers, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)

	with := around(t, install(t, resolver, map[string]string{"hooks": "*", "react": "^19.0.0", "extra": "*"}).Dir, "hooks")
	wantVersion(t, with, "react", "react@19.0.0") // the project's own, though out of range
	wantVersion(t, with, "core-js", "core-js@3.5.0")
	wantVersion(t, with, "extra", "extra@1.0.0")
	wantVersion(t, with, "absent", "")

	without := around(t, install(t, resolver, map[string]string{"hooks": "*"}).Dir, "hooks")
	wantVersion(t, without, "react", "react@18.3.0")
	wantVersion(t, without, "extra", "")
}

func TestOptionalAndBundledDependenciesAreNotFetched(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "fuel", "1.0.0", nil, nil)
	registry.publish(t, "engine", "1.0.0", map[string]any{
		"dependencies":         map[string]string{"fuel": "*", "native": "*", "inside": "*"},
		"optionalDependencies": map[string]string{"native": "*"},
		"bundleDependencies":   []string{"inside"},
	}, map[string]string{"node_modules/inside/package.json": `{"name":"inside","version":"9.0.0"}`})
	set := install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"engine": "*"})
	versions := around(t, set.Dir, "engine")
	wantVersion(t, versions, "fuel", "fuel@1.0.0")
	wantVersion(t, versions, "native", "")
	wantVersion(t, versionsIn(t, filepath.Join(set.Dir, "node_modules", "engine")), "inside", "inside@9.0.0")
}

func TestTheSamePackagesWiredInAnotherWayAreAnotherInstance(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "fuel", "1.0.0", nil, nil)
	registry.publish(t, "fuel", "2.0.0", nil, nil)
	registry.publish(t, "engine", "1.0.0", map[string]any{"peerDependencies": map[string]string{"fuel": "*"}}, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)
	first := install(t, resolver, map[string]string{"engine": "*", "fuel": "^1.0.0", "other": "npm:fuel@^2.0.0"})
	second := install(t, resolver, map[string]string{"engine": "*", "fuel": "^2.0.0", "other": "npm:fuel@^1.0.0"})
	if first.Key == second.Key {
		t.Errorf("got key %s twice, want two", first.Key)
	}
	wantVersion(t, around(t, first.Dir, "engine"), "fuel", "fuel@1.0.0")
	wantVersion(t, around(t, second.Dir, "engine"), "fuel", "fuel@2.0.0")
}

func TestSwappedWiringsBelowAreOtherInstances(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "fuel", "1.0.0", nil, nil)
	registry.publish(t, "fuel", "2.0.0", nil, nil)
	registry.publish(t, "left", "1.0.0", map[string]any{"peerDependencies": map[string]string{"for-left": "*"}}, nil)
	registry.publish(t, "right", "1.0.0", map[string]any{"peerDependencies": map[string]string{"for-right": "*"}}, nil)
	registry.publish(t, "engine", "1.0.0", map[string]any{"dependencies": map[string]string{"left": "*", "right": "*"}}, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)
	for left, right := range map[string]string{"1.0.0": "2.0.0", "2.0.0": "1.0.0"} {
		set := install(t, resolver, map[string]string{"engine": "*", "for-left": "npm:fuel@" + left, "for-right": "npm:fuel@" + right})
		engine, err := filepath.EvalSymlinks(filepath.Join(set.Dir, "node_modules", "engine"))
		if err != nil {
			t.Fatal(err)
		}
		wantVersion(t, around(t, filepath.Dir(filepath.Dir(engine)), "left"), "for-left", "fuel@"+left)
		wantVersion(t, around(t, filepath.Dir(filepath.Dir(engine)), "right"), "for-right", "fuel@"+right)
	}
}

func TestAMistakeBelowNamesWhoMadeIt(t *testing.T) {
	registry := newFakeRegistry(t)
	cases := map[string]map[string]string{
		"lost":   {"no-such-package": "^1.0.0"},
		"future": {"engine": "^9.0.0"},
		"forked": {"engine": "github:somebody/engine"},
		"escape": {"../../outside": "^1.0.0"},
	}
	registry.publish(t, "engine", "1.0.0", nil, nil)
	for name, dependencies := range cases {
		registry.publish(t, name, "1.2.3", map[string]any{"dependencies": dependencies}, nil)
	}
	resolver := openResolver(t, t.TempDir(), registry.URL)
	for name := range cases {
		_, err := resolver.Install(t.Context(), map[string]string{name: "*"})
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), name+"@1.2.3") {
			t.Errorf("%s: got %v, want code %s that names %s@1.2.3", name, err, core.CodeValidationFailed, name)
		}
	}
}

func TestABrokenVersionSpoilsNoOther(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	for version, extra := range map[string]map[string]any{
		"1.1.0":    {"dependencies": []string{"a", "list"}},
		"1.2.0":    {"version": "9.9.9"},
		"1.3.0":    {"name": "another"},
		"v1.4.0":   nil,
		"nonsense": nil,
	} {
		registry.publish(t, "engine", version, extra, nil)
	}
	set := install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"engine": "^1.0.0"})
	wantVersion(t, versionsIn(t, set.Dir), "engine", "engine@1.0.0")
}

func TestASetOfTooManyPackagesIsRefused(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "a", "1.0.0", map[string]any{"dependencies": map[string]string{"b": "*"}}, nil)
	registry.publish(t, "b", "1.0.0", map[string]any{"dependencies": map[string]string{"c": "*"}}, nil)
	registry.publish(t, "c", "1.0.0", nil, nil)
	resolver := openResolver(t, t.TempDir(), registry.URL)
	npm.SetPackageLimit(resolver, 2)
	if _, err := resolver.Install(t.Context(), map[string]string{"a": "*"}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, want code %s", err, core.CodeValidationFailed)
	}
}

func TestAPassingFailureIsTriedAgain(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	failures := 0
	registry.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		failures++
		switch failures % 4 {
		case 1:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte("cut"))
		case 3:
			http.Error(w, "slow down", http.StatusTooManyRequests)
		default:
			return false
		}
		return true
	})
	install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"engine": "*"})
}

func TestALastingFailureIsUnavailable(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusUnauthorized, http.StatusForbidden} {
		registry := newFakeRegistry(t)
		registry.intercept(func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(status); return true })
		_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("status %d: got %v, want code %s", status, err, core.CodeUnavailable)
		}
	}
}

func TestAPackumentWithoutEndIsCutOff(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		w.Write([]byte(`{"x":"` + strings.Repeat("a", 1<<16) + `"}`))
		return true
	})
	resolver := openResolver(t, t.TempDir(), registry.URL)
	npm.SetLimits(resolver, npm.Limits{Packument: 1 << 15})
	if _, err := resolver.Install(t.Context(), map[string]string{"engine": "*"}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}

func TestAMirrorServesTheArchivesOfThePublicRegistry(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	dist := registry.packuments["engine"].Versions["1.0.0"]["dist"].(map[string]string)
	registry.setDist("engine", "1.0.0", map[string]string{
		"integrity": dist["integrity"],
		"tarball":   "https://registry.npmjs.org" + registry.tarballPath("engine", "1.0.0"),
	})
	install(t, openResolver(t, t.TempDir(), registry.URL), map[string]string{"engine": "*"})
	if asked := registry.asked(); len(asked) != 2 {
		t.Errorf("got requests %q, want the packument and the archive", asked)
	}
}

func TestRangesReadAsNpmReadsThem(t *testing.T) {
	cases := []struct {
		text, version string
		want          bool
	}{
		{"^1.2.3", "1.9.0", true}, {"^1.2.3", "2.0.0", false}, {"^0.2.3", "0.2.9", true}, {"^0.2.3", "0.3.0", false},
		{"^0.0.3", "0.0.4", false}, {"~1.2.3", "1.2.9", true}, {"~1.2.3", "1.3.0", false}, {"~1", "1.9.0", true},
		{"1.2.3 - 2.3.4", "2.3.4", true}, {"1.2.3 - 2.3.4", "2.3.5", false}, {">=1.2 <2", "1.9.9", true}, {">= 1.2.0", "1.2.0", true},
		{"1.x", "1.4.2", true}, {"1.2.x", "1.3.0", false}, {"*", "3.2.1", true}, {"", "3.2.1", true}, {"x", "0.0.1", true},
		{">=4 || insiders", "4.1.0", true}, {">=3 || >=4.0.0-alpha.20 || >=4.0.0-beta.1 || insiders", "3.4.0", true},
		{"^1.0.0", "1.2.0-beta.1", false}, {"^1.2.0-beta.0", "1.2.0-beta.1", true}, {"^1.2.0-beta.0", "1.3.0-beta.1", false},
		{"*", "1.0.0-rc.1", false}, {"=1.2.3", "1.2.3", true}, {"v1.2.3", "1.2.3", true}, {"1.0.0 || 2.0.0", "2.0.0", true},
	}
	for _, c := range cases {
		got, ok := npm.ParseRange(c.text, c.version)
		if !ok || got != c.want {
			t.Errorf("%q holds %s: got %v (a range: %v), want %v", c.text, c.version, got, ok, c.want)
		}
	}
	for _, text := range []string{"insiders", "||", "1.2.3.4", ">>1", "^", "latest || next", strings.Repeat("1 ", 2000)} {
		if _, ok := npm.ParseRange(text, "1.0.0"); ok {
			t.Errorf("%q: got a range, want none", text)
		}
	}
}

func FuzzParseRangeEnds(f *testing.F) {
	for _, seed := range []string{"^1.2.3", ">=1 <2 || next", "1.2.3-beta.1+build", "~>1", "- - -", "<=>1"} {
		f.Add(seed, "1.2.3")
	}
	f.Fuzz(func(t *testing.T, text, version string) { npm.ParseRange(text, version) })
}
