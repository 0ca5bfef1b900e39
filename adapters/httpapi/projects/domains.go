package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/domains"
)

// ListDomains answers GET /domains/project/:projectId.
func ListDomains(service *domains.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		claims, err := service.List(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, claims)
	}
}

// AddDomain answers POST /domains/project/:projectId.
func AddDomain(service *domains.Service) rest.Handler {
	type request struct {
		Domain string `json:"domain"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		claim, err := service.Add(r.Context(), r.Actor, project, body.Domain)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, claim)
	}
}

// VerifyDomain answers POST /domains/:domainId/verify with the result of the check.
func VerifyDomain(service *domains.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("domainId")
		if err != nil {
			return err
		}
		claim, err := service.Verify(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, claim)
	}
}

// MakeDomainPrimary answers POST /domains/:domainId/primary.
func MakeDomainPrimary(service *domains.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("domainId")
		if err != nil {
			return err
		}
		claim, err := service.MakePrimary(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, claim)
	}
}

// DeleteDomain answers DELETE /domains/:domainId.
func DeleteDomain(service *domains.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("domainId")
		if err != nil {
			return err
		}
		if err := service.Remove(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
