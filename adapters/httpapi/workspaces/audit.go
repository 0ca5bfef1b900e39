package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
)

// ListAudit answers GET /workspaces/:wid/audit.
func ListAudit(log *audit.Log, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		return writeAudit(w, cursors, "audit of "+string(workspace), query, func(page core.Page) ([]core.AuditEntry, error) {
			return log.List(r.Context(), r.Actor, workspace, page)
		})
	}
}

// ListOwnAudit answers GET /auth/me/audit.
func ListOwnAudit(log *audit.Log, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		return writeAudit(w, cursors, "audit of the person "+string(r.Actor.UserID), query, func(page core.Page) ([]core.AuditEntry, error) {
			return log.Own(r.Context(), r.Actor, page)
		})
	}
}

// ListInstanceAudit answers GET /admin/audit.
func ListInstanceAudit(log *audit.Log, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		return writeAudit(w, cursors, "audit of the installation", query, func(page core.Page) ([]core.AuditEntry, error) {
			return log.Instance(r.Context(), r.Actor, page)
		})
	}
}

// writeAudit answers with a page of an audit log.
func writeAudit(w http.ResponseWriter, cursors rest.Cursors, list string, query map[string]string, read func(core.Page) ([]core.AuditEntry, error)) error {
	page, err := cursors.Page(list, query)
	if err != nil {
		return err
	}
	limit := page.Limit
	page.Limit++
	found, err := read(page)
	if err != nil {
		return err
	}
	next := ""
	if len(found) > limit {
		found = found[:limit]
		next = cursors.Position(list, core.Position{CreatedAt: found[limit-1].CreatedAt, ID: found[limit-1].ID})
	}
	return rest.WritePage(w, found, next)
}
