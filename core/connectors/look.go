package connectors

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
)

// listing is a server's list of its tools. problem is "" if it said anything.
type listing struct {
	tools   []core.OfferedTool
	refused int
	problem string
	at      core.Time
}

// look asks a server for its tools. That this fails is no error, unless ctx ended.
func (d *Deps) look(ctx context.Context, connector core.Connector) (listing, error) {
	server, err := d.server(connector)
	if err != nil {
		return listing{}, err
	}
	offered, err := d.Client.List(ctx, server)
	var known *core.Error
	switch {
	case ctx.Err() != nil:
		return listing{}, core.Wrap(core.CodeUnavailable, ctx.Err(), "the request ended before the server answered")
	case errors.As(err, &known):
		return listing{problem: known.Message}, nil
	case err != nil:
		return listing{}, err
	}
	tools, refused := core.AcceptTools(offered)
	return listing{tools: tools, refused: refused, at: core.At(d.Now())}, nil
}

// server returns where a connector's server is, with the headers.
func (d *Deps) server(connector core.Connector) (connectors.Server, error) {
	server := connectors.Server{URL: connector.URL}
	if len(connector.Sealed) == 0 {
		return server, nil
	}
	opened, err := d.Sealer.Open(connector.Sealed, place(connector))
	if err != nil {
		return connectors.Server{}, err
	}
	if err := json.Unmarshal(opened, &server.Headers); err != nil {
		return connectors.Server{}, core.Wrap(core.CodeInternal, err, "the headers of connector %s are malformed", connector.ID)
	}
	return server, nil
}

// place binds sealed headers: they are for the server at this URL alone.
func place(connector core.Connector) string {
	return "connector " + string(connector.ID) + " " + connector.URL
}

// note puts what the server said into the connector. Tools that nobody allowed and that are gone
// are forgotten.
func (l listing) note(connector *core.Connector) {
	connector.Problem = l.problem
	if l.problem != "" {
		return
	}
	var tools []core.ConnectorTool
	for _, offered := range l.tools {
		tool := core.ConnectorTool{Name: offered.Name, Consent: core.ConsentNever}
		if at := indexOf(connector.Tools, offered.Name); at >= 0 {
			tool = connector.Tools[at]
		}
		tool.Offered = &core.ToolText{Description: offered.Description, Schema: offered.Schema}
		tools = append(tools, tool)
	}
	for _, tool := range connector.Tools {
		if tool.Pinned != nil && indexOf(tools, tool.Name) < 0 && len(tools) < 2*core.MaxConnectorTools {
			tool.Offered = nil
			tools = append(tools, tool)
		}
	}
	connector.Tools, connector.Refused, connector.RefreshedAt = tools, l.refused, l.at
}

func indexOf(tools []core.ConnectorTool, name string) int {
	return slices.IndexFunc(tools, func(tool core.ConnectorTool) bool { return tool.Name == name })
}

// keep stores what the server of a connector said, unless the connector has another URL meanwhile.
func (d *Deps) keep(ctx context.Context, asked core.Connector, listed listing) (core.Connector, error) {
	return d.Store.Tables().Connectors.Update(ctx, asked.ID, func(connector *core.Connector) error {
		if connector.URL == asked.URL {
			listed.note(connector)
		}
		return nil
	})
}
