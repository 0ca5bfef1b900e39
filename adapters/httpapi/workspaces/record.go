package workspaces

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// recordOf reads which record of which workspace a path names: /workspaces/:wid/<kind>/:id.
func recordOf(r *rest.Request) (workspace, id core.ID, err error) {
	if workspace, err = r.ID("wid"); err != nil {
		return "", "", err
	}
	id, err = r.ID("id")
	return workspace, id, err
}

// onRecord answers with status and what do returns, as JSON, for a record of a workspace.
func onRecord[T any](status int, do func(ctx context.Context, by core.Actor, workspace, id core.ID) (T, error)) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := recordOf(r)
		if err != nil {
			return err
		}
		found, err := do(r.Context(), r.Actor, workspace, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, status, found)
	}
}

// deletesRecord deletes a record of a workspace.
func deletesRecord(do func(ctx context.Context, by core.Actor, workspace, id core.ID) error) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := recordOf(r)
		if err != nil {
			return err
		}
		if err := do(r.Context(), r.Actor, workspace, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
