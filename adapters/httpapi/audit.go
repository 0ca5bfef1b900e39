package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
)

// listAudit answers GET /workspaces/:wid/audit.
func listAudit(log *audit.Log, cursors cursors) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		list := "audit of " + string(workspace)
		page, err := cursors.page(list, query)
		if err != nil {
			return err
		}
		limit := page.Limit
		page.Limit++
		found, err := log.List(r.Context(), r.Actor, workspace, page)
		if err != nil {
			return err
		}
		next := ""
		if len(found) > limit {
			found = found[:limit]
			next = cursors.position(list, core.Position{CreatedAt: found[limit-1].CreatedAt, ID: found[limit-1].ID})
		}
		return writePage(w, found, next)
	}
}
