package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
)

// Publish answers POST /projects/:projectId/publish. The body is optional.
func Publish(sites *publish.Service) rest.Handler {
	type request struct {
		Slug           *string   `json:"slug,omitempty"`
		AcceptDataLoss core.ID   `json:"acceptDataLoss,omitempty"`
		AcceptFindings []core.ID `json:"acceptFindings,omitempty"`
		IgnoreChecks   bool      `json:"ignoreChecks,omitempty"`
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
		published, err := sites.Publish(r.Context(), r.Actor, project, publish.Request(body))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, published)
	}
}

// Unpublish answers DELETE /projects/:projectId/publish.
func Unpublish(sites *publish.Service) rest.Handler {
	return rest.NothingByID("projectId", sites.Unpublish)
}

// ListDeployments answers GET /projects/:projectId/deployments.
func ListDeployments(sites *publish.Service) rest.Handler {
	return rest.ItemsByID("projectId", sites.Deployments)
}

// RollBack answers POST /projects/:projectId/deployments/:deploymentId/rollback with the
// new live deployment.
func RollBack(sites *publish.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		deployment, err := r.ID("deploymentId")
		if err != nil {
			return err
		}
		live, err := sites.Rollback(r.Context(), r.Actor, project, deployment)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, live)
	}
}
