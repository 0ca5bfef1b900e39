package projects

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/httpapi/sse"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

// ShowPreview answers POST and GET /projects/:projectId/preview. Either starts the
// preview if it is not running.
func ShowPreview(previews *preview.Service) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, previews.Start)
}

// StopPreview answers DELETE /projects/:projectId/preview.
func StopPreview(previews *preview.Service) rest.Handler {
	return rest.NothingByID("projectId", previews.Stop)
}

// MovePreview answers POST /projects/:projectId/preview/move, which a page that has to leave the
// preview's former address makes through the studio.
func MovePreview(previews *preview.Service) rest.Handler {
	type request struct {
		Code string `json:"code"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		move, err := previews.Move(r.Context(), r.Actor, project, body.Code)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, move)
	})
}

// WatchPreview answers GET /projects/:projectId/preview/events. The stream ends when the
// service has nothing more to send to this watcher; browsers open another.
func WatchPreview(previews *preview.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		watching, leave := context.WithCancel(r.Context())
		defer leave()
		events, err := previews.Watch(watching, r.Actor, project)
		if err != nil {
			return err
		}
		stream, ctx := sse.Open(w, r)
		defer stream.Close()
		// A client that no longer receives no longer watches.
		defer context.AfterFunc(ctx, leave)()
		for event := range events {
			if err := stream.Send(0, event); err != nil {
				return nil
			}
		}
		return nil
	}
}
