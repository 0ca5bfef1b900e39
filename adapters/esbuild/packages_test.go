package esbuild_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
)

// allOf joins every script of a result, the dependencies too.
func allOf(files map[string]build.File) string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".js") {
			all.Write(files[name].Content)
		}
	}
	return all.String()
}

// wantComplete checks that every address that a script imports is a file of the
// result, and that nothing is left to require.
func wantComplete(t *testing.T, mode build.Mode, files map[string]build.File) {
	t.Helper()
	imported := regexp.MustCompile(`(?:from|import)\s*\(?\s*"(/[^"]+|\./[^"]+)"`)
	for name, file := range files {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		for _, match := range imported.FindAllStringSubmatch(string(file.Content), -1) {
			target := strings.TrimPrefix(match[1], "/")
			if strings.HasPrefix(target, "./") {
				target = filepath.Join(filepath.Dir(name), target)
			}
			target, _, _ = strings.Cut(target, "?")
			if _, found := files[target]; !found {
				t.Errorf("mode %s: got %s importing %s, which is not in the result", mode, name, match[1])
			}
		}
		if strings.Contains(string(file.Content), "Dynamic require") && strings.Contains(string(file.Content), `__require("`) {
			t.Errorf("mode %s: got a require() left in %s, want none", mode, name)
		}
	}
}

func TestReactIsBundled(t *testing.T) {
	for _, mode := range bothModes {
		files := result(t, reactRequest(t, mode, reactApp))
		wantComplete(t, mode, files)
		all := allOf(files)
		wantIn(t, string(mode), all, "scheduler-now", "hello")
		want, unwanted := "react-production", "react-development"
		if mode == build.ModePreview {
			want, unwanted = unwanted, want
		}
		wantIn(t, string(mode), all, want)
		wantNotIn(t, string(mode), all, unwanted)
		if strings.Count(all, want) != 1 {
			t.Errorf("mode %s: got %d copies of react, want 1", mode, strings.Count(all, want))
		}
	}
}

func TestDependenciesOfAPreviewAreFilesOfTheirOwn(t *testing.T) {
	req := reactRequest(t, build.ModePreview, reactApp)
	builder := openBuilder(t)
	first := resultOf(t, builder, req)
	app := string(first["@app/src/main.tsx.js"].Content)
	wantNotIn(t, "the project's modules", app, "react-development", "scheduler-now")
	deps := 0
	for name, file := range first {
		if strings.HasPrefix(name, "@deps/") {
			deps++
			if !file.Immutable {
				t.Errorf("got %s that may change, want an immutable file", name)
			}
		}
	}
	if deps == 0 {
		t.Error("got no files below @deps/, want some")
	}
	changed := maps.Clone(reactApp)
	changed["src/App.tsx"] = strings.Replace(changed["src/App.tsx"], "hello", "goodbye", 1)
	req.Files = changed.files()
	for name, file := range resultOf(t, builder, req) {
		before, same := first[name]
		if strings.HasPrefix(name, "@deps/") && (!same || &before.Content[0] != &file.Content[0]) {
			t.Errorf("after a save: got another %s, want the same bytes", name)
		}
	}
}

func TestDependenciesOutliveTheProcess(t *testing.T) {
	cache := t.TempDir()
	open := func() build.Builder {
		builder, err := esbuild.New(cache)
		if err != nil {
			t.Fatal(err)
		}
		return builder
	}
	for _, mode := range bothModes {
		req := reactRequest(t, mode, reactApp)
		want := resultOf(t, open(), req)
		// The packages are gone, but their bundles are cached under their key.
		writeModules(t, req.Packages, map[string]string{"react/cjs/prod.js": "broken (", "react/cjs/dev.js": "broken ("})
		got := resultOf(t, open(), req)
		for name, file := range want {
			if string(got[name].Content) != string(file.Content) {
				t.Errorf("mode %s: got another %s, want the kept one", mode, name)
			}
		}
	}
}

