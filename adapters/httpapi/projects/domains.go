package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/domains"
)

// ListDomains answers GET /domains/project/:projectId.
func ListDomains(service *domains.Service) rest.Handler {
	return rest.ItemsByID("projectId", service.List)
}

// AddDomain answers POST /domains/project/:projectId.
func AddDomain(service *domains.Service) rest.Handler {
	type request struct {
		Domain string `json:"domain"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		claim, err := service.Add(r.Context(), r.Actor, project, body.Domain)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, claim)
	})
}

// VerifyDomain answers POST /domains/:domainId/verify with the result of the check.
func VerifyDomain(service *domains.Service) rest.Handler {
	return rest.ByID("domainId", http.StatusOK, service.Verify)
}

// MakeDomainPrimary answers POST /domains/:domainId/primary.
func MakeDomainPrimary(service *domains.Service) rest.Handler {
	return rest.ByID("domainId", http.StatusOK, service.MakePrimary)
}

// DeleteDomain answers DELETE /domains/:domainId.
func DeleteDomain(service *domains.Service) rest.Handler {
	return rest.NothingByID("domainId", service.Remove)
}
