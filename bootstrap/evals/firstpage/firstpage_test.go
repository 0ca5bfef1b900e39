package firstpage_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/bootstrap/evals/firstpage"
	"github.com/atelierhq/atelier/ports/build"
)

func newJudge(t *testing.T) *firstpage.Judge {
	t.Helper()
	resolver, err := npm.New(npm.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	set, err := resolver.Install(context.Background(), map[string]string{"axe-core": "4.14.1"})
	if err != nil {
		t.Fatal(err)
	}
	axe, err := os.ReadFile(filepath.Join(set.Dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	judge := firstpage.New(axe, slog.New(slog.DiscardHandler))
	t.Cleanup(judge.Close)
	return judge
}

// sound is a page without a fault. Its script changes it after it has loaded.
const sound = `<!doctype html><html lang="en"><head><title>Tea</title><meta name="viewport" content="width=device-width">
<style>:root { color-scheme: light dark } body { background: light-dark(#fff, #111); color: light-dark(#111, #eee); margin: 1rem }</style></head>
<body><main><h1>Tea from the hills</h1><p>We bring it down in spring, dry it in the sun, and send it to you before the summer comes.</p>
<div id="late"></div></main><script>document.querySelector('#late').innerHTML = '<p>Open every day.</p>'</script></body></html>`

func TestFaultsOfFirstPagesAreFound(t *testing.T) {
	judge := newJudge(t)
	// poor has most of the faults at once: looking takes seconds a page.
	poor := strings.NewReplacer(
		"<p>Open every day.</p>", `<p style="width: 350px">Open every day.</p>`,
		"<p>We bring", `<h1>More</h1><img alt="Hills" src="/hills.png"><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"><p style="color: #999">We bring`,
		"light-dark(#fff, #111); color: light-dark(#111, #eee)", "#fff; color: #111",
		"to you before", "to you, lorem ipsum, before",
		"document.querySelector('#late')", "setTimeout(() => missing()); document.querySelector('#late')",
	).Replace(sound)
	moving := strings.Replace(sound, "document.querySelector('#late').innerHTML =", `addEventListener('load', () => requestAnimationFrame(() => requestAnimationFrame(() =>
		document.querySelector('h1').insertAdjacentHTML('beforebegin', '<div style="height: 500px"></div>')))); document.querySelector('#late').innerHTML =`, 1)
	for name, c := range map[string]struct {
		page string
		want []string
	}{
		"a sound page": {sound, nil},
		"a poor page": {poor, []string{
			"at 320 pixels, light: the page is 46 pixels wider", "color-contrast", "image-alt", "the picture /hills.png is missing",
			"there are 2 visible headings", "in light and in dark", "an exception", "lorem ipsum",
		}},
		"an empty page":        {"<!doctype html><html lang=en><title>Tea</title></html>", []string{"hardly any text", "there are 0 visible headings"}},
		"a page that is moved": {moving, []string{"content moves while the page loads"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults, err := judge.Judge(t.Context(), []build.File{{Path: "index.html", Content: []byte(c.page)}})
			got := strings.Join(faults, "\n")
			if err != nil || len(c.want) == 0 && got != "" {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

func TestLiteralsAreFound(t *testing.T) {
	got := firstpage.Literals(map[string][]byte{
		"src/App.tsx":      []byte(`<p className="bg-card text-muted-foreground p-4 w-[20rem]"><a href="#top">`),
		"src/Bad.tsx":      []byte(`<p className="bg-purple-600" style={{ color: '#abc123' }} />`),
		"src/Pixels.jsx":   []byte(`<p className="mt-[13px]" />`),
		"src/index.css":    []byte(`:root { color: #123456 }`),
		"public/icon.tsx":  []byte(`#123456`),
		"src/lib/other.ts": []byte(`const colour = '#123456'`),
	})
	want := "src/Bad.tsx has #abc123 instead of a token of the theme\nsrc/Bad.tsx has bg-purple-600 instead of a token of the theme\nsrc/Pixels.jsx has [13px] instead of a token of the theme"
	if strings.Join(got, "\n") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
