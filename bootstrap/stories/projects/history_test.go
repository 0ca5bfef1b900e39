package projects_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// saved writes a file, or removes it where there is no content, and makes a version.
func saved(w *storytest.Work, path, content string) core.Version {
	w.T.Helper()
	if content == "" {
		w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/files/"+path), nil, nil)
	} else if got := w.Do(http.MethodPut, w.Path("/files/"+path), strings.NewReader(content)); got.Status/100 != 2 {
		w.T.Fatalf("got %d %s", got.Status, got.Body)
	}
	var made core.Version
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions"), storytest.Fields{"message": path}, &made)
	return made
}

// historyOf are the ids of the versions that changed a path.
func historyOf(w *storytest.Work, path string) []string {
	w.T.Helper()
	var ids []string
	for cursor := ""; ; {
		var page struct {
			Items      []core.Version
			NextCursor *string
		}
		w.Must(http.StatusOK, http.MethodGet, w.Path("/versions?limit=2&path="+path+cursor), nil, &page)
		for _, version := range page.Items {
			ids = append(ids, version.ID)
		}
		if page.NextCursor == nil {
			return ids
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// TestAFileHasAHistory reads earlier contents of a file, on every program.
func TestAFileHasAHistory(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w := s.SignUp().Create("static-html")
			one := saved(w, "notes/a.txt", "one")
			other := saved(w, "b.txt", "x")
			two := saved(w, "notes/a.txt", "two")
			three := saved(w, "notes/c.txt", "y")
			gone := saved(w, "notes/a.txt", "")
			for path, want := range map[string][]string{
				"notes/a.txt": {gone.ID, two.ID, one.ID}, "notes": {gone.ID, three.ID, two.ID, one.ID}, "b.txt": {other.ID}, "none": nil,
			} {
				if got := historyOf(w, path); !slices.Equal(got, want) {
					t.Errorf("%s: got %v, want %v", path, got, want)
				}
			}
			at := func(version core.Version, path string) string {
				return w.Path("/versions/" + version.ID + "/files/" + path)
			}
			first := w.Must(http.StatusOK, http.MethodGet, at(other, "notes/a.txt"), nil, nil)
			if string(first.Body) != "one" || first.Header.Get("Content-Type") != "text/plain; charset=utf-8" || first.Header.Get("ETag") == "" ||
				!strings.Contains(first.Header.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("got %q with %v, want the file as it was, disarmed", first.Body, first.Header)
			}
			if got := w.Must(http.StatusOK, http.MethodGet, at(two, "notes/a.txt"), nil, nil); string(got.Body) != "two" {
				t.Errorf("got %q, want two", got.Body)
			}
			for target, want := range map[string]int{
				at(gone, "notes/a.txt"): 404, at(one, "notes"): 404, at(one, "b.txt"): 404, at(core.Version{ID: strings.Repeat("0", 40)}, "b.txt"): 404,
				at(core.Version{ID: "main"}, "b.txt"): 404, at(one, "..%2fx"): 400, w.Path("/versions?path=../x"): 400, w.Path("/versions?path="): 400,
			} {
				if got := w.Do(http.MethodGet, target, nil); got.Status != want {
					t.Errorf("%s: got %d %s, want %d", target, got.Status, got.Body, want)
				}
			}
			if got := s.SignUp().Do(http.MethodGet, at(one, "notes/a.txt"), nil); got.Status != http.StatusNotFound {
				t.Errorf("a stranger: got %d, want 404", got.Status)
			}
		})
	}
}
