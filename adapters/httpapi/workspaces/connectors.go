package workspaces

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/internal/messages"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/connectors"
)

// ListConnectors answers GET /workspaces/:wid/connectors.
func ListConnectors(service *connectors.Service) rest.Handler {
	return rest.ItemsByID("wid", func(ctx context.Context, by core.Actor, workspace core.ID) ([]connectors.Connector, error) {
		listed, err := service.List(ctx, by, workspace)
		for i, connector := range listed {
			listed[i] = told(by, connector)
		}
		return listed, err
	})
}

// told returns a connector with its problem in the caller's language.
func told(by core.Actor, connector connectors.Connector) connectors.Connector {
	if connector.Problem != nil {
		problem, _ := messages.Say(core.PhraseOf(*connector.Problem), by.Language)
		connector.Problem = &problem
	}
	return connector
}

// connectorBody is what POST and PATCH take.
type connectorBody struct {
	Name         *string                   `json:"name,omitempty"`
	URL          *string                   `json:"url,omitempty"`
	Headers      *map[string]string        `json:"headers,omitempty"`
	EnabledTools *[]connectors.EnabledTool `json:"enabledTools,omitempty"`
}

func (b connectorBody) input() connectors.Input { return connectors.Input(b) }

// CreateConnector answers POST /workspaces/:wid/connectors.
func CreateConnector(service *connectors.Service) rest.Handler {
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body connectorBody) error {
		connector, err := service.Create(r.Context(), r.Actor, workspace, body.input())
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, told(r.Actor, connector))
	})
}

// UpdateConnector answers PATCH /workspaces/:wid/connectors/:id.
func UpdateConnector(service *connectors.Service) rest.Handler {
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body connectorBody) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		connector, err := service.Update(r.Context(), r.Actor, workspace, id, body.input())
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, told(r.Actor, connector))
	})
}

// RefreshConnector answers POST /workspaces/:wid/connectors/:id/refresh.
func RefreshConnector(service *connectors.Service) rest.Handler {
	return onRecord(http.StatusOK, func(ctx context.Context, by core.Actor, workspace, id core.ID) (connectors.Connector, error) {
		connector, err := service.Refresh(ctx, by, workspace, id)
		return told(by, connector), err
	})
}

// DeleteConnector answers DELETE /workspaces/:wid/connectors/:id.
func DeleteConnector(service *connectors.Service) rest.Handler { return deletesRecord(service.Delete) }
