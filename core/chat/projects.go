package chat

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Projects opens a project for the agent, and commits what it did.
type Projects interface {
	// Open returns the project of a run. It changes files as long as the person who
	// started the run may use the chat.
	Open(run core.Run) tools.Project
	// Untouched reports whether a project is from a template and still waits for its first build: no
	// run that changed it has ended as done, and people have changed none of the template's files.
	Untouched(ctx context.Context, project core.ID) (bool, error)
	// Commit makes one version of a run's changes, and of nothing else. It returns
	// false if there are none.
	Commit(ctx context.Context, run core.Run, message string) (core.Version, bool, error)
	// CommitByHand makes a version of what people have staged at paths, nil for all,
	// except at those that except returns. If nothing is staged there, it makes
	// none.
	CommitByHand(ctx context.Context, project core.ID, paths []core.ProjectPath, except files.Exclusion) error
	// CatchUp finds out what a command left on the disk after its process died.
	CatchUp(ctx context.Context, project core.ID) error
}

// Preview shows the agent the state of the project.
type Preview interface {
	// Check builds the current files and returns the errors and warnings of the build.
	Check(ctx context.Context, project core.ID) (wrong, warnings []core.Diagnostic, err error)
	// Console returns the console output of the previewed page, the oldest first.
	Console(project core.ID) []string
}

// Commands runs the agent's commands.
type Commands interface{ sandbox.Runner }

// Backends are the agent's ways to a project's backend: nothing of it reads or changes
// live data, confirms a plan, or accepts a finding.
type Backends interface {
	// QueryTest runs one SELECT on the test data.
	QueryTest(ctx context.Context, by core.Actor, project core.ID, sql string) (backend.Table, error)
	// AskTest carries out a request on the test data.
	AskTest(ctx context.Context, by core.Actor, project core.ID, request backends.TestRequest) (backends.Response, error)
	// Outcome says what became of the schema file.
	Outcome(ctx context.Context, by core.Actor, project core.ID) (backends.Outcome, error)
}

// Calls are the logs of projects' backends; calllog.Log implements it.
type Calls interface {
	// List returns a page of an environment's calls.
	List(ctx context.Context, by core.Actor, at backend.Place, filter storage.CallFilter, page core.Page) ([]core.BackendCall, error)
}

// agentAuthor signs what the agent does.
var agentAuthor = core.Author{Kind: core.AuthorAgent, Name: "Atelier"}

// PipelineDeps are the dependencies of PipelineProjects. Store has the hosts that commands may reach.
type PipelineDeps struct {
	Store    storage.Store
	Gate     *access.Gate
	Files    *files.Pipeline
	Preview  Preview
	Commands Commands
	Syntax   build.SyntaxChecker
	Backends Backends
	Calls    Calls
}

// PipelineProjects opens projects through the file pipeline, so that the agent's writes
// take the same way as everybody's.
type PipelineProjects struct{ deps PipelineDeps }

var _ Projects = (*PipelineProjects)(nil)

// NewPipelineProjects returns the projects.
func NewPipelineProjects(deps PipelineDeps) *PipelineProjects { return &PipelineProjects{deps} }

// Open implements Projects.
func (p *PipelineProjects) Open(run core.Run) tools.Project {
	return pipelineProject{p, run.ProjectID, core.Unattended(run.UserID)}
}

// Untouched implements Projects.
func (p *PipelineProjects) Untouched(ctx context.Context, project core.ID) (bool, error) {
	stored, err := p.deps.Store.Tables().Projects.ByID(ctx, project)
	if err != nil || stored.Template == nil {
		return false, err
	}
	versions, err := p.deps.Files.Versions(ctx, project, "", maxFirstVersions+1)
	if err != nil || len(versions) <= 1 || len(versions) > maxFirstVersions {
		return len(versions) <= 1, err
	}
	var marks []core.ChatMark
	for _, version := range versions {
		if version.Chat != "" && !slices.Contains(marks, version.Chat) {
			marks = append(marks, version.Chat)
		}
	}
	if len(marks) > 0 {
		built, err := p.haveBuilt(ctx, project, marks)
		return !built, err
	}
	template, latest := versions[len(versions)-1], versions[0]
	differences, err := p.deps.Files.Compare(ctx, project, template.ID, latest.ID)
	return !slices.ContainsFunc(differences, func(d vcs.Difference) bool { return d.Before != nil }), err
}

