package chat

import (
	"cmp"
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/connectors"
	"github.com/atelierhq/atelier/core/webpage"
	"github.com/atelierhq/atelier/ports/languageserver"
)

// task collects everything that the agent works with.
func (x *execution) task(ctx context.Context) (agent.Task, error) {
	chat, err := x.store.Tables().Chats.ByID(ctx, x.run.ChatID)
	if err != nil {
		return agent.Task{}, err
	}
	mode := cmp.Or(x.run.Mode, chat.Mode)
	if mode != chat.Mode {
		x.aside = mode
	}
	defined, err := x.definedMode(ctx, mode)
	if err != nil {
		return agent.Task{}, err
	}
	choice, err := x.choose(ctx, defined)
	if err != nil {
		return agent.Task{}, err
	}
	if choice.Fallback && chat.TokensPerByte != nil {
		return agent.Task{}, core.Errorf(core.CodeModelUnavailable,
			"no model is available, and the demo does not continue a chat that a model has answered: ask an admin to start Ollama and then this service, or to add a provider")
	}
	history, err := x.events.history(ctx, x.run.ChatID)
	if err != nil {
		return agent.Task{}, err
	}
	images, err := x.images(ctx, choice, history)
	if err != nil {
		return agent.Task{}, err
	}
	untouched, err := x.projects.Untouched(ctx, x.run.ProjectID)
	if err != nil {
		return agent.Task{}, err
	}
	workspace, err := x.store.Tables().Workspaces.ByID(ctx, x.run.WorkspaceID)
	if err != nil {
		return agent.Task{}, err
	}
	task := agent.Task{
		Knowledge: workspace.Knowledge,
		Mode:      mode, Defined: defined, Provider: choice.Provider, Model: choice.Model, Conversation: string(x.run.ChatID), KeepsThoughts: choice.KeepsThoughts, Emulated: choice.Emulated,
		Context: choice.ContextTokens, SetsWindow: choice.SetsWindow, Structured: choice.Capabilities.Schema,
		Sees:         choice.Capabilities.Vision,
		AnswerTokens: choice.AnswerTokens, TokensPerByte: chat.TokensPerByte[choice.Source],
		Project: runProject{x.projects.Open(x.run), x}, Untouched: untouched, History: history, Images: images, Summary: chat.Summary, Briefing: chat.Briefing,
		Resume: x.run.ResumedAt > 0, Intent: x.run.Intent,
		Meter: x.models.Meter(x.run, choice), Record: x.journal.record,
		Intend: x.intend, Brief: x.memory().keepBriefing, Remember: x.memory().keepSummary,
	}
	if choice.Capabilities.Thinking {
		task.Thinking = x.thinking(defined, choice, untouched && mode == core.ModeBuild)
	}
	task.Brush = x.brush(ctx, mode, choice)
	if choice.Kind != core.ProviderDemo {
		task.Calibrate = func(ctx context.Context, tokensPerByte float64) error {
			return x.memory().keepTokensPerByte(ctx, choice.Source, tokensPerByte)
		}
	}
	return task, nil
}

// thinking is how much the model of a run thinks: as its message says, else its mode, else much for a first
// build where others pay for the processors, else as the model does by itself.
func (x *execution) thinking(defined *core.Mode, choice Choice, isFirst bool) core.Thinking {
	switch {
	case x.run.Thinking != "":
		return x.run.Thinking
	case defined != nil && defined.Thinking != nil:
		return *defined.Thinking
	case isFirst && choice.Kind != core.ProviderOllama:
		return core.ThinkingHigh
	}
	return ""
}

// brush returns what the run paints with, nil in modes that change nothing.
func (x *execution) brush(ctx context.Context, mode string, choice Choice) *agent.Brush {
	if mode == core.ModePlan || mode == core.ModeChat {
		return nil
	}
	return x.models.Brush(ctx, x.run, choice)
}

// tabPatience is how long a look of the agent waits for a tab. Then the run goes on without it, and
// says so.
const tabPatience = 15 * time.Second

