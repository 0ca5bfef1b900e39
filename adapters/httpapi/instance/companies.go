package instance

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/companysignin"
)

// companyChange is a change of a provider. An absent field is left unchanged.
type companyChange struct {
	Name         *string              `json:"name,omitempty"`
	Issuer       *string              `json:"issuer,omitempty"`
	ClientID     *string              `json:"clientId,omitempty"`
	ClientSecret *string              `json:"clientSecret,omitempty"`
	Scopes       *[]string            `json:"scopes,omitempty"`
	Domains      *[]string            `json:"domains,omitempty"`
	GroupsClaim  *string              `json:"groupsClaim,omitempty"`
	Mappings     *[]core.GroupMapping `json:"mappings,omitempty"`
	Only         *bool                `json:"only,omitempty"`
}

func (b companyChange) input() companysignin.Input {
	return companysignin.Input{
		Name: b.Name, Issuer: b.Issuer, ClientID: b.ClientID, ClientSecret: b.ClientSecret, Scopes: b.Scopes,
		Domains: b.Domains, GroupsClaim: b.GroupsClaim, Mappings: b.Mappings, Only: b.Only,
	}
}

// ListCompanies answers GET /admin/identity-providers.
func ListCompanies(companies *companysignin.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		found, err := companies.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	}
}

// CreateCompany answers POST /admin/identity-providers.
func CreateCompany(companies *companysignin.Service) rest.Handler {
	type request struct {
		Slug         string               `json:"slug"`
		Name         string               `json:"name"`
		Issuer       string               `json:"issuer"`
		ClientID     string               `json:"clientId"`
		ClientSecret string               `json:"clientSecret"`
		Scopes       *[]string            `json:"scopes,omitempty"`
		Domains      *[]string            `json:"domains,omitempty"`
		GroupsClaim  *string              `json:"groupsClaim,omitempty"`
		Mappings     *[]core.GroupMapping `json:"mappings,omitempty"`
		Only         *bool                `json:"only,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		view, err := companies.Create(r.Context(), r.Actor, companysignin.Input{
			Slug: &body.Slug, Name: &body.Name, Issuer: &body.Issuer, ClientID: &body.ClientID, ClientSecret: &body.ClientSecret,
			Scopes: body.Scopes, Domains: body.Domains, GroupsClaim: body.GroupsClaim, Mappings: body.Mappings, Only: body.Only,
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, view)
	}
}

// UpdateCompany answers PATCH /admin/identity-providers/:id.
func UpdateCompany(companies *companysignin.Service) rest.Handler {
	return rest.WithBody("id", func(w http.ResponseWriter, r *rest.Request, id core.ID, body companyChange) error {
		view, err := companies.Update(r.Context(), r.Actor, id, body.input())
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, view)
	})
}

// DeleteCompany answers DELETE /admin/identity-providers/:id.
func DeleteCompany(companies *companysignin.Service) rest.Handler {
	return rest.NothingByID("id", companies.Delete)
}

// TestCompany answers POST /admin/identity-providers/:id/test.
func TestCompany(companies *companysignin.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		report, err := companies.Test(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, report)
	}
}
