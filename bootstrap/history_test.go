package bootstrap_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// saved writes a file, or removes it where there is no content, and makes a version.
func (w *work) saved(path, content string) core.Version {
	w.t.Helper()
	if content == "" {
		w.must(http.StatusNoContent, http.MethodDelete, w.path("/files/"+path), nil, nil)
	} else if got := w.do(http.MethodPut, w.path("/files/"+path), strings.NewReader(content)); got.status/100 != 2 {
		w.t.Fatalf("got %d %s", got.status, got.body)
	}
	var made core.Version
	w.must(http.StatusCreated, http.MethodPost, w.path("/versions"), fields{"message": path}, &made)
	return made
}

// historyOf are the ids of the versions that changed a path.
func (w *work) historyOf(path string) []string {
	w.t.Helper()
	var ids []string
	for cursor := ""; ; {
		var page struct {
			Items      []core.Version
			NextCursor *string
		}
		w.must(http.StatusOK, http.MethodGet, w.path("/versions?limit=2&path="+path+cursor), nil, &page)
		for _, version := range page.Items {
			ids = append(ids, version.ID)
		}
		if page.NextCursor == nil {
			return ids
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// TestAFileHasAHistory reads what a file was, on every program.
func TestAFileHasAHistory(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w := s.signUp().create("static-html")
			one := w.saved("notes/a.txt", "one")
			other := w.saved("b.txt", "x")
			two := w.saved("notes/a.txt", "two")
			three := w.saved("notes/c.txt", "y")
			gone := w.saved("notes/a.txt", "")
			for path, want := range map[string][]string{
				"notes/a.txt": {gone.ID, two.ID, one.ID}, "notes": {gone.ID, three.ID, two.ID, one.ID}, "b.txt": {other.ID}, "none": nil,
			} {
				if got := w.historyOf(path); !slices.Equal(got, want) {
					t.Errorf("%s: got %v, want %v", path, got, want)
				}
			}
			at := func(version core.Version, path string) string {
				return w.path("/versions/" + version.ID + "/files/" + path)
			}
			first := w.must(http.StatusOK, http.MethodGet, at(other, "notes/a.txt"), nil, nil)
			if string(first.body) != "one" || first.header.Get("Content-Type") != "text/plain; charset=utf-8" || first.header.Get("ETag") == "" ||
				!strings.Contains(first.header.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("got %q with %v, want the file as it was, disarmed", first.body, first.header)
			}
			if got := w.must(http.StatusOK, http.MethodGet, at(two, "notes/a.txt"), nil, nil); string(got.body) != "two" {
				t.Errorf("got %q, want two", got.body)
			}
			for target, want := range map[string]int{
				at(gone, "notes/a.txt"): 404, at(one, "notes"): 404, at(one, "b.txt"): 404, at(core.Version{ID: strings.Repeat("0", 40)}, "b.txt"): 404,
				at(core.Version{ID: "main"}, "b.txt"): 404, at(one, "..%2fx"): 400, w.path("/versions?path=../x"): 400, w.path("/versions?path="): 400,
			} {
				if got := w.do(http.MethodGet, target, nil); got.status != want {
					t.Errorf("%s: got %d %s, want %d", target, got.status, got.body, want)
				}
			}
			if got := s.signUp().do(http.MethodGet, at(one, "notes/a.txt"), nil); got.status != http.StatusNotFound {
				t.Errorf("a stranger: got %d, want 404", got.status)
			}
		})
	}
}
