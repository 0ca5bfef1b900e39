package tailwind_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// script is the engine's, bundled from the copy once for all tests.
var script = sync.OnceValue(func() string {
	copied := tailwind.Copy()
	setup := func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			switch args.Path {
			case "tailwindcss":
				args.Path = "dist/lib.mjs"
			case "tailwindcss/colors":
				args.Path = "dist/colors.mjs"
			}
			return api.OnResolveResult{Path: path.Join(path.Dir(args.Importer), args.Path), Namespace: "copy"}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "copy"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			text, err := fs.ReadFile(copied, strings.TrimPrefix(args.Path, "dist/dist/"))
			if err != nil {
				text, err = fs.ReadFile(copied, "dist/"+path.Base(args.Path))
			}
			contents := string(text)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
		})
	}
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{Contents: tailwind.Glue}, Bundle: true, Format: api.FormatIIFE, Target: api.ES2022,
		Plugins: []api.Plugin{{Name: "copy", Setup: setup}},
	})
	if len(result.Errors) > 0 {
		panic(result.Errors[0].Text)
	}
	return string(result.OutputFiles[0].Contents)
})

func engine(t testing.TB, limits tailwind.Limits) *tailwind.Engine {
	t.Helper()
	made, err := tailwind.NewEngine(script(), limits)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// loads is a Loader of sheets and scripts by path; Tailwind's own are there too.
type loads struct{ sheets, scripts map[string]string }

func (l loads) Stylesheet(id, base string) (tailwind.Stylesheet, error) {
	if text, found := tailwind.LegacySheets()[id]; found {
		return tailwind.Stylesheet{Path: "/node_modules/" + id, Base: "/node_modules", Content: text}, nil
	}
	if name, own := strings.CutPrefix(strings.TrimSuffix(id, ".css"), "tailwindcss"); own {
		text, err := fs.ReadFile(tailwind.Copy(), strings.TrimPrefix(name+".css", "/"))
		if name == "" {
			text, err = fs.ReadFile(tailwind.Copy(), "index.css")
		}
		return tailwind.Stylesheet{Path: "/node_modules/" + id, Base: "/node_modules", Content: string(text)}, err
	}
	name := path.Join(base, id)
	text, found := l.sheets[name]
	if !found {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Message: "there is no " + name}
	}
	return tailwind.Stylesheet{Path: name, Base: path.Dir(name), Content: text}, nil
}

func (l loads) Module(id, base, kind string) (tailwind.Module, error) {
	name := path.Join(base, id)
	if path.IsAbs(id) {
		name = id
	}
	text, found := l.scripts[name]
	if !found {
		return tailwind.Module{}, &tailwind.Mistake{Message: "there is no " + name + " for a " + kind}
	}
	return tailwind.Module{Path: name, Base: path.Dir(name), Script: text}, nil
}

// patient limits suit a machine that runs many tests at once.
var patient = tailwind.Limits{Memory: 192 << 20, Time: time.Minute}

// lasting is an engine for all tests that need no limits of their own.
var lasting = sync.OnceValue(func() *tailwind.Engine {
	made, err := tailwind.NewEngine(script(), patient)
	if err != nil {
		panic(err)
	}
	return made
})

func open(t testing.TB, css string, loader loads) (*tailwind.Session, error) {
	t.Helper()
	session, err := lasting().Compile(t.Context(), tailwind.Stylesheet{Path: "/src/index.css", Base: "/src", Content: css}, loader)
	if err == nil {
		t.Cleanup(session.Close)
	}
	return session, err
}

func compiled(t testing.TB, css string, loader loads, candidates ...string) string {
	t.Helper()
	session, err := open(t, css, loader)
	if err != nil {
		t.Fatal(err)
	}
	return built(t, session, candidates...)
}

func built(t testing.TB, session *tailwind.Session, candidates ...string) string {
	t.Helper()
	out, err := session.Build(t.Context(), candidates)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantIn(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want %q in it", text, want)
		}
	}
}

func TestCandidatesBecomeRules(t *testing.T) {
	css := compiled(t, `@import "tailwindcss/theme" layer(theme); @import "tailwindcss/utilities"; @theme { --color-brand: #123456; }`, loads{}, "bg-brand", "hover:p-[3px]", "no-such-class")
	wantIn(t, css, ".bg-brand", `.hover\:p-\[3px\]`, "--color-brand: #123456")
	if strings.Contains(css, "no-such-class") {
		t.Errorf("got %q, want nothing of a word that is no class", css)
	}
}

func TestPluginsAndConfigurationsRunInTheMachine(t *testing.T) {
	loader := loads{scripts: map[string]string{
		"/src/plugin.js": `module.exports = ({ addUtilities }) => addUtilities({ ".from-plugin": { color: "red" } })`,
		"/config.js":     `module.exports = { default: { safelist: ["p-7", /no/], content: ["./lib/**/*.html", "!./lib/not"], theme: { extend: { colors: { ours: "#010203" } } } } }`,
	}}
	session, err := open(t, `@import "tailwindcss"; @plugin "./plugin.js"; @config "../config.js";`, loader)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, built(t, session, "from-plugin", "bg-ours"), ".from-plugin", "#010203")
	if got := fmt.Sprint(session.Safelist()); got != "[p-7]" {
		t.Errorf("got safelist %s, want [p-7]", got)
	}
	automatic, none, explicit := session.Sources()
	if got, want := fmt.Sprintf("%q %v %v", automatic, none, explicit), "\"\" false [{/lib/**/*.html false} {/lib/not true}]"; got != want {
		t.Errorf("got sources %q, want %q", got, want)
	}
}

