package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/versions"
)

// historyPage is a request for a page of a file's history.
type historyPage struct {
	before string
	limit  int
	// cursor returns the cursor of the next page.
	cursor func(next string) string
}

// writeHistory answers GET /projects/:projectId/versions?path=.
func writeHistory(w http.ResponseWriter, r *rest.Request, history *projects.History, described *versions.Service, at core.FileAt, page historyPage) error {
	found, next, err := history.HistoryOf(r.Context(), r.Actor, at, page.before, page.limit)
	if err != nil {
		return err
	}
	listed, err := described.Describe(r.Context(), r.Actor, at.Project, found)
	if err != nil {
		return err
	}
	answer := versionPage{Items: rest.EmptyIfNil(listed)}
	if next != "" {
		answer.NextCursor = new(page.cursor(next))
	}
	return rest.WriteJSON(w, http.StatusOK, answer)
}
