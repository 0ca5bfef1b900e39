package esbuild_test

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/ports/build"
)

// testdata/tailwind.golden.css is the output of Tailwind's own command for goldenProject.
// To make it again, in a copy of the project that is the root of a repository:
//
//	npx @tailwindcss/cli@4.3.5 -i src/index.css -o tailwind.golden.css
func TestTailwindGivesWhatItsOwnCommandGives(t *testing.T) {
	golden, err := os.ReadFile("testdata/tailwind.golden.css")
	if err != nil {
		t.Fatal(err)
	}
	want := rulesOf(t, string(golden))
	for _, mode := range bothModes {
		files := result(t, build.Request{Mode: mode, Files: goldenProject(t)})
		css := ending(files, ".css")
		if mode == build.ModePreview {
			css = styleText(t, ending(files, ".js"))
		}
		got := rulesOf(t, css)
		for _, rule := range slices.Sorted(maps.Keys(want)) {
			if !got[rule] {
				t.Errorf("mode %s: got no %q, want it", mode, rule)
			}
		}
		for _, rule := range slices.Sorted(maps.Keys(got)) {
			if !want[rule] {
				t.Errorf("mode %s: got %q, want nothing like it", mode, rule)
			}
		}
	}
}

// goldenProject is testdata/tailwind with files that git leaves out there, and
// Tailwind with it.
func goldenProject(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{
		".gitignore":     {Data: []byte("node_modules\n/ignored/\n*.log\n")},
		"ignored/a.html": {Data: []byte(`<p class="rotate-45"></p>`)},
		"src/debug.log":  {Data: []byte("skew-x-12")},
	}
	source := os.DirFS("testdata/tailwind")
	err := fs.WalkDir(source, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(source, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	anyAddress = regexp.MustCompile(`url\([^)]*\)`)
	anyComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// rulesOf splits a style sheet into declarations, each behind all selectors and
// rules around it, in one way of writing.
func rulesOf(t *testing.T, css string) map[string]bool {
	t.Helper()
	written := api.Transform(css, api.TransformOptions{
		Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true,
		Engines: []api.Engine{{Name: api.EngineChrome, Version: "111"}, {Name: api.EngineFirefox, Version: "128"}, {Name: api.EngineSafari, Version: "16.4"}, {Name: api.EngineIOS, Version: "16.4"}},
	})
	if len(written.Errors) > 0 {
		t.Fatalf("got %v, want a style sheet", written.Errors)
	}
	text := anyAddress.ReplaceAllString(anyComment.ReplaceAllString(string(written.Code), ""), "url()")
	rules := make(map[string]bool)
	var around []string
	part := ""
	for _, r := range text {
		switch r {
		case '{':
			around = append(around, part)
			part = ""
		case ';', '}':
			if part != "" {
				rules[strings.Join(append(slices.Clone(around), part), " { ")] = true
			}
			part = ""
			if r == '}' {
				around = around[:len(around)-1]
			}
		default:
			part += string(r)
		}
	}
	return rules
}
