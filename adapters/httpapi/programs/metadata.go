package programs

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/programs"
)

// The only choices that there are.
const (
	typeCode   = "code"
	authNone   = "none"
	grantCode  = "authorization_code"
	grantRenew = "refresh_token"
)

// resource describes the tools (RFC 9728).
type resource struct {
	Resource string       `json:"resource"`
	Name     string       `json:"resource_name"`
	Servers  []string     `json:"authorization_servers"`
	Scopes   []core.Scope `json:"scopes_supported"`
	Methods  []string     `json:"bearer_methods_supported"`
	Manual   string       `json:"resource_documentation"`
}

// Resource answers GET /.well-known/oauth-protected-resource, with and without /mcp.
func Resource(service *programs.Service) rest.Handler {
	return func(w http.ResponseWriter, _ *rest.Request) error {
		return rest.WriteJSON(w, http.StatusOK, resource{
			Resource: service.Resource(), Name: "Atelier", Servers: []string{service.Issuer()}, Scopes: core.Scopes(),
			Methods: []string{"header"}, Manual: service.Issuer() + "/docs",
		})
	}
}

// issuer describes the authorisation server (RFC 8414).
type issuer struct {
	Issuer         string       `json:"issuer"`
	Authorization  string       `json:"authorization_endpoint"`
	Token          string       `json:"token_endpoint"`
	Registration   string       `json:"registration_endpoint"`
	Revocation     string       `json:"revocation_endpoint"`
	Scopes         []core.Scope `json:"scopes_supported"`
	ResponseTypes  []string     `json:"response_types_supported"`
	ResponseModes  []string     `json:"response_modes_supported"`
	GrantTypes     []string     `json:"grant_types_supported"`
	TokenAuth      []string     `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth []string     `json:"revocation_endpoint_auth_methods_supported"`
	Challenges     []string     `json:"code_challenge_methods_supported"`
	Manual         string       `json:"service_documentation"`
	// NamesIssuer is RFC 9207, ReadsDocuments client ID metadata documents.
	NamesIssuer    bool `json:"authorization_response_iss_parameter_supported"`
	ReadsDocuments bool `json:"client_id_metadata_document_supported"`
}

// Issuer answers GET /.well-known/oauth-authorization-server, and the same at
// /.well-known/openid-configuration, where programs look below the path of a service.
func Issuer(service *programs.Service) rest.Handler {
	return func(w http.ResponseWriter, _ *rest.Request) error {
		at := service.Issuer()
		return rest.WriteJSON(w, http.StatusOK, issuer{
			Issuer: at, Authorization: at + "/oauth/authorize", Token: at + "/oauth/token", Registration: at + "/oauth/register",
			Revocation: at + "/oauth/revoke", Scopes: core.Scopes(), ResponseTypes: []string{typeCode}, ResponseModes: []string{"query"},
			GrantTypes: []string{grantCode, grantRenew}, TokenAuth: []string{authNone}, RevocationAuth: []string{authNone},
			Challenges: []string{"S256"}, Manual: at + "/docs", NamesIssuer: true, ReadsDocuments: true,
		})
	}
}
