package connectors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/connectors"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps has the dependencies of a Service and of a Toolbox.
type Deps struct {
	Store  storage.Store
	Audit  *audit.Log
	Sealer identity.Sealer
	Guard  netguard.Guard
	Client connectors.Client
	Now    func() time.Time
}

// Service has the use cases around connectors, for admins of their workspace. Many goroutines may use
// it.
type Service struct{ Deps }

// NewService returns the use cases.
func NewService(deps Deps) *Service { return &Service{deps} }

// Connector is a connector as admins see it: without the values of its headers.
type Connector struct {
	ID          core.ID  `json:"id"`
	Name        string   `json:"name"`
	URL         string   `json:"url"`
	HeaderNames []string `json:"headerNames"`
	Tools       []Tool   `json:"tools"`
	// RefusedTools counts those that the server offers and that are not allowed to anybody.
	RefusedTools int `json:"refusedTools"`
	// Problem says why the server could not tell its tools the last time, in English; nil if it could.
	Problem     *string    `json:"problem"`
	RefreshedAt *core.Time `json:"refreshedAt"`
	CreatedAt   core.Time  `json:"createdAt"`
	UpdatedAt   core.Time  `json:"updatedAt"`
}

// Tool is a tool as admins see it. Pinned is what an admin allowed, Offered what the server says now.
type Tool struct {
	Name    string         `json:"name"`
	Consent core.Consent   `json:"consent"`
	State   core.ToolState `json:"state"`
	Pinned  *Text          `json:"pinned"`
	Offered *Text          `json:"offered"`
}

// Text is a server's description of a tool. Hash identifies it in EnabledTool.
type Text struct {
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Hash        string          `json:"hash"`
}

func shown(connector core.Connector) Connector {
	view := Connector{
		ID: connector.ID, Name: connector.Name, URL: connector.URL, HeaderNames: append([]string{}, connector.HeaderNames...), Tools: []Tool{},
		RefusedTools: connector.Refused, CreatedAt: connector.CreatedAt, UpdatedAt: connector.UpdatedAt,
	}
	for _, tool := range connector.Tools {
		view.Tools = append(view.Tools, Tool{tool.Name, tool.Consent, tool.State(), shownText(tool.Name, tool.Pinned), shownText(tool.Name, tool.Offered)})
	}
	if connector.Problem != "" {
		view.Problem = &connector.Problem
	}
	if connector.RefreshedAt != 0 {
		view.RefreshedAt = &connector.RefreshedAt
	}
	return view
}

func shownText(name string, text *core.ToolText) *Text {
	if text == nil {
		return nil
	}
	return &Text{text.Description, json.RawMessage(text.Schema), text.Hash(name)}
}

// List returns a workspace's connectors, the oldest first.
func (s *Service) List(ctx context.Context, by core.Actor, workspace core.ID) ([]Connector, error) {
	tables := s.Store.Tables()
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionConnectorRead, workspace); err != nil {
		return nil, err
	}
	found, err := tables.Connectors.List(ctx, workspace)
	views := make([]Connector, len(found))
	for i, connector := range found {
		views[i] = shown(connector)
	}
	return views, err
}

// ownIn returns a connector of the workspace, if the caller has the right to change it.
func ownIn(ctx context.Context, tables storage.Tables, by core.Actor, workspace, id core.ID) (core.Connector, error) {
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionConnectorWrite, workspace); err != nil {
		return core.Connector{}, err
	}
	connector, err := tables.Connectors.ByID(ctx, id)
	if err == nil && connector.WorkspaceID != workspace {
		err = core.NotFound("connector")
	}
	if err != nil {
		return core.Connector{}, err
	}
	return connector, nil
}