// page returns the page of the project that the run sees, nil where no page can be opened. The
// first look opens it.
func (x *execution) page(ctx context.Context) *browsing.Page {
	if x.pages == nil || x.pages.Available(ctx) != nil {
		return nil
	}
	return x.pages.Page(browsing.Visit{Project: x.run.ProjectID, Patience: tabPatience})
}

// runTypes checks the types of a run's project, with the rights of the person who started it.
type runTypes struct{ *execution }

// Check implements tools.Types.
func (t runTypes) Check(ctx context.Context) ([]core.Diagnostic, error) {
	found, err := t.types.Check(ctx, core.Unattended(t.run.UserID), t.run.ProjectID)
	return found.Diagnostics, err
}

// CheckFile implements tools.Types.
func (t runTypes) CheckFile(ctx context.Context, file core.ProjectPath) ([]core.Diagnostic, error) {
	if t.code == nil {
		return nil, nil
	}
	found, err := t.code.Diagnose(ctx, core.Unattended(t.run.UserID), t.run.ProjectID, codeintel.Question{Path: file})
	if err != nil {
		return nil, err
	}
	var wrong []core.Diagnostic
	for _, finding := range found {
		if finding.Severity == languageserver.SeverityError {
			wrong = append(wrong, core.Diagnostic{Path: file.String(), Line: finding.Line, Column: finding.Column, Message: finding.Message})
		}
	}
	return wrong, nil
}

// choose chooses the model that answers. A mode's model is one of the workspace's, so
// it is ignored for a person's own subscription.
func (x *execution) choose(ctx context.Context, defined *core.Mode) (Choice, error) {
	if x.run.OwnProvider {
		if err := x.models.CheckOwn(ctx, x.run.UserID); err != nil {
			return Choice{}, err
		}
		return x.models.ChooseOwn(ctx, x.run.UserID, x.run.Model)
	}
	wanted := x.run.Model
	if wanted == "" && defined != nil && defined.Model != nil {
		wanted = *defined.Model
	}
	return x.models.Choose(ctx, x.run.WorkspaceID, wanted)
}

// definedMode returns the definition of a mode by the run's workspace, nil for a
// built-in mode and for a word that nothing defines.
func (x *execution) definedMode(ctx context.Context, name string) (*core.Mode, error) {
	if core.IsBuiltInMode(name) {
		return nil, nil
	}
	mode, err := x.store.Tables().Modes.ByName(ctx, x.run.WorkspaceID, name)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, nil
	}
	return &mode, err
}

// runWeb is the web as a run may read it.
type runWeb struct {
	*webpage.Reader
	*execution
}

var _ tools.Web = runWeb{}

// Hosts implements tools.Web: the hosts that the workspace's commands may reach, which admins
// can change at any time.
func (w runWeb) Hosts(ctx context.Context) (core.HostPatterns, bool, error) {
	workspace, err := w.store.Tables().Workspaces.ByID(ctx, w.run.WorkspaceID)
	return workspace.CommandHosts, w.IsOpen(), err
}

// connectorsFor returns the tools of other programs that the run may use, nil if there are none.
func (x *execution) connectorsFor(ctx context.Context) (tools.Connectors, error) {
	if x.connectors == nil {
		return nil, nil
	}
	if any, err := x.connectors.Any(ctx, x.run.WorkspaceID); !any || err != nil {
		return nil, err
	}
	return runConnectors{x.connectors, x.run.WorkspaceID}, nil
}

// runConnectors are the connectors of a run's workspace.
type runConnectors struct {
	box       *connectors.Toolbox
	workspace core.ID
}

var _ tools.Connectors = runConnectors{}

// Find implements tools.Connectors.
func (c runConnectors) Find(ctx context.Context, words string, most int) ([]connectors.Found, error) {
	return c.box.Find(ctx, c.workspace, words, most)
}

// Describe implements tools.Connectors.
func (c runConnectors) Describe(ctx context.Context, connector, tool string) (connectors.Found, error) {
	return c.box.Describe(ctx, c.workspace, connector, tool)
}

// Call implements tools.Connectors.
func (c runConnectors) Call(ctx context.Context, request connectors.Request) (connectors.Result, error) {
	request.Workspace = c.workspace
	return c.box.Call(ctx, request)
}
