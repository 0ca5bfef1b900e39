package backends

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

// ListSnapshots answers GET /projects/:projectId/backend/:env/snapshots.
func ListSnapshots(service *backends.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		found, err := service.ListSnapshots(r.Context(), r.Actor, at)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	}
}

// CreateSnapshot answers POST /projects/:projectId/backend/:env/snapshots.
func CreateSnapshot(service *backends.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		made, err := service.CreateSnapshot(r.Context(), r.Actor, at)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, made)
	}
}

// RestoreSnapshot answers POST /projects/:projectId/backend/:env/snapshots/:snapshotId/restore.
func RestoreSnapshot(service *backends.Service) rest.Handler {
	return withSnapshot(service, (*backends.Service).RestoreSnapshot)
}

// DeleteSnapshot answers DELETE /projects/:projectId/backend/:env/snapshots/:snapshotId.
func DeleteSnapshot(service *backends.Service) rest.Handler {
	return withSnapshot(service, (*backends.Service).DeleteSnapshot)
}

// withSnapshot answers a request by what do does with the snapshot that its path names.
func withSnapshot(service *backends.Service, do func(s *backends.Service, ctx context.Context, by core.Actor, at backend.Place, id core.ID) error) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		id, err := r.ID("snapshotId")
		if err != nil {
			return err
		}
		if err := do(service, r.Context(), r.Actor, at, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
