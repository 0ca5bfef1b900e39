package programs

import (
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/programs"
)

// maxFormBytes bounds what programs send.
const maxFormBytes = 64 << 10

// failure is the body of an error of OAuth (RFC 6749, section 5.2).
type failure struct {
	Error       programs.Reason `json:"error"`
	Description string          `json:"error_description"`
}

// fail tells a program what it did wrong. Other errors are those of the API.
func fail(w http.ResponseWriter, err error, malformed programs.Reason) error {
	reason, refused := programs.ReasonOf(err)
	switch {
	case refused:
	case core.IsCode(err, core.CodeInvalidRequest):
		reason = malformed
	default:
		return err
	}
	return rest.WriteJSON(w, http.StatusBadRequest, failure{reason, err.Error()})
}

// client is a registered program (RFC 7591).
type client struct {
	ID            core.ID  `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name"`
	Redirects     []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

// Register answers POST /oauth/register.
func Register(service *programs.Service) rest.Handler {
	type request struct {
		Name          string   `json:"client_name"`
		Redirects     []string `json:"redirect_uris"`
		AuthMethod    string   `json:"token_endpoint_auth_method"`
		GrantTypes    []string `json:"grant_types"`
		ResponseTypes []string `json:"response_types"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.DecodeKnown(maxFormBytes, &body); err != nil {
			return fail(w, err, programs.InvalidClientMetadata)
		}
		made, err := service.Register(r.Context(), programs.Registration{
			Name: body.Name, Redirects: body.Redirects, AuthMethod: body.AuthMethod, GrantTypes: body.GrantTypes, ResponseTypes: body.ResponseTypes,
		})
		if err != nil {
			return fail(w, err, programs.InvalidClientMetadata)
		}
		return rest.WriteJSON(w, http.StatusCreated, client{
			ID: made.ID, IssuedAt: made.CreatedAt.Std().Unix(), Name: made.Name, Redirects: made.Redirects,
			GrantTypes: []string{grantCode, grantRenew}, ResponseTypes: []string{typeCode}, AuthMethod: authNone,
		})
	}
}

// grant is an answer with tokens (RFC 6749, section 5.1).
type grant struct {
	Access   string `json:"access_token"`
	Type     string `json:"token_type"`
	Lifetime int    `json:"expires_in"`
	Refresh  string `json:"refresh_token"`
	Scope    string `json:"scope"`
}

// Token answers POST /oauth/token.
func Token(service *programs.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		form, err := r.Form(maxFormBytes)
		if err != nil {
			return fail(w, err, programs.InvalidRequest)
		}
		tokens, err := service.Exchange(r.Context(), programs.Exchange{
			GrantType: form["grant_type"], ClientID: form["client_id"], Resource: form["resource"], Code: form["code"], Redirect: form["redirect_uri"],
			Verifier: form["code_verifier"], RefreshToken: form["refresh_token"], Scope: form["scope"], IP: r.Actor.IP,
		})
		if err != nil {
			return fail(w, err, programs.InvalidRequest)
		}
		return rest.WriteJSON(w, http.StatusOK, grant{
			Access: tokens.Access, Type: "Bearer", Lifetime: int(tokens.Lifetime.Seconds()), Refresh: tokens.Refresh, Scope: inWords(tokens.Scopes),
		})
	}
}

// Revoke answers POST /oauth/revoke (RFC 7009): 200 for whatever is no token, too.
func Revoke(service *programs.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		form, err := r.Form(maxFormBytes)
		if err != nil {
			return fail(w, err, programs.InvalidRequest)
		}
		if form["token"] == "" {
			return rest.WriteJSON(w, http.StatusBadRequest, failure{programs.InvalidRequest, "token is missing"})
		}
		if err := service.Revoke(r.Context(), form["token"], form["client_id"], r.Actor.IP); err != nil {
			return err
		}
		w.WriteHeader(http.StatusOK)
		return nil
	}
}

// inWords joins scopes as OAuth writes them.
func inWords(scopes []core.Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, " ")
}
