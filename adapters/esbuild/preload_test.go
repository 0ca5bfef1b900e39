package esbuild_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

var preloaded = regexp.MustCompile(`<link rel="modulepreload" crossorigin href="/([^"?]+)(?:\?v=[0-9a-f]{8})?">`)

func TestAPageNamesTheModulesThatItLeadsTo(t *testing.T) {
	req := reactRequest(t, build.ModePreview, counterApp)
	files := resultOf(t, openBuilder(t), req)
	var names []string
	for _, match := range preloaded.FindAllSubmatch(files["index.html"].Content, -1) {
		name := string(match[1])
		if _, there := files[name]; !there {
			t.Errorf("got %s, which the preview does not have", name)
		}
		names = append(names, name)
	}
	last := -1
	for _, want := range []string{"@app/src/main.tsx.js", "@app/src/App.tsx.js", "@app/src/Counter.tsx.js", "@app/src/label.ts.js"} {
		at := slices.Index(names, want)
		if at <= last {
			t.Errorf("got %s at place %d of %v, want it behind those that lead to it", want, at, names)
		}
		last = at
	}
	if !slices.ContainsFunc(names, func(name string) bool { return regexp.MustCompile(`^@deps/.*react-dom_client`).MatchString(name) }) {
		t.Errorf("got %v, want react-dom among them", names)
	}
}
