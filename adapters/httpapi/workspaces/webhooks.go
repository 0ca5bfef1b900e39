package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webhooks"
)

// ListWebhooks answers GET /workspaces/:wid/webhooks.
func ListWebhooks(service *webhooks.Service) rest.Handler { return rest.ItemsByID("wid", service.List) }

// webhookBody is what POST and PATCH take.
type webhookBody struct {
	URL         *string                `json:"url,omitempty"`
	ProjectID   rest.Optional[core.ID] `json:"projectId,omitempty"`
	Events      *[]core.WebhookEvent   `json:"events,omitempty"`
	Description *string                `json:"description,omitempty"`
	Disabled    *bool                  `json:"disabled,omitempty"`
}

func (b webhookBody) input() webhooks.Input {
	return webhooks.Input{
		URL: b.URL, Events: b.Events, ProjectID: b.ProjectID.Value, SetProject: b.ProjectID.Present, Description: b.Description, Disabled: b.Disabled,
	}
}

// CreateWebhook answers POST /workspaces/:wid/webhooks.
func CreateWebhook(service *webhooks.Service) rest.Handler {
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body webhookBody) error {
		webhook, err := service.Create(r.Context(), r.Actor, workspace, body.input())
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, webhook)
	})
}

// UpdateWebhook answers PATCH /workspaces/:wid/webhooks/:id.
func UpdateWebhook(service *webhooks.Service) rest.Handler {
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body webhookBody) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		webhook, err := service.Update(r.Context(), r.Actor, workspace, id, body.input())
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, webhook)
	})
}

// GetWebhook answers GET /workspaces/:wid/webhooks/:id.
func GetWebhook(service *webhooks.Service) rest.Handler { return onRecord(http.StatusOK, service.Get) }

// RotateWebhook answers POST /workspaces/:wid/webhooks/:id/rotate-secret.
func RotateWebhook(service *webhooks.Service) rest.Handler {
	return onRecord(http.StatusOK, service.Rotate)
}

// TestWebhook answers POST /workspaces/:wid/webhooks/:id/test.
func TestWebhook(service *webhooks.Service) rest.Handler {
	return onRecord(http.StatusAccepted, service.Test)
}

// DeleteWebhook answers DELETE /workspaces/:wid/webhooks/:id.
func DeleteWebhook(service *webhooks.Service) rest.Handler { return deletesRecord(service.Delete) }

// ListDeliveries answers GET /workspaces/:wid/webhooks/:id/deliveries.
func ListDeliveries(service *webhooks.Service, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := recordOf(r)
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		list := "deliveries of " + string(id)
		page, err := cursors.Page(list, query)
		if err != nil {
			return err
		}
		limit := page.Limit
		page.Limit++
		found, err := service.Deliveries(r.Context(), r.Actor, workspace, id, page)
		if err != nil {
			return err
		}
		next := ""
		if len(found) > limit {
			found = found[:limit]
			next = cursors.Position(list, core.Position{CreatedAt: found[limit-1].CreatedAt, ID: found[limit-1].ID})
		}
		return rest.WritePage(w, found, next)
	}
}

// Redeliver answers POST /workspaces/:wid/webhooks/:id/deliveries/:did/redeliver.
func Redeliver(service *webhooks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := recordOf(r)
		if err != nil {
			return err
		}
		delivery, err := r.ID("did")
		if err != nil {
			return err
		}
		made, err := service.Redeliver(r.Context(), r.Actor, workspace, id, delivery)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusAccepted, made)
	}
}
