package frameworks

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// framework is a project as its own generator makes it.
type framework struct {
	make func(t *testing.T, s *service) *work
	// file first holds the text first, and module shows the result; second replaces it,
	// and page is in every page.
	file, first, second, module, page string
	// mistake replaces first, and is reported at line.
	mistake string
	line    int
	reason  string
}

func frameworks() map[string]framework {
	return map[string]framework{
		"the template of Vite and React": {
			make: func(t *testing.T, s *service) *work { return s.create(t, "vite-react") },
			file: "src/App.tsx", first: "<h1>Vite + React</h1>", second: "<h1>changed by hand</h1>", module: "/src/App.tsx", page: "/@vite/client",
			mistake: "<h1>Vite + React</h2>", line: 10, reason: "atelier.runtime",
		},
		"Vue": {
			make: func(t *testing.T, s *service) *work { return s.createFrom(t, "vue") },
			file: "src/App.vue", first: "<HelloWorld />", second: "<p>changed by hand</p>", module: "/src/App.vue", page: "/@vite/client",
			mistake: "<div><HelloWorld />", line: 6, reason: "@vue/",
		},
		"SvelteKit": {
			make: func(t *testing.T, s *service) *work { return s.createFrom(t, "sveltekit") },
			file: "src/routes/+page.svelte", first: "<h1>Welcome to SvelteKit</h1>", second: "<h1>changed by hand</h1>", module: "/", page: "/@sveltejs/kit",
			mistake: "<h1>Welcome to SvelteKit<h2>", line: 1, reason: "@sveltejs/",
		},
	}
}

func TestFrameworks(t *testing.T) {
	s := start(t)
	for name, c := range frameworks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.make(t, s)
			playPreview(t, w, c)
			playMistakes(t, w, c)
			playFunction(t, w)
			playSite(t, w, c)
		})
	}
}

// playPreview looks at a preview and changes the project under it.
func playPreview(t *testing.T, w *work, c framework) {
	seen := w.await(t, "ready", ready)
	if seen.Runtime != "node" || !strings.Contains(seen.RuntimeReason, c.reason) {
		t.Errorf("got runtime %q because %q, want node because of %s", seen.Runtime, seen.RuntimeReason, c.reason)
	}
	page := w.show(t, seen.URL+"/")
	if page.status != http.StatusOK || !strings.Contains(page.body, `data-runtime="node"`) || !strings.Contains(page.body, c.page) {
		t.Errorf("got %d %.600s, want the server's page with the client", page.status, page.body)
	}
	if csp := page.header.Values("Content-Security-Policy"); len(csp) == 0 || !strings.HasPrefix(csp[0], "frame-ancestors ") {
		t.Errorf("got policies %q, want the frame's", csp)
	}
	if got := w.show(t, seen.URL+"/@atelier/client.js"); got.status != http.StatusOK || !strings.Contains(got.body, "EventSource") {
		t.Errorf("got %d for the client, want it", got.status)
	}
	w.edit(t, c.file, c.first, c.second)
	w.awaitModule(t, seen.URL+c.module, "changed by hand")
	w.edit(t, c.file, c.second, c.first)
}

// playMistakes breaks the project and mends it.
func playMistakes(t *testing.T, w *work, c framework) {
	w.edit(t, c.file, c.first, c.mistake)
	got := w.await(t, "broken", wrong).Diagnostics[0]
	if got.Path != c.file || got.Line != c.line || got.Column == 0 || got.Message == "" {
		t.Errorf("preview: got %+v, want a place in line %d of %s", got, c.line, c.file)
	}
	failed := w.do(t, "POST", w.path("/publish"), map[string]any{})
	if failed.status != http.StatusUnprocessableEntity || !strings.Contains(failed.body, `"path":"`+c.file+`"`) {
		t.Errorf("publish: got %d %s, want 422 with the place", failed.status, failed.body)
	}
	w.edit(t, c.file, c.mistake, c.first)
	w.await(t, "mended", ready)
}

// playFunction calls a function beside the development server, and on the published site.
func playFunction(t *testing.T, w *work) {
	w.write(t, "functions/lib/greet.ts", "export const greet = (name: string): string => `Hello ${name}`\n")
	w.write(t, "functions/hello.ts", "import { greet } from './lib/greet'\n\nexport default (req: Request): Response => new Response(greet(new URL(req.url).searchParams.get('name') ?? ''))\n")
	preview := w.await(t, "ready", ready).URL
	for _, host := range []string{preview, w.publish(t)} {
		if got := w.show(t, host+"/_fn/hello?name=Ada"); got.status != http.StatusOK || got.body != "Hello Ada" {
			t.Errorf("%s: got %d %.300s, want the function's answer", host, got.status, got.body)
		}
		if got := w.show(t, host+"/_fn/other"); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d for a function that does not exist, want 404", host, got.status)
		}
	}
}

// playSite publishes the project.
func playSite(t *testing.T, w *work, _ framework) {
	site := w.publish(t)
	page := w.show(t, site+"/")
	if page.status != http.StatusOK || strings.Contains(page.body, "@vite/client") || strings.Contains(page.body, "@atelier") {
		t.Fatalf("got %d %s, want the page that was built", page.status, page.body)
	}
	script := regexp.MustCompile(`(?:src|href)="(?:\.?/)((?:assets|_app/immutable)/[^"]+\.js)"`).FindStringSubmatch(page.body)
	if script == nil {
		t.Fatalf("got no script in %s", page.body)
	}
	asset := w.show(t, site+"/"+script[1])
	if asset.status != http.StatusOK || !strings.Contains(asset.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: got %d, %q, want it for ever", script[1], asset.status, asset.header.Get("Cache-Control"))
	}
	var listed []struct{ Path string }
	w.call(t, http.StatusOK, "GET", w.path("/files"), nil, &listed)
	for _, file := range listed {
		if strings.HasPrefix(file.Path, "node_modules") || strings.HasPrefix(file.Path, "dist") || file.Path == "package-lock.json" {
			t.Errorf("got %s among the project's files, want nothing that tools made", file.Path)
		}
	}
}