// Create adds a connector, and asks its server for its tools; that this fails is the connector's
// Problem. It returns core.CodeValidationFailed for a field out of bounds or an enabled tool that the server
// does not have, core.CodeForbiddenAddress for a URL that may not be reached, and core.CodeConflict
// for a name that looks like another connector's and beyond core.MaxConnectors.
func (s *Service) Create(ctx context.Context, by core.Actor, workspace core.ID, input Input) (Connector, error) {
	if _, _, err := access.WorkspaceIn(ctx, s.Store.Tables(), by, core.ActionConnectorWrite, workspace); err != nil {
		return Connector{}, err
	}
	if input.Name == nil || input.URL == nil {
		return Connector{}, core.Errorf(core.CodeValidationFailed, "a connector must have name and url")
	}
	now := core.At(s.Now())
	connector := core.Connector{ID: core.NewID(), WorkspaceID: workspace, CreatedBy: by.UserID, CreatedAt: now, UpdatedAt: now}
	enabled := input.EnabledTools
	input.EnabledTools = nil
	if err := s.apply(&connector, input); err != nil {
		return Connector{}, err
	}
	listed, err := s.look(ctx, connector)
	if err != nil {
		return Connector{}, err
	}
	listed.note(&connector)
	if err := enable(&connector, enabled); err != nil {
		return Connector{}, err
	}
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionConnectorWrite, workspace); err != nil {
			return err
		}
		if err := checkOthers(ctx, tables, connector); err != nil {
			return err
		}
		if err := tables.Connectors.Create(ctx, connector); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tables, by, workspace, core.AuditConnectorCreated, targetOf(connector))
	})
	if err != nil {
		return Connector{}, err
	}
	return shown(connector), nil
}

// Update changes a connector. Another URL takes the headers and all consents away: they were given
// for the server at the former one. Errors are Create's, and core.CodeConflict for a tool that is no
// longer what its hash says.
func (s *Service) Update(ctx context.Context, by core.Actor, workspace, id core.ID, input Input) (Connector, error) {
	var updated core.Connector
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := ownIn(ctx, tables, by, workspace, id); err != nil {
			return err
		}
		var err error
		updated, err = tables.Connectors.Update(ctx, id, func(connector *core.Connector) error {
			connector.UpdatedAt = core.At(s.Now())
			return s.apply(connector, input)
		})
		if err != nil {
			return err
		}
		if err := checkOthers(ctx, tables, updated); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tables, by, workspace, core.AuditConnectorUpdated, targetOf(updated))
	})
	if err != nil {
		return Connector{}, err
	}
	return shown(updated), nil
}

// Refresh asks a connector's server for its tools.
func (s *Service) Refresh(ctx context.Context, by core.Actor, workspace, id core.ID) (Connector, error) {
	connector, err := ownIn(ctx, s.Store.Tables(), by, workspace, id)
	if err != nil {
		return Connector{}, err
	}
	listed, err := s.look(ctx, connector)
	if err != nil {
		return Connector{}, err
	}
	updated, err := s.keep(ctx, connector, listed)
	if err != nil {
		return Connector{}, err
	}
	return shown(updated), nil
}

// Delete removes a connector.
func (s *Service) Delete(ctx context.Context, by core.Actor, workspace, id core.ID) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		connector, err := ownIn(ctx, tables, by, workspace, id)
		if err != nil {
			return err
		}
		if err := tables.Connectors.Delete(ctx, id); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tables, by, workspace, core.AuditConnectorDeleted, targetOf(connector))
	})
}

// checkOthers returns core.CodeConflict if a workspace has too many connectors, or two that look alike.
func checkOthers(ctx context.Context, tables storage.Tables, connector core.Connector) error {
	all, err := tables.Connectors.List(ctx, connector.WorkspaceID)
	if err != nil {
		return err
	}
	others := 0
	for _, other := range all {
		if other.ID == connector.ID {
			continue
		}
		others++
		if core.LookOf(other.Name) == core.LookOf(connector.Name) {
			return core.Errorf(core.CodeConflict, "name looks like that of the connector %q: choose another one", other.Name)
		}
	}
	if others >= core.MaxConnectors {
		return core.Errorf(core.CodeConflict, "a workspace can have at most %d connectors: delete one first", core.MaxConnectors)
	}
	return nil
}
