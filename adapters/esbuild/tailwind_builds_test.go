package esbuild_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

func TestTailwindFollowsTheSources(t *testing.T) {
	builder := openBuilder(t)
	s := styled(`@import "tailwindcss";`, "'p-4 flex'", sources{".gitignore": "out\n", "out/a.html": "'m-9'", "src/a.svg": "<svg/>"})
	for _, step := range []struct {
		name, path, text string
		want, unwanted   string
	}{
		{"the first build", "src/app.ts", "'p-4 flex'", ".flex", ".m-9"},
		{"nothing is new", "src/app.ts", "'p-4 flex'", ".p-4", ".m-9"},
		{"a class is new", "src/app.ts", "'p-4 flex m-2'", ".m-2", ".m-9"},
		{"a word is new that is no class", "src/app.ts", "'p-4 flex m-2 hello'", ".m-2", "hello"},
		{"a class is gone", "src/app.ts", "'p-4 m-2'", ".m-2", ".flex"},
		{"a file is new", "about.html", `<p class="inline-grid">`, ".inline-grid", ".flex"},
		{"a file counts no more", ".gitignore", "out\nabout.html\n", ".p-4", ".inline-grid"},
		{"the sheet is another", "src/index.css", "@import \"tailwindcss\";\n@theme { --spacing: 7px }", "--spacing: 7px", ".flex"},
		{"the sheet leads to a file", "src/index.css", "@import \"tailwindcss\";\np { background: url(./a.svg) }", "url(", ".flex"},
		{"that file is another", "src/a.svg", "<svg id=\"2\"/>", "url(", ".flex"},
	} {
		s[step.path] = step.text
		for _, mode := range bothModes {
			files := resultOf(t, builder, request(mode, s))
			css := ending(files, ".css")
			if mode == build.ModePreview {
				css = styleText(t, ending(files, ".js"))
			}
			wantIn(t, step.name, css, step.want)
			wantNotIn(t, step.name, css, step.unwanted)
			if fresh := styles(t, mode, s); css != fresh {
				t.Errorf("%s, mode %s: got %q, want what a new builder gives, %q", step.name, mode, css, fresh)
			}
		}
	}
}

func TestTailwindLooksWhereItIsTold(t *testing.T) {
	dir := modules(t, map[string]string{
		"@ours/ui/package.json": "{}", "@ours/ui/button.js": "'rotate-1'", "@ours/ui/logo.png": "'rotate-2'", "@ours/ui/node_modules/x/x.js": "'rotate-3'",
		"other/index.js": "'rotate-4'",
	})
	s := styled("@import \"tailwindcss\" source(\"../app\");\n@source \"../extra/*.txt\";\n@source not \"../app/old\";\n@source \"../node_modules/@ours/ui\";\n@source \"../../../../../etc\";\n@source inline(\"{hover:,}skew-9\");", "'rotate-5'", sources{
		"app/a.html": "'rotate-6'", "app/old/b.html": "'rotate-7'", "extra/a.txt": "'rotate-8'", "extra/b.html": "'rotate-9'",
	})
	req := request(build.ModeSite, s)
	req.Packages, req.PackagesKey = dir, "1"
	css := ending(result(t, req), ".css")
	wantIn(t, "site", css, ".rotate-1{", ".rotate-6", ".rotate-8", ".skew-9", `.hover\:skew-9`)
	wantNotIn(t, "site", css, ".rotate-2", ".rotate-3", ".rotate-4", ".rotate-5", ".rotate-7", ".rotate-9")
}

func TestTailwindIsThereForEveryKindOfImport(t *testing.T) {
	s := sources{
		"index.html":         `<!doctype html><link rel="stylesheet" href="/src/linked.css"><script type="module" src="/src/main.ts"></script>`,
		"src/linked.css":     "@import 'tailwindcss'; .linked { @apply p-1; }",
		"src/main.ts":        "import text from './text.css?inline'\nimport raw from './raw.css?raw'\nimport own from './own.module.css'\nconsole.log(text, raw, own)",
		"src/text.css":       "@reference 'tailwindcss'; .inlined { @apply p-2; }",
		"src/raw.css":        ".raw { @apply p-3; }",
		"src/own.module.css": "@reference './theme.css'; .own { @apply text-ours; }",
		"src/theme.css":      "@import 'tailwindcss'; @theme { --color-ours: #fedcba; }",
	}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		all := ending(files, ".css") + ending(files, ".js")
		wantIn(t, string(mode), all, ".linked", ".inlined", "--color-ours, #fedcba", "@apply p-3")
		wantNotIn(t, string(mode), all, "@apply p-1", "@apply p-2", "@apply text-ours")
	}
}