func TestADamagedCacheIsMadeAnew(t *testing.T) {
	cache := t.TempDir()
	req := reactRequest(t, build.ModePreview, reactApp)
	build1, err := esbuild.New(cache)
	if err != nil {
		t.Fatal(err)
	}
	want := resultOf(t, build1, req)
	damaged := 0
	err = filepath.WalkDir(cache, func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".js") {
			damaged++
			return os.WriteFile(path, nil, 0o644)
		}
		return err
	})
	if err != nil || damaged == 0 {
		t.Fatalf("got %d damaged files, %v, want some", damaged, err)
	}
	for range 2 {
		again, err := esbuild.New(cache)
		if err != nil {
			t.Fatal(err)
		}
		for name, file := range resultOf(t, again, req) {
			if string(want[name].Content) != string(file.Content) {
				t.Errorf("got another %s, want the same", name)
			}
		}
	}
}

func TestModulesOfEveryFormAreReached(t *testing.T) {
	s := sources{"src/main.tsx": strings.Join([]string{
		"import React, { useState } from 'react'",
		"import def, { useThing } from 'esm-lib'",
		"import * as untyped from 'untyped'",
		"import { dynamic } from 'untyped'",
		"import { which } from 'polyglot'",
		"import { name } from 'node-only'",
		"import { portal } from 'portals'",
		"import manifest from 'untyped/package.json'",
		"import 'react-dom'",
		"import('styled').then((m) => console.log(m.styled))",
		"import type { Missing } from 'types-only'",
		"export type { Missing }",
		"console.log(React, useState, def, useThing, untyped, dynamic, which, name, portal, manifest.version)",
	}, "\n")}
	for _, mode := range bothModes {
		files := result(t, reactRequest(t, mode, s))
		wantComplete(t, mode, files)
		all := allOf(files)
		wantIn(t, string(mode), all, "esm-lib-thing", "esm-lib-default", "untyped-", "polyglot-esm", "node-only-lib", "portals-lib", "portal-of-react-dom", "styled-lib")
		wantNotIn(t, string(mode), all, "polyglot-cjs")
		if n := strings.Count(all, "portal-of-react-dom"); n != 1 {
			t.Errorf("mode %s: got %d copies of react-dom, want 1", mode, n)
		}
		if n := strings.Count(all, "react-production") + strings.Count(all, "react-development"); n != 1 {
			t.Errorf("mode %s: got %d copies of react, want 1", mode, n)
		}
		if mode == build.ModeSite {
			wantNotIn(t, "what nobody uses", all, "esm-lib-unused")
		}
	}
}

func TestAModuleInsideOfWhatIsBundledAheadIsThereOnce(t *testing.T) {
	s := sources{"src/main.tsx": "import { portal } from 'portals'\nimport { createRoot } from 'react-dom/client'\nimport { useThing } from 'esm-lib'\nconsole.log(portal, createRoot, useThing)"}
	for _, mode := range bothModes {
		files := result(t, reactRequest(t, mode, s))
		wantComplete(t, mode, files)
		for _, marker := range []string{"portal-of-react-dom", "scheduler-now", "react-" + map[build.Mode]string{build.ModePreview: "development", build.ModeSite: "production"}[mode]} {
			if n := strings.Count(allOf(files), marker); n != 1 {
				t.Errorf("mode %s: got %q %d times, want once", mode, marker, n)
			}
		}
	}
}

func TestPackagesThatCannotBeBundledAheadAreThereOnce(t *testing.T) {
	packages := fakeReact()
	packages["mixed/package.json"] = manifest("mixed", "1.0.0", map[string]any{"exports": map[string]string{".": "./index.mjs", "./plain": "./plain.cjs"}})
	packages["mixed/index.mjs"] = "import inside from './inside.cjs'\nexport const a = inside.name"
	packages["mixed/plain.cjs"] = "exports.b = require('./inside.cjs').name"
	packages["mixed/inside.cjs"] = "exports.name = 'inside-of-mixed'"
	s := sources{"src/main.tsx": "import { a } from 'mixed'\nimport { b } from 'mixed/plain'\nconsole.log(a, b)"}
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Packages, req.PackagesKey = modules(t, packages), "k"
		files := result(t, req)
		wantComplete(t, mode, files)
		if n := strings.Count(allOf(files), "inside-of-mixed"); n != 1 {
			t.Errorf("mode %s: got the module %d times, want once", mode, n)
		}
	}
}

