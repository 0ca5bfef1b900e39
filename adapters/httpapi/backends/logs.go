package backends

import (
	"fmt"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/ports/storage"
)

// ListCalls answers GET /projects/:projectId/backend/:env/logs.
func ListCalls(log *calllog.Log, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		filter, err := callFilter(query)
		if err != nil {
			return err
		}
		list := fmt.Sprintf("calls of %s %s %s %t", at.Project, at.Env, filter.Kind, filter.Failed)
		page, err := cursors.Page(list, query)
		if err != nil {
			return err
		}
		limit := page.Limit
		page.Limit++
		found, err := log.List(r.Context(), r.Actor, at, filter, page)
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

// callFilter reads kind and failed.
func callFilter(query rest.Query) (filter storage.CallFilter, err error) {
	if kind, given := query["kind"]; given {
		if filter.Kind, err = core.ParseCallKind(kind); err != nil {
			return filter, err
		}
	}
	filter.Failed, err = query.Bool("failed")
	return filter, err
}