// maxFirstVersions is how many versions a project may have that waits for its first build.
const maxFirstVersions = 20

// haveBuilt reports whether a run of the chats has changed the project and ended as done. The log of a
// chat that was deleted, or that another project has, tells nothing, and counts as one that has.
func (p *PipelineProjects) haveBuilt(ctx context.Context, project core.ID, marks []core.ChatMark) (bool, error) {
	tables := p.deps.Store.Tables()
	chats, err := tables.Chats.List(ctx, project)
	if err != nil {
		return false, err
	}
	for _, mark := range marks {
		at := slices.IndexFunc(chats, func(chat core.Chat) bool { return core.MarkOf(chat.ID) == mark })
		if at < 0 {
			return true, nil
		}
		events, err := tables.Events.Read(ctx, chats[at].ID, storage.EventRange{Limit: historyLimit, Newest: true})
		if err != nil || slices.ContainsFunc(events, hasBuilt) {
			return true, err
		}
	}
	return false, nil
}

// hasBuilt reports whether an event ends a run that changed the project as done.
func hasBuilt(event core.Event) bool {
	end, is := event.Payload.(core.TaskComplete)
	return is && end.Reason == core.ReasonDone && (end.Changed == nil || *end.Changed > 0)
}

// Commit implements Projects.
func (p *PipelineProjects) Commit(ctx context.Context, run core.Run, message string) (core.Version, bool, error) {
	paths := p.pathsOfRun(ctx, run)
	if len(paths) == 0 {
		return core.Version{}, false, nil
	}
	commit := vcs.Commit{Message: message, Author: agentAuthor, ChatID: &run.ChatID, Paths: paths}
	version, made, err := p.deps.Files.Commit(ctx, run.ProjectID, commit)
	return version, made || err == nil && isVersionOf(version, run, commit), err
}

// isVersionOf reports whether the latest version is already the run's own: then a crash came
// between it and the run's last event. Versions have times in whole seconds.
func isVersionOf(latest core.Version, run core.Run, commit vcs.Commit) bool {
	return latest.Chat == core.MarkOf(run.ChatID) && latest.Author == commit.Author &&
		latest.Message == vcs.CleanMessage(commit.Message) && latest.CreatedAt >= core.At(run.CreatedAt.Std().Truncate(time.Second))
}

// pathsOfRun returns the paths that a run has changed. After a crash the run's row may
// lack the last change, so that is taken from the intent.
func (p *PipelineProjects) pathsOfRun(ctx context.Context, run core.Run) []core.ProjectPath {
	paths := run.Changed
	if run.Intent == nil {
		return paths
	}
	if _, done := tools.CarriedOut(ctx, p.Open(run), *run.Intent); done {
		paths = pathUnion(paths, pathsOfIntent(*run.Intent))
	}
	return paths
}

// CommitByHand implements Projects.
func (p *PipelineProjects) CommitByHand(ctx context.Context, project core.ID, paths []core.ProjectPath, except files.Exclusion) error {
	return p.deps.Files.CommitByHand(ctx, project, paths, except)
}

// CatchUp implements Projects.
func (p *PipelineProjects) CatchUp(ctx context.Context, project core.ID) error {
	_, err := p.deps.Files.Reconcile(ctx, project)
	return err
}

// pipelineProject is one project for the agent's tools, which work for a person.
type pipelineProject struct {
	*PipelineProjects
	project core.ID
	person  core.Actor
}

// List implements tools.Project.
func (p pipelineProject) List(ctx context.Context) ([]core.FileEntry, error) {
	listing, err := p.deps.Files.List(ctx, p.project)
	if err != nil {
		return nil, err
	}
	return listing.Entries, nil
}

// maxReadBytes is the largest file that a tool reads into memory.
const maxReadBytes = 4 << 20

