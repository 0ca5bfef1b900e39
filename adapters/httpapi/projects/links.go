package projects

import (
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/looks"
)

// ListLinks answers GET /projects/:projectId/links.
func ListLinks(service *looks.Service) rest.Handler {
	return rest.ItemsByID("projectId", service.Shared)
}

// ShareLink answers POST /projects/:projectId/links.
func ShareLink(service *looks.Service) rest.Handler {
	type request struct {
		Name  string `json:"name,omitempty"`
		Hours int    `json:"hours"`
	}
	const most = int(core.MaxShareLifetime / time.Hour)
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		// More hours could overflow a duration.
		lifetime := time.Duration(min(max(body.Hours, 0), most+1)) * time.Hour
		made, err := service.Share(r.Context(), r.Actor, project, looks.Request{Name: body.Name, Lifetime: lifetime})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, made)
	})
}

// RevokeLink answers DELETE /projects/:projectId/links/:linkId.
func RevokeLink(service *looks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		link, err := r.ID("linkId")
		if err != nil {
			return err
		}
		if err := service.Revoke(r.Context(), r.Actor, project, link); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// LookAtVersion answers POST /projects/:projectId/versions/:sha/look.
func LookAtVersion(service *looks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		made, err := service.AtVersion(r.Context(), r.Actor, project, r.Param("sha"))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, made)
	}
}

// FindWorkingVersion answers POST /projects/:projectId/working-version. The body is optional.
func FindWorkingVersion(service *looks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		body := struct {
			Path string `json:"path"`
		}{Path: "/"}
		if r.HasBody() {
			if err := r.Decode(&body); err != nil {
				return err
			}
		}
		found, err := service.Working(r.Context(), r.Actor, project, body.Path)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, found)
	}
}

// LookAtDeployment answers POST /projects/:projectId/deployments/:deploymentId/look.
func LookAtDeployment(service *looks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		deployment, err := r.ID("deploymentId")
		if err != nil {
			return err
		}
		made, err := service.AtDeployment(r.Context(), r.Actor, project, deployment)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, made)
	}
}
