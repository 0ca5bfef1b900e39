package bootstrap_test

import (
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// shown is the preview's status.
type shown struct {
	URL, Status string
	Diagnostics []core.Diagnostic
}

// await asks for the preview until it has the status.
func (w *work) await(status string) shown {
	w.t.Helper()
	var got shown
	for range 400 {
		w.must(http.StatusOK, http.MethodGet, w.path("/preview"), nil, &got)
		if got.Status == status {
			return got
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatalf("got the preview %+v, want it %s", got, status)
	return got
}

// named finds the scripts that a page or a module names.
var named = regexp.MustCompile(`(?:src="|from\s*"|import\s*")([./][^"]*)"`)

// page is the preview's page with the scripts that it leads to.
func (w *work) page(preview string) string {
	w.t.Helper()
	var all strings.Builder
	seen := map[string]bool{}
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		part := w.fetch(preview + queue[0])
		if part.status != http.StatusOK {
			w.t.Fatalf("got %s as %d %.300s, want it up", queue[0], part.status, part.body)
		}
		all.Write(part.body)
		for _, match := range named.FindAllStringSubmatch(string(part.body), -1) {
			next := path.Join(path.Dir(queue[0]), match[1])
			if strings.HasPrefix(match[1], "/") {
				next = match[1]
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return all.String()
}

func TestThePreviewShowsTheLastGoodStateWhileARunsTreeDoesNotBuild(t *testing.T) {
	script := "import { greeting } from './greeting.js'\ndocument.title = greeting\n"
	p := &screenplay{scripts: map[string][]toolCall{"Greet.": {
		calls("read_file", "path", "script.js"), calls("write_file", "path", "script.js", "content", script),
		calls("write_file", "path", "greeting.js", "content", "export const greeting = 'Bonjour from the run'\n"),
	}}}
	var w *work
	p.before = func(_ string, step int) {
		if step != 2 {
			return
		}
		status := w.await("error")
		if len(status.Diagnostics) == 0 || status.Diagnostics[0].Path != "script.js" {
			w.t.Errorf("got %+v, want it to say what is wrong", status)
		}
		if got := w.page(status.URL); !strings.Contains(got, "Good morning!") {
			w.t.Errorf("got %.1000s, want the page from before the run", got)
		}
	}
	w = serve(t, t.TempDir(), programs()["local"].make, p.env(t)).signUp().create(template)
	if got := w.page(w.await("ready").URL); !strings.Contains(got, "Good morning!") {
		t.Fatalf("got %.1000s, want the template's page", got)
	}
	run := w.run("Greet.")
	if got := w.page(w.await("ready").URL); !strings.Contains(got, "Bonjour from the run") {
		t.Errorf("got %.1000s, want the page that the run made", got)
	}
	w.mustUndo(run, "Greet.", 2)
	for range 400 {
		if strings.Contains(w.page(w.await("ready").URL), "Good morning!") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("got the run's page, want the one from before it after the undoing")
}