// Read implements tools.Project. A file over 4 MiB has code
// core.CodePayloadTooLarge.
func (p pipelineProject) Read(ctx context.Context, path core.ProjectPath) ([]byte, string, error) {
	file, err := p.deps.Files.Open(ctx, core.FileAt{Project: p.project, Path: path})
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	if file.Entry.Size > maxReadBytes {
		return nil, "", core.Errorf(core.CodePayloadTooLarge, "%s has %d bytes, more than can be read at once", path, file.Entry.Size)
	}
	content, err := io.ReadAll(io.LimitReader(file, maxReadBytes))
	if err != nil {
		return nil, "", core.Wrap(core.CodeUnavailable, err, "%s could not be read", path)
	}
	return content, file.Entry.ETag, nil
}

// Apply implements tools.Project.
func (p pipelineProject) Apply(ctx context.Context, change core.FileChange, ifMatch string) (tools.ChangeResult, error) {
	var guard files.Guard
	if ifMatch != "" {
		guard = files.IfMatch(ifMatch)
	}
	results, err := p.deps.Files.As(p.deps.Gate, p.person, core.ActionChat).Apply(ctx, p.project, agentAuthor, []core.FileChange{change}, guard)
	if err != nil {
		return tools.ChangeResult{}, err
	}
	applied := tools.ChangeResult{Action: actionOf(change, results[0])}
	if entry := results[0].Entry; entry != nil {
		applied.ETag = entry.ETag
	}
	return applied, results[0].Err
}

func actionOf(change core.FileChange, result files.Result) core.FileAction {
	switch {
	case change.Op == core.OpDelete:
		return core.FileDeleted
	case change.Op == core.OpRename:
		return core.FileRenamed
	case result.Created:
		return core.FileCreated
	}
	return core.FileModified
}

// Search implements tools.Project.
func (p pipelineProject) Search(ctx context.Context, query search.Query) (search.Found, error) {
	return p.deps.Files.Search(ctx, p.project, query)
}

// Check implements tools.Project.
func (p pipelineProject) Check(ctx context.Context) (wrong, warnings []core.Diagnostic, err error) {
	return p.deps.Preview.Check(ctx, p.project)
}

// Syntax implements tools.Project.
func (p pipelineProject) Syntax(ctx context.Context, path core.ProjectPath, content []byte) ([]core.Diagnostic, error) {
	return p.deps.Syntax.Syntax(ctx, path.String(), content)
}

// Console implements tools.Project.
func (p pipelineProject) Console(context.Context) ([]string, error) {
	return p.deps.Preview.Console(p.project), nil
}

// Query implements tools.Project, with the rights of the person who started the run.
func (p pipelineProject) Query(ctx context.Context, sql string) (backend.Table, error) {
	return p.deps.Backends.QueryTest(ctx, p.person, p.project, sql)
}

// Request implements tools.Project, with the rights of the person who started the run.
func (p pipelineProject) Request(ctx context.Context, request tools.BackendRequest) (tools.BackendResponse, error) {
	response, err := p.deps.Backends.AskTest(ctx, p.person, p.project, backends.TestRequest(request))
	return tools.BackendResponse{Status: response.Status, Body: response.Body}, err
}

// Schema implements tools.Project.
func (p pipelineProject) Schema(ctx context.Context) (tools.SchemaState, error) {
	outcome, err := p.deps.Backends.Outcome(ctx, p.person, p.project)
	state := tools.SchemaState{Applied: outcome.Applied, Records: outcome.Stats.Collections, Wrong: outcome.Wrong}
	if outcome.Pending != nil {
		state.Pending = outcome.Pending.Steps
	}
	return state, err
}

// Calls implements tools.Project: there is no way to the log of live data.
func (p pipelineProject) Calls(ctx context.Context, failed bool) ([]core.BackendCall, error) {
	at := backend.Place{Project: p.project, Env: core.DataTest}
	return p.deps.Calls.List(ctx, p.person, at, storage.CallFilter{Failed: failed}, core.Page{Limit: tools.MaxCalls})
}
