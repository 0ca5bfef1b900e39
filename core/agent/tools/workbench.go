package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/tracing"
)

// Workbench is the set of tools that a run has over its project. Only one goroutine may
// use it, except that several may make calls for which IsReading is true.
type Workbench struct {
	mode    string
	offered []tool
	project Project
	intend  func(context.Context, core.Intent) error
	memory  fileMemory
	log     *slog.Logger
	// backend says that the project has a backend.
	backend bool
	// sight is nil where no page can be opened.
	sight  *sight
	typing typeChecker
	// web is nil where the agent may not read the web.
	web Web
	// painter is nil if the workspace's provider cannot paint.
	painter Painter
	// connectors is nil if the workspace has none.
	connectors Connectors
	// approved is the id of the call that a person allowed, "" if there is none.
	approved string
}

// Config says what a Workbench is for.
type Config struct {
	// Mode is the chat's mode, Defined the workspace's own definition of it, nil for a
	// built-in mode. They decide which tools there are.
	Mode    string
	Defined *core.Mode
	Project Project
	// Eyes is nil where no page can be opened. Sees says that the model sees pictures.
	Eyes Eyes
	Sees bool
	// Keep keeps a picture of what the eyes see for those who watch the run, and returns nil if it
	// does not. It is nil if nobody can watch.
	Keep func(ctx context.Context, png []byte) *core.Attachment
	// Types is nil where no types can be checked.
	Types Types
	// Web is nil where the agent may not read the web.
	Web Web
	// Painter is nil if the workspace's provider cannot paint.
	Painter Painter
	// Connectors is nil if the workspace has none.
	Connectors Connectors
	// Intend stores a write-ahead note of what a call is about to change.
	Intend func(context.Context, core.Intent) error
	// History is the chat's log so far. Resumes says that it ends with the events of a run
	// that a crash interrupted.
	History []core.Event
	Resumes bool
	// Log gets the failures of tools that are not the model's.
	Log *slog.Logger
}

// NewWorkbench returns the tools of a run that begins now, or goes on.
func NewWorkbench(ctx context.Context, config Config) *Workbench {
	w := &Workbench{
		mode: config.Mode, offered: toolsFor(ctx, config), project: config.Project,
		intend: config.Intend, memory: memoryOf(config.History), log: config.Log,
		backend: hasBackend(ctx, config.Project), web: config.Web, painter: config.Painter, connectors: config.Connectors,
	}
	w.typing.types = config.Types
	if config.Resumes {
		w.typing.noteLog(config.History)
	}
	if config.Eyes != nil {
		w.sight = &sight{Eyes: config.Eyes, pictures: config.Sees, keep: config.Keep}
	}
	w.memory.findFiles(ctx, config.Project, config.Resumes)
	return w
}

// toolsFor returns the tools of a run: those that the workspace gave its mode, or
// only the reading ones in plan and chat mode.
func toolsFor(ctx context.Context, config Config) []tool {
	tools := allTools()
	switch {
	case config.Defined != nil:
		tools = slices.DeleteFunc(tools, func(t tool) bool { return !slices.Contains(config.Defined.Tools, t.name) })
	case config.Mode == core.ModePlan || config.Mode == core.ModeChat:
		tools = slices.DeleteFunc(tools, func(t tool) bool { return t.changes })
	}
	tools = slices.DeleteFunc(tools, func(t tool) bool {
		return t.eyes && config.Eyes == nil || t.web && config.Web == nil || t.paints && config.Painter == nil || t.connects && config.Connectors == nil
	})
	if at := slices.IndexFunc(tools, func(t tool) bool { return t.name == lookTool }); at >= 0 && !config.Sees {
		tools[at].parameters = lookParameters
	}
	if at := slices.IndexFunc(tools, func(t tool) bool { return t.name == CommandTool }); at >= 0 {
		tools[at].description += " " + config.Project.Network(ctx)
	}
	return tools
}

// Declarations tell a model of the tools. If they take more than room bytes, the extra ones are
// left out.
func (w *Workbench) Declarations(room int) []ai.Tool {
	var declared []ai.Tool
	bytes := 0
	for _, t := range w.told() {
		declared = append(declared, ai.Tool{Name: t.name, Description: t.description, Parameters: json.RawMessage(t.parameters)})
		bytes += len(t.name) + len(t.description) + len(t.parameters)
	}
	if bytes <= room {
		return declared
	}
	return slices.DeleteFunc(declared, func(t ai.Tool) bool { return w.isExtra(t.Name) })
}

// told returns the tools that a model with enough room is told of.
func (w *Workbench) told() []tool {
	return slices.DeleteFunc(slices.Clone(w.offered), func(t tool) bool { return t.backend && !w.backend })
}

func (w *Workbench) isExtra(name string) bool {
	return slices.ContainsFunc(w.offered, func(t tool) bool { return t.name == name && t.extra })
}

// Approve notes that a person allowed the call with an id.
func (w *Workbench) Approve(callID string) { w.approved = callID }

// CanMend reports whether the run has a tool that changes the content of files.
func (w *Workbench) CanMend() bool {
	return slices.ContainsFunc(w.offered, func(t tool) bool { return t.name == writeTool || t.name == EditTool || t.name == CommandTool })
}

