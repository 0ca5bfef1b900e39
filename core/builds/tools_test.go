package builds

import (
	"strings"
	"testing"
)

func TestTheLinesOfAProjectsTools(t *testing.T) {
	for name, c := range map[string]struct {
		manifest     string
		serve, build string
	}{
		"Vite": {`{"scripts":{"dev":"vite","build":"vite build"}}`,
			"vite --port 5173 --host 127.0.0.1 --strictPort", "vite build"},
		"behind other commands": {`{"scripts":{"dev":"node prepare.js && cross-env A=1 npx vite dev","build":"tsc && vite build"}}`,
			"node prepare.js && cross-env A=1 npx vite dev --port 5173 --host 127.0.0.1 --strictPort", "tsc && vite build"},
		"with options of its own": {`{"scripts":{"dev":"vite --port 3000 --host"}}`,
			"vite --port 3000 --host --strictPort", ""},
		"Next":                    {`{"scripts":{"dev":"next dev --turbo","build":"next build"}}`, "next dev --turbo -p 5173 -H 127.0.0.1", "next build"},
		"Astro":                   {`{"scripts":{"start":"astro dev"}}`, "astro dev --port 5173 --host 127.0.0.1", ""},
		"a server of its own":     {`{"scripts":{"dev":"node server.js"}}`, "node server.js", ""},
		"with scripts around it":  {`{"scripts":{"predev":"gen","dev":"serve","prebuild":"clean","build":"make","postbuild":"check"}}`, "gen && serve", "clean && make && check"},
		"nothing but Vite":        {`{"devDependencies":{"vite":"8"}}`, "vite --port 5173 --host 127.0.0.1 --strictPort", "vite build"},
		"nothing at all":          {`{"scripts":{"dev":" "}}`, "", ""},
		"scripts that are no map": {`{"scripts":["dev"]}`, "", ""},
	} {
		manifest := `{"atelier":{"runtime":"node"},` + strings.TrimPrefix(c.manifest, "{")
		got := planned(t, map[string]string{"package.json": manifest}).Tools
		if got.Serve != c.serve || got.Build != c.build {
			t.Errorf("%s: got %q and %q, want %q and %q", name, got.Serve, got.Build, c.serve, c.build)
		}
		if !strings.Contains(got.Install, "--ignore-scripts") {
			t.Errorf("%s: got %q, want no scripts of packages", name, got.Install)
		}
	}
}

func TestPackagesAreInstalledAnewForWhatChoosesThem(t *testing.T) {
	base := map[string]string{"package.json": `{"atelier":{"runtime":"node"},"dependencies":{"a":"1","b":"2"}}`}
	key := planned(t, base).Tools.Packages
	with := func(name, content string) string {
		files := map[string]string{"package.json": base["package.json"]}
		files[name] = content
		return planned(t, files).Tools.Packages
	}
	for name, got := range map[string]string{
		"a script":       with("package.json", `{"name":"x","atelier":{"runtime":"node"},"scripts":{"dev":"x"},"dependencies":{"b":"2","a":"1"}}`),
		"another file":   with("src/main.js", "x"),
		"another's lock": with("yarn.lock", "x"),
	} {
		if got != key {
			t.Errorf("%s: got another key, want the same", name)
		}
	}
	for name, got := range map[string]string{
		"a version":     with("package.json", `{"atelier":{"runtime":"node"},"dependencies":{"a":"1","b":"3"}}`),
		"for others":    with("package.json", `{"atelier":{"runtime":"node"},"devDependencies":{"a":"1","b":"2"}}`),
		"an override":   with("package.json", `{"atelier":{"runtime":"node"},"dependencies":{"a":"1","b":"2"},"overrides":{"c":"1"}}`),
		"a lock file":   with("package-lock.json", "{}"),
		"npm's setting": with(".npmrc", "legacy-peer-deps=true"),
	} {
		if got == key {
			t.Errorf("%s: got the same key, want another", name)
		}
	}
}

func TestFilesWithADigestInTheirNameStayForEver(t *testing.T) {
	for name, want := range map[string]bool{
		"assets/index-DDqW3uXo.js": true, "_app/immutable/entry/start.BzJUvKOf.js": true, "_app/immutable/chunks/CcZ9YzAq.js": true,
		"_astro/hoisted.BmBXTeoK.css": true, "_nuxt/entry.Dk3Xa9_2.js": true, "_next/static/chunks/main-0f2b1a3c4d5e6f70.js": true, "static/js/main.1a2b3c4d.js": true,
		"index.html": false, "assets/background.png": false, "assets/logo.svg": false, "_app/version.json": false, "favicon-12345678.ico": false, "robots.txt": false,
	} {
		if got := isHashed(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
