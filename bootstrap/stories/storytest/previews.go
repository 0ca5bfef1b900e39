package storytest

import (
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// PreviewStatus is the preview's status.
type PreviewStatus struct {
	URL, Status string
	Diagnostics []core.Diagnostic
	Warnings    []core.Diagnostic
}

// Named finds the scripts that a page or a module names.
var Named = regexp.MustCompile(`(?:src="|from\s*"|import\s*")([./][^"]*)"`)

// Page is the preview's page with the scripts that it leads to.
func (w *Work) Page(preview string) string {
	w.T.Helper()
	var all strings.Builder
	seen := map[string]bool{}
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		part := w.Fetch(preview + queue[0])
		if part.Status != http.StatusOK {
			w.T.Fatalf("got %s as %d %.300s, want it up", queue[0], part.Status, part.Body)
		}
		all.Write(part.Body)
		for _, match := range Named.FindAllStringSubmatch(string(part.Body), -1) {
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

// AwaitPreview waits until the preview has one of the statuses.
func (w *Work) AwaitPreview(statuses ...string) PreviewStatus {
	w.T.Helper()
	var got PreviewStatus
	if !conformance.Becomes(func() bool {
		w.Must(http.StatusOK, http.MethodGet, w.Path("/preview"), nil, &got)
		return slices.Contains(statuses, got.Status)
	}) {
		w.T.Fatalf("got the preview %+v, want it %s", got, strings.Join(statuses, " or "))
	}
	return got
}

// Preview returns the address of the work's preview, as c sees it.
func (w *Work) Preview(c *Caller) string {
	w.T.Helper()
	var status struct{ URL string }
	c.Must(http.StatusOK, http.MethodPost, w.Path("/preview"), nil, &status)
	return status.URL
}