// Knows reports whether the model knows the present version of a file.
func (w *Workbench) Knows(entry core.FileEntry) bool {
	known := w.memory.versions[entry.Path.String()]
	return len(known) > 0 && known[len(known)-1] == hashOf(entry.ETag)
}

// HasBackend reports whether the project has a backend, as far as the run knows.
func (w *Workbench) HasBackend() bool { return w.backend }

// invocation is what a tool works with: the project, and what the run remembers of its
// files.
type invocation struct {
	Project
	memory     *fileMemory
	sight      *sight
	typing     *typeChecker
	web        Web
	painter    Painter
	connectors Connectors
	// call is the call's id; approved says that a person allowed it.
	call     string
	approved bool
	// intend stores a write-ahead note.
	intend func(context.Context, core.Intent) error
	// room is how many bytes a result may have.
	room int
}

// toolTimeout bounds one tool call, so that no tool can block a run forever.
const toolTimeout = 2 * time.Minute

// Call carries out one tool call within toolTimeout. room is how many bytes the result
// may have. The error is for the model to read; with an error, the result has the changes
// that the tool made before it failed.
func (w *Workbench) Call(ctx context.Context, call ai.Call, room int) (Result, error) {
	if call.Broken != "" {
		return Result{}, core.Errorf(core.CodeInvalidRequest, "%s", call.Broken)
	}
	at := slices.IndexFunc(w.offered, func(t tool) bool { return t.name == call.Tool })
	if at < 0 {
		return Result{}, w.unknownTool(call.Tool)
	}
	ctx, span := tracing.Child(ctx, "tool "+w.offered[at].name, tracing.Internal)
	result, err := w.carryOut(ctx, w.offered[at], call, room)
	tracing.End(span, err)
	return result, err
}

// carryOut is Call for a tool that is offered.
func (w *Workbench) carryOut(ctx context.Context, tool tool, call ai.Call, room int) (Result, error) {
	args := withoutRemarks(call.Args, tool.parameters)
	timeout := cmp.Or(tool.timeout, toolTimeout)
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	noted := writeAheadProject{Project: w.project, call: call.ID, intend: w.intend}
	result, err := tool.run(bounded, &invocation{
		Project: noted, memory: &w.memory, sight: w.sight, web: w.web, painter: w.painter, connectors: w.connectors, typing: &w.typing, room: room,
		call: call.ID, approved: call.ID != "" && call.ID == w.approved, intend: w.intend,
	}, args)
	if tool.eyes { // which are used by one call at a time
		result.Frames = w.sight.take()
	}
	if len(result.Changed) > 0 {
		w.typing.note(result.Changed)
		w.sight.note(ctx)
	}
	if slices.ContainsFunc(result.Changed, mayMoveSchema) {
		w.backend = hasBackend(ctx, w.project)
	}
	if err == nil {
		return result, nil
	}
	// Changes that a tool made before it failed are reported, too.
	failed := Result{Changed: result.Changed, Frames: result.Frames}
	if errors.Is(err, context.DeadlineExceeded) {
		return failed, fmt.Errorf("%s took longer than %s and was stopped", call.Tool, timeout)
	}
	return failed, w.explain(ctx, call, err)
}

// IsReading reports whether a call only looks: such calls may be carried out at the same time.
func (w *Workbench) IsReading(call ai.Call) bool {
	at := slices.IndexFunc(w.offered, func(t tool) bool { return t.name == call.Tool })
	return at >= 0 && !w.offered[at].changes && !w.offered[at].alone && !w.offered[at].eyes
}

func (w *Workbench) unknownTool(name string) error {
	allowed := cmp.Or(strings.Join(namesOf(w.told()), ", "), "none")
	if w.sight == nil && slices.ContainsFunc(eyeTools(), func(t tool) bool { return t.name == name }) {
		return fmt.Errorf("there is no browser here that you can use, so pages cannot be seen; the tools here are %s", allowed)
	}
	if w.painter == nil && name == PaintTool {
		return fmt.Errorf("the AI provider here has no model that paints, so there can be no new pictures; the tools here are %s", allowed)
	}
	if w.connectors == nil && slices.ContainsFunc(connectorTools(), func(t tool) bool { return t.name == name }) {
		return fmt.Errorf("the workspace has no connectors; the tools here are %s", allowed)
	}
	if slices.Contains(Names(), name) {
		return fmt.Errorf("%s is not allowed in the mode %q; the tools here are %s", name, w.mode, allowed)
	}
	return fmt.Errorf("there is no tool %q; the tools are %s", name, allowed)
}

// explain turns a failure into words for the model. An error without a code is logged
// and not shown.
func (w *Workbench) explain(ctx context.Context, call ai.Call, err error) error {
	var known *core.Error
	if errors.As(err, &known) && known.Code != core.CodeInternal {
		return fmt.Errorf("%s: %s", known.Code, known.Message)
	}
	w.log.ErrorContext(ctx, "tool failed", "tool", call.Tool, "error", err)
	return errors.New("internal: the tool failed; try another way")
}

// Learn notes what the model has seen of files in the result of a call.
func (w *Workbench) Learn(call ai.Call, result string, failed bool) {
	w.memory.note(call.Tool, call.Args, result, failed)
}
