package instance

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// ListAIProviders answers GET /admin/ai-providers.
func ListAIProviders(providers models.SharedProviders) rest.Handler {
	type response struct {
		Items []core.PlatformProvider `json:"items"`
		Fixed *models.FixedProvider   `json:"fixed"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		items, fixed, err := providers.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, response{rest.EmptyIfNil(items), fixed})
	}
}

// CreateAIProvider answers POST /admin/ai-providers.
func CreateAIProvider(providers models.SharedProviders) rest.Handler {
	type request struct {
		Kind          string             `json:"kind"`
		Name          string             `json:"name"`
		BaseURL       *string            `json:"baseUrl,omitempty"`
		APIKey        *string            `json:"apiKey,omitempty"`
		DefaultModel  *string            `json:"defaultModel,omitempty"`
		ContextTokens rest.Optional[int] `json:"contextTokens,omitempty"`
		IsDefault     *bool              `json:"isDefault,omitempty"`
		Enabled       *bool              `json:"enabled,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		kind, err := core.ParseProviderKind(body.Kind)
		if err != nil {
			return err
		}
		created, err := providers.Create(r.Context(), r.Actor, models.SharedInput{
			ProviderInput: models.ProviderInput{
				Kind: kind, Name: &body.Name, BaseURL: body.BaseURL, APIKey: body.APIKey,
				DefaultModel: body.DefaultModel, ContextTokens: body.ContextTokens.OrAbsent(), IsDefault: body.IsDefault,
			},
			Enabled: body.Enabled,
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, created)
	}
}

// UpdateAIProvider answers PATCH /admin/ai-providers/:id. null clears optional members.
func UpdateAIProvider(providers models.SharedProviders) rest.Handler {
	type request struct {
		Name          *string               `json:"name,omitempty"`
		BaseURL       rest.Optional[string] `json:"baseUrl,omitempty"`
		APIKey        rest.Optional[string] `json:"apiKey,omitempty"`
		DefaultModel  rest.Optional[string] `json:"defaultModel,omitempty"`
		ContextTokens rest.Optional[int]    `json:"contextTokens,omitempty"`
		IsDefault     *bool                 `json:"isDefault,omitempty"`
		Enabled       *bool                 `json:"enabled,omitempty"`
	}
	return rest.WithBody("id", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		updated, err := providers.Update(r.Context(), r.Actor, id, models.SharedInput{
			ProviderInput: models.ProviderInput{
				Name: body.Name, BaseURL: body.BaseURL.OrZero(), APIKey: body.APIKey.OrZero(),
				DefaultModel: body.DefaultModel.OrZero(), ContextTokens: body.ContextTokens.OrAbsent(), IsDefault: body.IsDefault,
			},
			Enabled: body.Enabled,
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, updated)
	})
}

// DeleteAIProvider answers DELETE /admin/ai-providers/:id.
func DeleteAIProvider(providers models.SharedProviders) rest.Handler {
	return rest.NothingByID("id", providers.Delete)
}

// TestAIProvider answers POST /admin/ai-providers/:id/test.
func TestAIProvider(providers models.SharedProviders) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		result, err := providers.Test(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, result)
	}
}

// ListAIModels answers GET /admin/ai-providers/:id/models.
func ListAIModels(providers models.SharedProviders) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		offers, err := providers.Models(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, offers)
	}
}
