package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/workspaces"
)

// ListProviders answers GET /workspaces/:wid/ai-providers.
func ListProviders(providers *models.Providers) rest.Handler {
	type response struct {
		Items       []core.Provider       `json:"items"`
		Platform    []models.LentProvider `json:"platform"`
		DefaultKind *core.ProviderKind    `json:"defaultKind"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		items, err := providers.List(r.Context(), r.Actor, workspace)
		if err != nil {
			return err
		}
		lent, err := providers.Lent(r.Context())
		if err != nil {
			return err
		}
		body := response{Items: rest.EmptyIfNil(items), Platform: lent}
		if kind := providers.DefaultKind(r.Context(), items); kind != "" {
			body.DefaultKind = &kind
		}
		return rest.WriteJSON(w, http.StatusOK, body)
	}
}

// CreateProvider answers POST /workspaces/:wid/ai-providers.
func CreateProvider(providers *models.Providers) rest.Handler {
	type request struct {
		Kind          string             `json:"kind"`
		Name          string             `json:"name"`
		BaseURL       *string            `json:"baseUrl,omitempty"`
		APIKey        *string            `json:"apiKey,omitempty"`
		DefaultModel  *string            `json:"defaultModel,omitempty"`
		ContextTokens rest.Optional[int] `json:"contextTokens,omitempty"`
		IsDefault     *bool              `json:"isDefault,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		kind, err := core.ParseProviderKind(body.Kind)
		if err != nil {
			return err
		}
		created, err := providers.Create(r.Context(), r.Actor, workspace, models.ProviderInput{
			Kind: kind, Name: &body.Name, BaseURL: body.BaseURL, APIKey: body.APIKey,
			DefaultModel: body.DefaultModel, ContextTokens: body.ContextTokens.OrAbsent(), IsDefault: body.IsDefault,
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, created)
	})
}

// UpdateProvider answers PATCH /workspaces/:wid/ai-providers/:pid. null clears optional
// members.
func UpdateProvider(providers *models.Providers) rest.Handler {
	type request struct {
		Name          *string               `json:"name,omitempty"`
		BaseURL       rest.Optional[string] `json:"baseUrl,omitempty"`
		APIKey        rest.Optional[string] `json:"apiKey,omitempty"`
		DefaultModel  rest.Optional[string] `json:"defaultModel,omitempty"`
		ContextTokens rest.Optional[int]    `json:"contextTokens,omitempty"`
		IsDefault     *bool                 `json:"isDefault,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := providerParams(r)
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		updated, err := providers.Update(r.Context(), r.Actor, workspace, id, models.ProviderInput{
			Name: body.Name, BaseURL: body.BaseURL.OrZero(), APIKey: body.APIKey.OrZero(),
			DefaultModel: body.DefaultModel.OrZero(), ContextTokens: body.ContextTokens.OrAbsent(), IsDefault: body.IsDefault,
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, updated)
	}
}

// DeleteProvider answers DELETE /workspaces/:wid/ai-providers/:pid.
func DeleteProvider(providers *models.Providers) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := providerParams(r)
		if err != nil {
			return err
		}
		if err := providers.Delete(r.Context(), r.Actor, workspace, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// TestProvider answers POST /workspaces/:wid/ai-providers/:pid/test.
func TestProvider(providers *models.Providers) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := providerParams(r)
		if err != nil {
			return err
		}
		result, err := providers.Test(r.Context(), r.Actor, workspace, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, result)
	}
}

// ListModels answers GET /workspaces/:wid/ai-providers/:pid/models.
func ListModels(providers *models.Providers) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := providerParams(r)
		if err != nil {
			return err
		}
		models, err := providers.Models(r.Context(), r.Actor, workspace, id)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, models)
	}
}

// Usage answers GET /workspaces/:wid/usage.
func Usage(providers *models.Providers, service *workspaces.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("wid")
		if err != nil {
			return err
		}
		workspace, rows, err := providers.Usage(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		limits, err := service.Limits(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, map[string]any{
			"quotas": limits, "creditLimit": workspace.CreditLimit, "creditUsed": workspace.CreditUsed, "items": rest.EmptyIfNil(rows),
		})
	}
}

func providerParams(r *rest.Request) (workspace, id core.ID, err error) {
	if workspace, err = r.ID("wid"); err != nil {
		return "", "", err
	}
	id, err = r.ID("pid")
	return workspace, id, err
}