func TestStylesOfPackagesAreLinked(t *testing.T) {
	s := sources{"src/main.tsx": "import { styled } from 'styled'\nimport 'styled/theme.css'\nconsole.log(styled)\n"}
	for _, mode := range bothModes {
		files := result(t, reactRequest(t, mode, s))
		css := ""
		for _, match := range regexp.MustCompile(`<link rel="stylesheet" href="/([^"]+)"`).FindAllStringSubmatch(string(files["index.html"].Content), -1) {
			file, found := files[match[1]]
			if !found {
				t.Errorf("mode %s: got a link to %s, which is not in the result", mode, match[1])
			}
			css += string(file.Content)
		}
		if mode == build.ModePreview {
			css += styledBy(files)
		}
		wantIn(t, string(mode), css, ".styled-inside", ".styled-theme", "/assets/bg-")
	}
}

func TestASiteDoesNotDependOnWhatWasBuiltBefore(t *testing.T) {
	packages := modules(t, fakeReact())
	request := func(s sources) build.Request {
		return build.Request{Mode: build.ModeSite, Files: s.files(), Packages: packages, PackagesKey: "react"}
	}
	projects := []sources{
		reactApp,
		{"src/main.tsx": "import { portal } from 'portals'\nimport { createRoot } from 'react-dom/client'\nconsole.log(portal, createRoot)"},
		{"src/main.tsx": "import('untyped')\nimport { portal } from 'portals'\nconsole.log(portal)"},
		{"src/main.tsx": "import u from 'untyped'\nconsole.log(u)"},
		{"src/main.tsx": "import { which } from 'polyglot'\nconsole.log(which)"},
	}
	used := openBuilder(t)
	for round := range 2 {
		for i, project := range projects {
			want, got := result(t, request(project)), resultOf(t, used, request(project))
			if !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
				t.Errorf("round %d, project %d: got files %q, want %q", round, i, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
	}
}

func TestPackagesOfALinkedStoreAreRead(t *testing.T) {
	store := t.TempDir()
	for name, files := range map[string]map[string]string{
		"v/react@19":   {"react/package.json": manifest("react", "19.0.0", nil), "react/index.js": "exports.name = 'linked-react'"},
		"v/esm-lib@1":  {"@scope/esm-lib/package.json": manifest("@scope/esm-lib", "1.0.0", map[string]any{"module": "index.mjs"}), "@scope/esm-lib/index.mjs": "import r from 'react'\nexport const lib = ['linked-lib', r.name]"},
		"sets/set-one": {},
	} {
		writeModules(t, filepath.Join(store, name), files)
	}
	link := func(target, at string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(store, at)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(store, at)); err != nil {
			t.Fatal(err)
		}
	}
	link("../../react@19/node_modules/react", "v/esm-lib@1/node_modules/react")
	link("../../../../v/esm-lib@1/node_modules/@scope/esm-lib", "sets/set-one/node_modules/@scope/esm-lib")
	s := sources{"src/main.tsx": "import { lib } from '@scope/esm-lib'\nconsole.log(lib)\n"}
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Packages, req.PackagesKey = filepath.Join(store, "sets/set-one"), "set-one"
		files := result(t, req)
		wantComplete(t, mode, files)
		wantIn(t, string(mode), allOf(files), "linked-react", "linked-lib")
		wantNotIn(t, string(mode), allOf(files), store)
		s := sources{"src/main.tsx": "import r from 'react'\nconsole.log(r)\n"}
		req.Files = s.files()
		wantIn(t, "what is no dependency of the project", diagnostics(t, req)[0].Message, `"react" is not installed`)
	}
}
