package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core/domains"
)

// listDomains answers GET /domains/project/:projectId.
func listDomains(service *domains.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		claims, err := service.List(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return writeItems(w, claims)
	}
}

// addDomain answers POST /domains/project/:projectId.
func addDomain(service *domains.Service) Handler {
	type request struct {
		Domain string `json:"domain"`
	}
	return func(w http.ResponseWriter, r *Request) error {
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
		return writeJSON(w, http.StatusCreated, claim)
	}
}

// verifyDomain answers POST /domains/:domainId/verify with what became of the claim.
func verifyDomain(service *domains.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("domainId")
		if err != nil {
			return err
		}
		claim, err := service.Verify(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, claim)
	}
}

// makeDomainPrimary answers POST /domains/:domainId/primary.
func makeDomainPrimary(service *domains.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("domainId")
		if err != nil {
			return err
		}
		claim, err := service.MakePrimary(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, claim)
	}
}

// deleteDomain answers DELETE /domains/:domainId.
func deleteDomain(service *domains.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("domainId")
		if err != nil {
			return err
		}
		if err := service.Remove(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return writeNothing(w)
	}
}
