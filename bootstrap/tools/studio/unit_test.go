package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/core/builds"
)

// unitSuffix is how the names of the studio's unit tests end. Each is beside the module
// that it tests.
const unitSuffix = ".test.ts"

// TestUnits runs the studio's unit tests. The builder bundles each into one script,
// which Node.js runs (testenv brings it where it is missing). Tests of modules that
// import no package need nothing else; for the others the packages come from the store
// of `make studio`, which fetches them once.
func TestUnits(t *testing.T) {
	web, err := filepath.Abs(filepath.Join(sources, "web"))
	if err != nil {
		t.Fatal(err)
	}
	found := unitTests(t, web)
	if len(found) == 0 {
		t.Fatal("found no unit tests")
	}
	packages := sync.OnceValues(storedPackages)
	scripts := t.TempDir()
	for _, name := range found {
		t.Run(name, func(t *testing.T) {
			script := filepath.Join(scripts, strings.ReplaceAll(name, "/", "-")+".mjs")
			bundle(t, filepath.Join(web, filepath.FromSlash(name)), script, packages)
			if said, err := exec.CommandContext(t.Context(), "node", "--test-reporter=spec", script).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// unitTests lists the unit tests below a directory.
func unitTests(t *testing.T, web string) (found []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(web), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, unitSuffix) {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// storedPackages returns a directory with the studio's packages.
func storedPackages() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	shop, err := newWorkshop(sources, filepath.Join(cache, "atelier-studio"))
	if err != nil {
		return "", err
	}
	dependencies, err := builds.Dependencies(os.DirFS(shop.web))
	if err != nil {
		return "", err
	}
	set, err := shop.packages.Install(context.Background(), dependencies)
	return set.Dir, err
}

// bundle makes one script of a test and all that it imports.
func bundle(t *testing.T, test, script string, packages func() (string, error)) {
	t.Helper()
	made := api.Build(api.BuildOptions{
		EntryPoints: []string{test}, Outfile: script, Write: true, Bundle: true, LogLevel: api.LogLevelSilent,
		Platform: api.PlatformNode, Format: api.FormatESModule, Target: api.ES2023, Sourcemap: api.SourceMapInline,
		JSX: api.JSXAutomatic, JSXImportSource: "preact",
		Plugins: []api.Plugin{{Name: "packages", Setup: func(build api.PluginBuild) {
			findPackages(build, packages)
			build.OnLoad(api.OnLoadOptions{Filter: `/text/languages\.ts$`}, expandGlobs)
		}}},
	})
	for _, message := range made.Errors {
		t.Errorf("%s: %s", test, message.Text)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// findPackages resolves what sources import from packages as if these were installed
// beside them.
func findPackages(build api.PluginBuild, packages func() (string, error)) {
	const resolved = "resolved"
	build.OnResolve(api.OnResolveOptions{Filter: `^[^./~]`}, func(asked api.OnResolveArgs) (api.OnResolveResult, error) {
		if asked.PluginData == resolved || asked.Kind == api.ResolveEntryPoint || strings.HasPrefix(asked.Path, "node:") || strings.Contains(asked.ResolveDir, "node_modules") {
			return api.OnResolveResult{}, nil
		}
		dir, err := packages()
		if err != nil {
			return api.OnResolveResult{}, err
		}
		found := build.Resolve(asked.Path, api.ResolveOptions{ResolveDir: dir, Kind: asked.Kind, PluginData: resolved})
		if len(found.Errors) > 0 {
			return api.OnResolveResult{}, errors.New(found.Errors[0].Text)
		}
		return api.OnResolveResult{Path: found.Path}, nil
	})
}

// globbed matches an import.meta.glob of the modules of a name in all folders but one.
var globbed = regexp.MustCompile(`import\.meta\.glob<.*>\(\['\./\*/(\w+\.ts)', '!\./(\w+)/\w+\.ts'\]\)`)

// expandGlobs does for unit tests what Atelier's builder does for pages, which esbuild
// alone cannot.
func expandGlobs(loaded api.OnLoadArgs) (api.OnLoadResult, error) {
	source, err := os.ReadFile(loaded.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	expanded := globbed.ReplaceAllStringFunc(string(source), func(call string) string {
		name, except := globbed.FindStringSubmatch(call)[1], globbed.FindStringSubmatch(call)[2]
		folders, _ := filepath.Glob(filepath.Join(filepath.Dir(loaded.Path), "*", name))
		var modules strings.Builder
		for _, module := range folders {
			if folder := filepath.Base(filepath.Dir(module)); folder != except {
				fmt.Fprintf(&modules, "'./%[1]s/%[2]s': () => import('./%[1]s/%[2]s'),", folder, name)
			}
		}
		return "{" + modules.String() + "}"
	})
	return api.OnLoadResult{Contents: &expanded, Loader: api.LoaderTS}, nil
}

// TestAUnitTestThatFailsIsSeen runs one.
func TestAUnitTestThatFailsIsSeen(t *testing.T) {
	dir := t.TempDir()
	test, script := filepath.Join(dir, "a"+unitSuffix), filepath.Join(dir, "a.mjs")
	source := "import { test } from 'node:test'; import assert from 'node:assert/strict'; test('one', () => assert.equal(1, 2));"
	if err := os.WriteFile(test, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle(t, test, script, func() (string, error) { return "", errors.New("no packages are needed") })
	if said, err := exec.CommandContext(t.Context(), "node", script).CombinedOutput(); err == nil {
		t.Errorf("got success and %s, want a failure", said)
	}
}
