package frameworks

import (
	"net/http"
	"strings"
	"testing"
)

// plainServer is a project whose development server is a file of its own.
func plainServer(server, dependencies string) map[string]string {
	return map[string]string{
		"package.json": `{"type": "module", "atelier": {"runtime": "node"}, "dependencies": {` + dependencies + `},
  "scripts": {"dev": "node server.js", "build": "node build.js", "preinstall": "touch /app/ran-pre", "postinstall": "touch /app/ran-post", "prepare": "touch /app/ran-prepare"}}`,
		"server.js": server,
		"build.js":  `import fs from "node:fs"; fs.mkdirSync("dist"); fs.writeFileSync("dist/index.html", "<p>" + JSON.stringify(process.env) + "</p>")`,
	}
}

// answering is a server that says hello, and records the requests.
const answering = `import http from "node:http";
http.createServer((q, r) => {
  r.setHeader("Content-Type", "text/html");
  r.setHeader("Set-Cookie", ["own=1; Path=/", "stolen=1; Domain=localhost"]);
  r.setHeader("X-Frame-Options", "DENY");
  r.end("<h1>hello</h1>" + JSON.stringify(q.headers));
}).listen(process.env.PORT, process.env.HOST);
`

func TestServersOfAllKinds(t *testing.T) {
	s := start(t)
	t.Run("one that is no framework's answers", func(t *testing.T) {
		t.Parallel()
		w := s.createWith(t, plainServer(answering, ""))
		seen := w.await(t, "ready", ready)
		got := w.do(t, "GET", seen.URL+"/", nil, "Accept", "text/html", "Cookie", "app_access_token=secret", "Authorization", "Bearer secret")
		if got.status != http.StatusOK || !strings.Contains(got.body, "hello") || strings.Contains(got.body, "secret") || !strings.Contains(got.body, `"host":"localhost:5173"`) {
			t.Errorf("got %d %s, want it asked without a secret", got.status, got.body)
		}
		if cookies := got.header.Values("Set-Cookie"); len(cookies) != 1 || !strings.HasPrefix(cookies[0], "own=1") || got.header.Get("X-Frame-Options") != "" {
			t.Errorf("got cookies %q and frame options %q, want its own cookie alone", cookies, got.header.Get("X-Frame-Options"))
		}
		w.call(t, http.StatusNoContent, "PUT", w.path("/env/VITE_SHOWN"), map[string]string{"value": "shown to all"}, nil)
		w.call(t, http.StatusNoContent, "PUT", w.path("/env/API_KEY"), map[string]string{"value": "hunter2hunter2"}, nil)
		page := w.show(t, w.publish(t)+"/")
		if !strings.Contains(page.body, "shown to all") || strings.Contains(page.body, "hunter2") || strings.Contains(page.body, s.Dir) {
			t.Errorf("got %s, want the public value and nothing of the service", page.body)
		}
		w.edit(t, "build.js", "JSON.stringify(process.env)", `"hunter2hunter2"`)
		leaked := w.do(t, "POST", w.path("/publish"), map[string]any{})
		if leaked.status != http.StatusUnprocessableEntity || !strings.Contains(leaked.body, "API_KEY") {
			t.Errorf("got %d %s, want the value that the site would show to be named", leaked.status, leaked.body)
		}
		var listed []struct{ Path string }
		w.call(t, http.StatusOK, "GET", w.path("/files"), nil, &listed)
		for _, file := range listed {
			if strings.HasPrefix(file.Path, "ran-") {
				t.Errorf("got %s, want no script run by an installation", file.Path)
			}
		}
	})
	t.Run("one that ends at once is told of", func(t *testing.T) {
		t.Parallel()
		w := s.createWith(t, plainServer("console.error('no such luck'); process.exit(7)", ""))
		got := w.await(t, "broken", wrong).Diagnostics[0]
		if !strings.Contains(got.Message, "exit code 7") || !strings.Contains(got.Message, "no such luck") {
			t.Errorf("got %+v, want how it ended", got)
		}
		w.write(t, "server.js", answering)
		w.await(t, "mended", ready)
	})
	t.Run("a package that does not exist is named", func(t *testing.T) {
		t.Parallel()
		w := s.createWith(t, plainServer(answering, `"@atelierhq/there-is-no-such-package": "^1.0.0"`))
		got := w.await(t, "broken", wrong).Diagnostics[0]
		if got.Path != "package.json" || got.Line != 1 || got.Column < 50 {
			t.Errorf("got %+v, want the entry of package.json", got)
		}
	})
	t.Run("a build that leaves no site says so", func(t *testing.T) {
		t.Parallel()
		files := plainServer(answering, "")
		files["build.js"] = ""
		w := s.createWith(t, files)
		got := w.do(t, "POST", w.path("/publish"), map[string]any{})
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "adapter-static") {
			t.Errorf("got %d %s, want what to do", got.status, got.body)
		}
	})
}

func TestWithoutASandboxTheOthersGoOn(t *testing.T) {
	s := start(t, "SANDBOX=off")
	w := s.createWith(t, plainServer(answering, ""))
	for _, path := range []string{"/preview", "/publish"} {
		got := w.do(t, "POST", w.path(path), map[string]any{})
		if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"sandbox_unavailable"`) || !strings.Contains(got.body, "install bubblewrap and nodejs") {
			t.Errorf("%s: got %d %s, want 503 with what to install", path, got.status, got.body)
		}
	}
	static := s.create(t, "static-html")
	if got := static.await(t, "ready", ready); got.Runtime != "static" {
		t.Errorf("got runtime %q, want static", got.Runtime)
	}
	if page := s.do(t, "GET", static.publish(t)+"/", nil); page.status != http.StatusOK {
		t.Errorf("got %d, want the site", page.status)
	}
}
