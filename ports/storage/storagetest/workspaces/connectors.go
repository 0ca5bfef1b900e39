package workspaces

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func connectorClauses() []clause {
	return []clause{
		{"a connector comes back as it was stored", connectorComesBack},
		{"a connector that is not there is not found", connectorNotFound},
		{"connectors are listed by age, each workspace's own", connectorsByAge},
		{"an update of a connector keeps what cannot change", connectorUpdate},
		{"connectors go with their workspace", connectorsOfWorkspace},
		{"connectors go in and come out as copies", connectorCopies},
		{"no call on connectors outlives its context", connectorsEnded},
	}
}

func (s testCase) newConnector(workspace core.ID) core.Connector {
	at := s.Now()
	return core.Connector{
		ID: core.NewID(), WorkspaceID: workspace, Name: "Tracker", URL: "https://example.com/mcp", CreatedBy: core.NewID(), CreatedAt: at, UpdatedAt: at,
	}
}

func (s testCase) connector(workspace core.ID, alter ...func(*core.Connector)) core.Connector {
	s.Helper()
	connector := s.newConnector(workspace)
	for _, alter := range alter {
		alter(&connector)
	}
	s.Must(s.Connectors.Create(s.Context(), connector))
	return connector
}

func connectorComesBack(s testCase) {
	workspace := s.Workspace()
	full := s.newConnector(workspace.ID)
	full.HeaderNames, full.Sealed, full.Refused, full.Problem, full.RefreshedAt = []string{"Authorization"}, []byte("\x00\xff'"), 3, `"\ it's % 東京`, s.Now()
	full.Tools = []core.ConnectorTool{
		{Name: "read", Consent: core.ConsentAlways, Pinned: &core.ToolText{Description: "Old 東京", Schema: `{"type":"object"}`}, Offered: &core.ToolText{Description: "New\n'", Schema: `{}`}},
		{Name: "write", Consent: core.ConsentNever},
	}
	for _, connector := range []core.Connector{full, s.newConnector(workspace.ID)} {
		s.Must(s.Connectors.Create(s.Context(), connector))
		got, err := s.Connectors.ByID(s.Context(), connector.ID)
		s.Want(got, err, connector)
		s.WantCode(s.Connectors.Create(s.Context(), connector), core.CodeConflict)
	}
	for _, text := range fixture.Unstorable() {
		wrong := s.newConnector(workspace.ID)
		wrong.Problem = text
		s.WantCode(s.Connectors.Create(s.Context(), wrong), core.CodeValidationFailed)
	}
	s.WantCode(s.Connectors.Create(s.Context(), s.newConnector(core.NewID())), core.CodeNotFound)
}

func connectorNotFound(s testCase) {
	s.connector(s.Workspace().ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		id := core.ID(text)
		_, err := s.Connectors.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Connectors.Update(s.Context(), id, func(*core.Connector) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Connectors.Delete(s.Context(), id), core.CodeNotFound)
		all, err := s.Connectors.List(s.Context(), id)
		s.Want(len(all), err, 0)
	}
}

func connectorsByAge(s testCase) {
	workspace := s.Workspace()
	late := s.connector(workspace.ID, func(c *core.Connector) { c.CreatedAt += 2 })
	early := s.connector(workspace.ID)
	s.connector(s.Workspace().ID)
	got, err := s.Connectors.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Connector{early, late})
	s.Must(s.Connectors.Delete(s.Context(), early.ID))
	got, err = s.Connectors.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Connector{late})
}

func connectorUpdate(s testCase) {
	connector := s.connector(s.Workspace().ID)
	want := connector
	want.URL, want.Refused, want.UpdatedAt = "https://example.com/other", 1, s.Now()
	got, err := s.Connectors.Update(s.Context(), connector.ID, func(stored *core.Connector) error {
		s.Want(*stored, nil, connector)
		*stored = want
		stored.ID, stored.WorkspaceID, stored.CreatedBy, stored.CreatedAt = core.NewID(), core.NewID(), core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Connectors.Update(s.Context(), connector.ID, func(stored *core.Connector) error { stored.URL = "lost"; return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Connectors.Update(s.Context(), connector.ID, func(stored *core.Connector) error { stored.URL = fixture.Unstorable()[0]; return nil })
	s.WantCode(err, core.CodeValidationFailed)
	got, err = s.Connectors.ByID(s.Context(), connector.ID)
	s.Want(got, err, want)
}

func connectorsOfWorkspace(s testCase) {
	doomed, kept := s.connector(s.Workspace().ID), s.connector(s.Workspace().ID)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.WorkspaceID))
	_, err := s.Connectors.ByID(s.Context(), doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.Connectors.ByID(s.Context(), kept.ID)
	s.Want(got, err, kept)
}

func connectorCopies(s testCase) {
	names := []string{"Authorization"}
	connector := s.connector(s.Workspace().ID, func(c *core.Connector) {
		c.HeaderNames, c.Tools = names, []core.ConnectorTool{{Name: "read", Pinned: &core.ToolText{Description: "old"}}}
	})
	names[0], connector.Tools[0].Pinned.Description = "changed", "changed"
	for range 2 {
		got, err := s.Connectors.ByID(s.Context(), connector.ID)
		s.Want(got.HeaderNames[0]+got.Tools[0].Name+got.Tools[0].Pinned.Description, err, "Authorizationreadold")
		got.HeaderNames[0], got.Tools[0].Name, got.Tools[0].Pinned.Description = "changed", "changed", "changed"
	}
}

func connectorsEnded(s testCase) {
	connector := s.connector(s.Workspace().ID)
	ended := s.Ended()
	s.WantCode(s.Connectors.Create(ended, s.newConnector(connector.WorkspaceID)), core.CodeUnavailable)
	_, err := s.Connectors.ByID(ended, connector.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Connectors.List(ended, connector.WorkspaceID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Connectors.Update(ended, connector.ID, func(*core.Connector) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Connectors.Delete(ended, connector.ID), core.CodeUnavailable)
}
