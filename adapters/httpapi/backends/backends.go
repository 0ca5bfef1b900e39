package backends

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
)

// Get answers GET /projects/:projectId/backend.
func Get(service *backends.Service) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, service.Status)
}

func writeStatus(w http.ResponseWriter, r *rest.Request, service *backends.Service, project core.ID) error {
	status, err := service.Status(r.Context(), r.Actor, project)
	if err != nil {
		return err
	}
	return rest.WriteJSON(w, http.StatusOK, status)
}

// ApplyPending answers POST /projects/:projectId/backend/test/apply with the new state.
func ApplyPending(service *backends.Service) rest.Handler {
	type request struct {
		PlanID core.ID `json:"planId"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		if err := service.ApplyPending(r.Context(), r.Actor, project, body.PlanID); err != nil {
			return err
		}
		return writeStatus(w, r, service, project)
	})
}

// Propose answers POST /projects/:projectId/backend/proposal with a schema file that is not saved.
func Propose(service *backends.Service) rest.Handler {
	type request struct {
		SQL string `json:"sql"`
	}
	type response struct {
		Schema string   `json:"schema"`
		Added  []string `json:"added"`
		Notes  []string `json:"notes,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		made, err := service.Propose(r.Context(), r.Actor, project, body.SQL)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, response{made.Schema, made.Added, rest.InWords(made.Notes, r.Actor.Language)})
	})
}

// Reset answers POST /projects/:projectId/backend/test/reset. The body is optional.
func Reset(service *backends.Service) rest.Handler {
	type request struct {
		Seed bool `json:"seed,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var body request
		if r.HasBody() {
			if err := r.Decode(&body); err != nil {
				return err
			}
		}
		if err := service.Reset(r.Context(), r.Actor, project, body.Seed); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// ListMails answers GET /projects/:projectId/backend/test/mails.
func ListMails(service *backends.Service) rest.Handler {
	return rest.ItemsByID("projectId", service.Mails)
}
