package account

import (
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// ListAPITokens answers GET /auth/api-tokens.
func ListAPITokens(tokens *accounts.APITokens) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		listed, err := tokens.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, listed)
	}
}

// CreateAPIToken answers POST /auth/api-tokens. Only this answer contains the token
// itself.
func CreateAPIToken(tokens *accounts.APITokens) rest.Handler {
	type request struct {
		Name      string                `json:"name"`
		Scopes    []string              `json:"scopes"`
		ExpiresAt rest.Optional[string] `json:"expiresAt,omitempty"`
	}
	type answer struct {
		core.APIToken
		Token string `json:"token"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		expiresAt, err := instant("expiresAt", body.ExpiresAt.Value)
		if err != nil {
			return err
		}
		token, secret, err := tokens.Create(r.Context(), r.Actor, accounts.NewAPIToken{Name: body.Name, Scopes: body.Scopes, ExpiresAt: expiresAt})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, answer{token, secret})
	}
}

// instant parses a time that may be null. Another shape has code core.CodeInvalidRequest
// and names the member.
func instant(member string, text *string) (*core.Time, error) {
	if text == nil {
		return nil, nil
	}
	var parsed time.Time
	if err := parsed.UnmarshalText([]byte(*text)); err != nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "%s must be null or a time in RFC 3339", member)
	}
	at := core.At(parsed)
	return &at, nil
}

// DeleteAPIToken answers DELETE /auth/api-tokens/:id.
func DeleteAPIToken(tokens *accounts.APITokens) rest.Handler {
	return rest.NothingByID("id", tokens.Delete)
}
