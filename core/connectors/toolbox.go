package connectors

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
)

// Toolbox is the connectors of workspaces as their agents may use them. Many goroutines may use it.
type Toolbox struct{ Deps }

// NewToolbox returns the connectors.
func NewToolbox(deps Deps) *Toolbox { return &Toolbox{deps} }

// Found is a tool that the agent may call, or ask to.
type Found struct {
	Connector, Tool string
	Description     string
	Schema          string
	Consent         core.Consent
}

// Find returns up to most of a workspace's tools, those first that have most of the words. Without a
// word it returns the first ones.
func (t *Toolbox) Find(ctx context.Context, workspace core.ID, words string, most int) ([]Found, error) {
	all, err := t.Store.Tables().Connectors.List(ctx, workspace)
	if err != nil {
		return nil, err
	}
	type match struct {
		Found
		score int
	}
	var found []match
	wanted := strings.Fields(strings.ToLower(words))
	for _, connector := range all {
		for _, tool := range connector.Tools {
			if tool.State() != core.ToolOn {
				continue
			}
			score := 0
			name, about := strings.ToLower(connector.Name+" "+tool.Name), strings.ToLower(tool.Pinned.Description)
			for _, word := range wanted {
				if strings.Contains(name, word) {
					score += 3
				}
				if strings.Contains(about, word) {
					score++
				}
			}
			if score > 0 || len(wanted) == 0 {
				found = append(found, match{foundIn(connector, tool), score})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.score - a.score })
	results := []Found{}
	for _, f := range found[:min(len(found), most)] {
		results = append(results, f.Found)
	}
	return results, nil
}

// Describe returns a tool that the agent may call, or ask to. It returns core.CodeForbidden and
// core.CodeNotFound as Call does.
func (t *Toolbox) Describe(ctx context.Context, workspace core.ID, connector, tool string) (Found, error) {
	owner, allowed, err := t.allowed(ctx, Request{Workspace: workspace, Connector: connector, Tool: tool})
	if err != nil {
		return Found{}, err
	}
	return foundIn(owner, allowed), nil
}

// Any reports whether a workspace has a tool that the agent may call, or ask to.
func (t *Toolbox) Any(ctx context.Context, workspace core.ID) (bool, error) {
	all, err := t.Store.Tables().Connectors.List(ctx, workspace)
	return slices.ContainsFunc(all, func(connector core.Connector) bool {
		return slices.ContainsFunc(connector.Tools, func(tool core.ConnectorTool) bool { return tool.State() == core.ToolOn })
	}), err
}

func foundIn(connector core.Connector, tool core.ConnectorTool) Found {
	return Found{connector.Name, tool.Name, tool.Pinned.Description, tool.Pinned.Schema, tool.Consent}
}

// Request is a call that a run wants to make.
type Request struct {
	Workspace       core.ID
	Connector, Tool string
	// Args is a JSON object.
	Args json.RawMessage
	// Approved says that a person said yes to exactly this call.
	Approved bool
	// Read are whose text the run has read: names of connectors, and hosts of web pages.
	Read []string
}

// Result is the outcome of a call. Ask says why it was not made: it waits for a person's yes. It is ""
// for a call that was made.
type Result struct {
	Answer connectors.Answer
	Ask    core.ApprovalReason
}

// Call calls a tool, if that is allowed. It returns core.CodeForbidden for a tool that no admin
// allowed as it is now, core.CodeNotFound for one that is not there, and the codes of
// connectors.Client.
func (t *Toolbox) Call(ctx context.Context, request Request) (Result, error) {
	if args := bytes.TrimSpace(request.Args); len(args) == 0 || args[0] != '{' || !json.Valid(args) {
		return Result{}, core.Errorf(core.CodeValidationFailed, "args must be a JSON object")
	}
	connector, tool, err := t.allowed(ctx, request)
	if err != nil {
		return Result{}, err
	}
	if why := request.needsYes(tool); why != "" {
		return Result{Ask: why}, nil
	}
	listed, err := t.look(ctx, connector)
	if err != nil {
		return Result{}, err
	}
	if listed.problem != "" {
		return Result{}, core.Errorf(core.CodeUnavailable, "%s: %s", connector.Name, listed.problem)
	}
	// What the server says now decides; consents may have changed meanwhile, too.
	if _, err := t.keep(ctx, connector, listed); err != nil {
		return Result{}, err
	}
	current, tool, err := t.allowed(ctx, request)
	if err != nil {
		return Result{}, err
	}
	if why := request.needsYes(tool); why != "" {
		return Result{Ask: why}, nil
	}
	server, err := t.server(current)
	if err != nil {
		return Result{}, err
	}
	answer, err := t.Client.Call(ctx, server, tool.Name, request.Args)
	answer.Text = core.VisibleText(answer.Text)
	return Result{Answer: answer}, err
}

// needsYes is the rule of consent: it says why the call needs a person's yes, "" if it needs none.
func (r Request) needsYes(tool core.ConnectorTool) core.ApprovalReason {
	switch {
	case r.Approved:
		return ""
	case tool.Consent != core.ConsentAlways:
		return core.ApprovalConsent
	case slices.ContainsFunc(r.Read, func(name string) bool { return name != r.Connector }):
		return core.ApprovalOutside
	}
	return ""
}

// allowed returns a tool that may be called, as far as is known.
func (t *Toolbox) allowed(ctx context.Context, request Request) (core.Connector, core.ConnectorTool, error) {
	all, err := t.Store.Tables().Connectors.List(ctx, request.Workspace)
	if err != nil {
		return core.Connector{}, core.ConnectorTool{}, err
	}
	for _, connector := range all {
		if connector.Name != request.Connector {
			continue
		}
		at := indexOf(connector.Tools, request.Tool)
		if at < 0 {
			break
		}
		tool := connector.Tools[at]
		if state := tool.State(); state != core.ToolOn {
			return core.Connector{}, core.ConnectorTool{}, core.Errorf(core.CodeForbidden, "the tool %q of %q is %s: an admin of the workspace must allow it first", tool.Name, connector.Name, state)
		}
		return connector, tool, nil
	}
	return core.Connector{}, core.ConnectorTool{}, core.NotFound("tool of a connector")
}
