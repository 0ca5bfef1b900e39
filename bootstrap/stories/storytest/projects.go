package storytest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// NewDomainName is one that nobody has claimed.
func NewDomainName() string { return "d" + string(core.NewID()) + ".example.com" }

// Files are the listed files with their contents.
func (w *Work) Files() map[string]string {
	w.T.Helper()
	var list []struct{ Path string }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/files"), nil, &list)
	all := map[string]string{}
	for _, file := range list {
		all[file.Path] = string(w.Must(http.StatusOK, http.MethodGet, w.Path("/files/"+file.Path), nil, nil).Body)
	}
	return all
}

// ProjectIDs are the projects that the caller sees.
func (c *Caller) ProjectIDs() []core.ID {
	c.T.Helper()
	var page struct{ Items []core.Project }
	c.Must(http.StatusOK, http.MethodGet, "/projects?limit=100", nil, &page)
	ids := make([]core.ID, len(page.Items))
	for i, project := range page.Items {
		ids[i] = project.ID
	}
	slices.Sort(ids)
	return ids
}

// WantFound searches the workspace and wants these projects, in this order.
func (c *Caller) WantFound(query string, want ...core.ID) {
	c.T.Helper()
	var page struct{ Items []core.Project }
	c.Must(http.StatusOK, http.MethodGet, "/projects"+query, nil, &page)
	var got []core.ID
	for _, project := range page.Items {
		got = append(got, project.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.T.Errorf("%s: got %v, want %v", query, got, want)
	}
}

// Put writes a file as a person does.
func (w *Work) Put(path, content string) {
	w.T.Helper()
	if got := w.Do(http.MethodPut, w.Path("/files/"+path), strings.NewReader(content)); got.Status != http.StatusOK && got.Status != http.StatusCreated {
		w.T.Fatalf("put %s: got %d %s", path, got.Status, got.Body)
	}
}

// WantFiles compares files with their contents; "-" means that the file does not exist.
func (w *Work) WantFiles(pairs ...string) {
	w.T.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		got := w.Do(http.MethodGet, w.Path("/files/"+pairs[i]), nil)
		if content := string(got.Body); (got.Status == http.StatusNotFound) != (pairs[i+1] == "-") || got.Status == http.StatusOK && content != pairs[i+1] {
			w.T.Errorf("%s: got %d %q, want %q", pairs[i], got.Status, content, pairs[i+1])
		}
	}
}

// Versions lists the project's versions, the newest first, without the very first.
func (w *Work) Versions() []core.Version {
	w.T.Helper()
	var page struct{ Items []core.Version }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/versions"), nil, &page)
	return page.Items[:len(page.Items)-1]
}

// WantVersions compares the versions with words like "agent 2 Make it blue".
func (w *Work) WantVersions(want ...string) {
	w.T.Helper()
	var got []string
	for _, v := range w.Versions() {
		got = append(got, fmt.Sprintf("%s %d %s", v.Author.Kind, v.FilesChanged, v.Message))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.T.Errorf("got the versions %q, want %q", got, want)
	}
}

// MustUndo undoes a version and checks the result.
func (w *Work) MustUndo(version, asked string, files int) core.Version {
	w.T.Helper()
	name := ""
	for _, known := range w.Versions() {
		if known.ID == version {
			name = known.Message
		}
	}
	if name == "" || strings.Contains(name, strings.TrimSuffix(asked, ".")+".") {
		w.T.Errorf("got a version called %q, want what changed and no word of %q, which was asked for in the chat", name, asked)
	}
	var made core.Version
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions/"+version+"/undo"), nil, &made)
	if made.Message != "Undo: "+name || made.Author.Kind != core.AuthorUser || made.FilesChanged != files || made.ChatID != nil {
		w.T.Errorf("got %+v, want the undoing of %q in %d files", made, name, files)
	}
	return made
}