func TestASheetSaysWhereClassNamesAre(t *testing.T) {
	for css, want := range map[string]string{
		`@import "tailwindcss";`:                                  `"" false []`,
		`@import "tailwindcss" source(none);`:                     `"" true []`,
		`@import "tailwindcss" source("../app");`:                 `"/app" false []`,
		`@import "tailwindcss"; @source "../../../../etc/**";`:    `"" false [{/etc/** false}]`,
		`@import "tailwindcss"; @source not "./a/../b.{ts,tsx}";`: `"" false [{/src/b.{ts,tsx} true}]`,
	} {
		session, err := open(t, css, loads{})
		if err != nil {
			t.Fatal(err)
		}
		automatic, none, explicit := session.Sources()
		if got := fmt.Sprintf("%q %v %v", automatic, none, explicit); got != want {
			t.Errorf("%s: got %q, want %q", css, got, want)
		}
	}
}

func TestASessionGivesWhatANewOneGives(t *testing.T) {
	const css = `@import "tailwindcss";`
	session, err := open(t, css, loads{})
	if err != nil {
		t.Fatal(err)
	}
	built(t, session, "p-4", "flex", "some", "in", "prose")
	grown := built(t, session, "p-4", "flex", "some", "in", "m-2", "--color-red-500")
	if fresh := compiled(t, css, loads{}, "--color-red-500", "m-2", "flex", "p-4"); grown != fresh {
		t.Errorf("got %q, want what a new session gives, %q", grown, fresh)
	}
	for _, c := range []struct {
		candidates []string
		want       bool
	}{
		{[]string{"p-4", "flex", "m-2", "--color-red-500", "new"}, true},
		{[]string{"p-4", "flex", "m-2", "--color-red-500"}, true},
		{[]string{"flex", "m-2", "--color-red-500"}, false},
		{[]string{"p-4", "flex", "m-2"}, false},
	} {
		if got := session.Covers(c.candidates); got != c.want {
			t.Errorf("%q: got %v, want %v", c.candidates, got, c.want)
		}
	}
	if !session.Rest() {
		t.Errorf("got a session that may not wait, want one that is small enough")
	}
}

func TestASheetWithoutUtilitiesIsPassive(t *testing.T) {
	for css, want := range map[string]bool{`@reference "tailwindcss"; .a { @apply p-4; }`: true, `.a { color: red }`: true, `@import "tailwindcss";`: false} {
		session, err := open(t, css, loads{})
		if err != nil {
			t.Fatal(err)
		}
		if got := session.Passive(); got != want {
			t.Errorf("%s: got %v, want %v", css, got, want)
		}
	}
}

func TestMistakesHaveAPlaceOrWordsToLookFor(t *testing.T) {
	for _, c := range []struct {
		css  string
		want tailwind.Mistake
	}{
		{"@import \"tailwindcss\";\n.a {\n  @apply p-4 no-such;\n}", tailwind.Mistake{Path: "/src/index.css", Message: "Cannot apply unknown utility class `no-such`", Names: []string{"no-such"}}},
		{".a { color: theme(colors.nope); }", tailwind.Mistake{Path: "/src/index.css", Message: "Could not resolve value for theme function: `theme(colors.nope)`. Consider checking if the path is correct or provide a fallback value to silence this error.", Names: []string{"theme(colors.nope)"}}},
		{"@theme {\n  color: red\n}}", tailwind.Mistake{Path: "/src/index.css", Line: 3, Column: 2, Message: "Missing opening {"}},
		{"@import \"./a.css\";", tailwind.Mistake{Path: "/src/a.css", Line: 2, Column: 6, Message: "Unterminated string: \"x\""}},
		{"@import \"./none.css\";", tailwind.Mistake{Message: "there is no /src/none.css"}},
	} {
		_, err := open(t, c.css, loads{sheets: map[string]string{"/src/a.css": "a {\n  b: \"x\n}"}})
		var got *tailwind.Mistake
		if !errors.As(err, &got) || fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s: got %+v, want %+v", c.css, err, c.want)
		}
	}
}

// cancelingTree ends the compilation when a running script asks for what is not there.
type cancelingTree struct {
	loads
	cancel func()
}

func (c cancelingTree) Module(id, base, kind string) (tailwind.Module, error) {
	found, err := c.loads.Module(id, base, kind)
	if err != nil {
		c.cancel()
	}
	return found, err
}

func TestEvaluationEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	plugin := `try { hostModule("./none.js", "/src", "plugin") } catch {} for (;;);`
	loader := cancelingTree{loads{scripts: map[string]string{"/src/x.js": plugin}}, cancel}
	engine, err := tailwind.NewEngine(script(), tailwind.Limits{Memory: patient.Memory, Time: time.Hour}) // which does not end it
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Compile(ctx, tailwind.Stylesheet{Path: "/src/a.css", Base: "/src", Content: `@plugin "./x.js";`}, loader)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
