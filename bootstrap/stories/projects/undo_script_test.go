package projects_test

import (
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// editing are the calls that change one place in a file.
func editing(path, old, new string) []storytest.ToolCall {
	return []storytest.ToolCall{storytest.Calls("read_file", "path", path), storytest.Calls("edit_file", "path", path, "oldText", old, "newText", new)}
}

// changedIn returns the paths that a version changed, sorted.
func changedIn(w *storytest.Work, version string) string {
	w.T.Helper()
	var paths []string
	_, changes, err := w.App.Pipeline.Changes(w.T.Context(), w.ID, version)
	if err != nil {
		w.T.Fatal(err)
	}
	for _, change := range changes {
		paths = append(paths, change.Path.String())
	}
	return strings.Join(paths, " ")
}

func undo(w *storytest.Work, version string) storytest.Answer {
	w.T.Helper()
	return w.Do(http.MethodPost, w.Path("/versions/"+version+"/undo"), nil)
}
