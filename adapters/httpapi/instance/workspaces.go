package instance

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
)

// ListWorkspaces answers GET /admin/workspaces.
func ListWorkspaces(spaces *instance.Spaces, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		const list = "workspaces of the installation"
		text, page, err := searched(r, cursors, list)
		if err != nil {
			return err
		}
		limit := page.Limit
		page.Limit++
		found, err := spaces.List(r.Context(), r.Actor, text, page)
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
}

// UpdateWorkspace answers PATCH /admin/workspaces/:wid.
func UpdateWorkspace(spaces *instance.Spaces) rest.Handler {
	type request struct {
		CreditLimit rest.Optional[float64]    `json:"creditLimit,omitempty"`
		Quotas      map[core.QuotaName]*int64 `json:"quotas,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		space, err := spaces.Update(r.Context(), r.Actor, id, instance.SpaceChange{Credit: body.CreditLimit.OrAbsent(), Quotas: body.Quotas})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, space)
	})
}