func TestTailwindOfOneProjectLeavesTheOthersAlone(t *testing.T) {
	builder := openBuilder(t)
	var words strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&words, "w%d\n", i)
	}
	hostile := map[string]struct {
		s    sources
		want core.Diagnostic
	}{
		"it eats memory": {
			styled("@import 'tailwindcss';\n@config '../c.js';", "", sources{"c.js": "const all = []; for (;;) all.push(new Array(1e5).fill(1))"}),
			core.Diagnostic{Path: "c.js", Message: "Tailwind CSS: this takes "},
		},
		"it has too many words": {
			styled("\n@import 'tailwindcss';", "", sources{"src/words.txt": words.String()}),
			core.Diagnostic{Path: "src/index.css", Line: 2, Column: 1, Message: "Tailwind CSS: Tailwind would have to scan more than 100000 different words for class names: leave files out with @source not \"…\", or name those that count with @import \"tailwindcss\" source(\"…\")"},
		},
		"it is wrong in a sheet that is imported": {
			styled("@import 'tailwindcss';\n@import './part.css';", "", sources{"src/part.css": "\n.a { @apply nope; }"}),
			core.Diagnostic{Path: "src/part.css", Line: 2, Column: 13, Message: "Tailwind CSS: Cannot apply unknown utility class `nope`"},
		},
		"it changes what everybody uses": {
			styled("@import 'tailwindcss';\n@config '../c.js';", "", sources{"c.js": "Array.prototype.map = () => { throw new Error('mine') }; throw new Error('mine')"}),
			core.Diagnostic{Path: "c.js", Message: "Tailwind CSS: mine"},
		},
	}
	var wg sync.WaitGroup
	for name, h := range hostile {
		wg.Go(func() {
			for range 2 {
				built, err := builder.Build(t.Context(), request(build.ModePreview, h.s))
				if err != nil || len(built.Diagnostics) != 1 || !begins(built.Diagnostics[0], h.want) {
					t.Errorf("%s: got %+v, error %v, want %+v", name, built.Diagnostics, err, h.want)
				}
			}
		})
	}
	for i := range 4 {
		wg.Go(func() {
			s := styled("@import 'tailwindcss';", fmt.Sprintf("'p-%d m-4'", i), nil)
			built, err := builder.Build(t.Context(), request(build.ModeSite, s))
			if err != nil || len(built.Diagnostics) > 0 {
				t.Errorf("project %d: got %+v, error %v, want neither", i, built.Diagnostics, err)
				return
			}
			files := make(map[string]build.File)
			for _, file := range built.Files {
				files[file.Path] = file
			}
			wantIn(t, "site", ending(files, ".css"), fmt.Sprintf(".p-%d{", i), ".m-4{")
		})
	}
	wg.Wait()
}

// begins reports whether a diagnostic is the expected one, of whose message only the
// beginning is known: memory or time, whichever runs out first.
func begins(got, want core.Diagnostic) bool {
	same := strings.HasPrefix(got.Message, want.Message)
	got.Message = want.Message
	return same && got == want
}

// tripwire is a file system that calls a function as soon as a file is opened.
type tripwire struct {
	fs.FS
	name string
	end  func()
}

// Open implements fs.FS.
func (w tripwire) Open(name string) (fs.File, error) {
	if name == w.name {
		w.end()
	}
	return w.FS.Open(name)
}

func TestTailwindEndsWithItsBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	script := "try { hostModule('../d.js', '/src', 'plugin') } catch {} for (;;);"
	asked := request(build.ModePreview, styled("@plugin '../c.js';", "", sources{"c.js": script, "d.js": ""}))
	asked.Files = tripwire{asked.Files, "d.js", cancel}
	_, err := openBuilder(t).Build(ctx, asked)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func BenchmarkTailwind(b *testing.B) {
	files := make(fstest.MapFS)
	for _, name := range []string{"index.html", "src/entry.ts", "src/main.tsx", "src/index.css", "src/theme.css", "src/components/Card.tsx", "src/picture.png", "src/pointer.cur"} {
		text, err := os.ReadFile("testdata/tailwind/" + name)
		if err != nil {
			b.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	once := func(b *testing.B, builder *esbuild.Builder, files fstest.MapFS) {
		result, err := builder.Build(b.Context(), build.Request{Mode: build.ModePreview, Files: files})
		if err != nil || len(result.Diagnostics) > 0 {
			b.Fatalf("got error %v, diagnostics %+v, want neither", err, result.Diagnostics)
		}
	}
	with := func(name, text string) fstest.MapFS {
		changed := maps.Clone(files)
		changed[name] = &fstest.MapFile{Data: append([]byte(text), files[name].Data...)}
		return changed
	}
	b.Run("first build", func(b *testing.B) {
		for b.Loop() {
			once(b, newBuilder(b, b.TempDir()), files)
		}
	})
	for name, save := range map[string]func(n int) fstest.MapFS{
		"unchanged":            func(int) fstest.MapFS { return files },
		"another sheet":        func(n int) fstest.MapFS { return with("src/index.css", fmt.Sprintf("/* %d */", n)) },
		"save, no new class":   func(n int) fstest.MapFS { return with("src/main.tsx", fmt.Sprintf("// word%d\n", n)) },
		"save, 3 new classes":  func(n int) fstest.MapFS { return with("src/main.tsx", fmt.Sprintf("'p-%d m-%d mt-%d'\n", n, n, n)) },
		"save, 3 more classes": growing(with),
	} {
		b.Run(name, func(b *testing.B) {
			builder := newBuilder(b, b.TempDir())
			once(b, builder, files)
			n := 100
			for b.Loop() {
				n++
				once(b, builder, save(n))
			}
		})
	}
}

// growing adds classes to those of earlier saves.
func growing(with func(name, text string) fstest.MapFS) func(n int) fstest.MapFS {
	all := ""
	return func(n int) fstest.MapFS {
		if n == 101 {
			all = ""
		}
		all += fmt.Sprintf(" p-%d m-%d mt-%d", n, n, n)
		return with("src/main.tsx", "'"+all+"'\n")
	}
}
