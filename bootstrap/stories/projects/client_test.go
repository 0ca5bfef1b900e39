package projects_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestTheClientInTypeScript uses the file that the service offers at /sdk.ts: the compiler takes
// it, as strict as it can be, and a program with it works in Node.js.
func TestTheClientInTypeScript(t *testing.T) {
	t.Parallel()
	owner := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp()
	program, err := os.ReadFile("testdata/client.ts")
	if err != nil {
		t.Fatal(err)
	}
	w := owner.Create("static-html")
	w.Put("src/sdk.ts", string(owner.Must(http.StatusOK, http.MethodGet, "/sdk.ts", nil, nil).Body))
	w.Put("src/main.ts", string(program))
	w.Put("index.html", `<!doctype html><script type="module" src="/src/main.ts"></script>`)
	w.Put("tsconfig.json", `{"compilerOptions": {"strict": true, "noUnusedLocals": true, "noUnusedParameters": true, "exactOptionalPropertyTypes": false, "target": "ES2022",
		"module": "ESNext", "moduleResolution": "bundler", "lib": ["ES2023", "DOM", "DOM.Iterable"], "types": [], "noEmit": true}, "include": ["src"]}`)
	if got := typeErrors(w); len(got) != 0 {
		t.Fatalf("got %+v, want a client without type errors", got)
	}

	script := filepath.Join(t.TempDir(), "main.mjs")
	if err := os.WriteFile(script, bundled(w), 0o600); err != nil {
		t.Fatal(err)
	}
	var made struct{ Token string }
	owner.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "program", "scopes": core.Scopes()}, &made)
	node := exec.CommandContext(t.Context(), "node", script)
	node.Env = []string{"PATH=" + os.Getenv("PATH"), "URL=" + owner.URL, "TOKEN=" + made.Token, "WORKSPACE=" + string(owner.Workspace)}
	var mistakes strings.Builder
	node.Stderr = &mistakes
	said, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &mistakes)
	}
	const want = `{"files":true,"text":"<h1>Hello</h1>","found":"By a program","kinds":["done"],"refusal":"400 validation_failed"}`
	if string(said) != want+"\n" {
		t.Errorf("got %s, want %s", said, want)
	}
}

// bundled publishes a project, and returns the script of its page.
func bundled(w *storytest.Work) []byte {
	w.T.Helper()
	var site struct{ URL string }
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{"slug": "client-" + string(w.ID)[:8]}, &site)
	page := w.Fetch(site.URL + "/").Body
	script := regexp.MustCompile(`src="([^"]+\.js)"`).FindSubmatch(page)
	if script == nil {
		w.T.Fatalf("got %s, want a page with a script", page)
	}
	return w.Fetch(site.URL + string(script[1])).Body
}
