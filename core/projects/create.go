package projects

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// DefaultTemplate is the template of a project if the caller names none.
const DefaultTemplate = "blank"

// defaultChatTitle names the chat that every project begins with.
const defaultChatTitle = "New chat"

// Draft describes a new project. Nil and empty fields and a blank prompt mean the default.
type Draft struct {
	Name string
	// Template is the id of a template: the service's, or that of a workspace.
	Template *string
	FolderID *core.ID
	// Visibility is core.VisibilityWorkspace by default.
	Visibility *string
	// Prompt is the first message to the agent. Model, Thinking, OwnProvider and Attachments belong to
	// it, as to a message of a chat.
	Prompt *string
	// Model is "", a model, or <providerId>/<model>.
	Model string
	// Thinking is how much the model thinks, "" as it does by itself.
	Thinking core.Thinking
	// OwnProvider spends the creator's own AI subscription.
	OwnProvider bool
	// Attachments are the sources of the images.
	Attachments []attachments.Source
	// Mode is that of the project's chat, core.ModeBuild by default.
	Mode string
}

// Creations makes projects: from templates, from archives and repositories, and as copies.
type Creations struct {
	deps     *Deps
	views    *Views
	archives *archives
}

// Create makes a project with its tree, its repository, its default chat and, if
// there is a prompt, a queued run that needs no client. It returns
// CodeValidationFailed for a field out of bounds, an unknown template, a folder of
// another workspace, or an image or a model without a prompt; CodeConflict if the
// workspace has as many projects as it may; and the errors of attachments.Loader.
//
// The tree is made first, under an id that nothing refers to yet, and all records in
// one transaction after it. So a crash in between leaves no record without a tree;
// Sweep removes a tree that it leaves.
func (c *Creations) Create(ctx context.Context, by core.Actor, workspace core.ID, draft Draft) (View, error) {
	if _, _, err := c.deps.Gate.Workspace(ctx, by, core.ActionProjectCreate, workspace); err != nil {
		return View{}, err
	}
	if draft.Template == nil {
		template := DefaultTemplate
		draft.Template = &template
	}
	plan, err := c.plan(ctx, by, workspace, draft)
	if err != nil {
		return View{}, err
	}
	if err := c.enclose(ctx, plan, draft); err != nil {
		return View{}, err
	}
	from, err := c.start(ctx, by, *draft.Template)
	if err != nil {
		return View{}, err
	}
	defer from.leave()
	if from.isShared {
		// The agent does not replace what the workspace made, as it does what a template begins with.
		plan.project.Template = nil
	}
	return c.carryOut(ctx, plan, from.source, "Create the project from the template "+from.name)
}

// carryOut makes the planned project with the files of a source, which become its
// first version.
func (c *Creations) carryOut(ctx context.Context, plan *plan, source files.Source, message string) (View, error) {
	first := vcs.Commit{Message: message, Author: plan.author, At: plan.project.CreatedAt}
	var err error
	if plan.entries, err = c.deps.Files.CreateFrom(ctx, plan.project.ID, source, first); err != nil {
		return View{}, err
	}
	project, err := c.record(ctx, plan)
	if err != nil {
		c.abandon(ctx, plan.project.ID)
		return View{}, err
	}
	if plan.run != nil && c.deps.Queued != nil {
		c.deps.Queued()
	}
	return c.views.Present(project), nil
}

// plan is everything that a creation will store.
type plan struct {
	by      core.Actor
	project core.Project
	author  core.Author
	entries []core.FileEntry
	chat    core.Chat
	run     *core.Run
	images  []core.Image
	// source is the project that this one is a copy of.
	source *core.Project
}

// decide repeats the checks from before the files were made, which can take minutes:
// that the caller may make projects here, and that the folder is the workspace's.
func (p *plan) decide(ctx context.Context, tables storage.Tables) error {
	if _, _, err := access.WorkspaceIn(ctx, tables, p.by, core.ActionProjectCreate, p.project.WorkspaceID); err != nil {
		return err
	}
	return checkFolder(ctx, tables, p.project.WorkspaceID, p.project.FolderID)
}

func (c *Creations) plan(ctx context.Context, by core.Actor, workspace core.ID, draft Draft) (*plan, error) {
	name, err := core.CheckName("name", draft.Name, core.MaxProjectNameChars)
	if err != nil {
		return nil, err
	}
	tables := c.deps.Store.Tables()
	if err := c.deps.checkQuota(ctx, tables, workspace); err != nil {
		return nil, err
	}
	if err := checkFolder(ctx, tables, workspace, draft.FolderID); err != nil {
		return nil, err
	}
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	visibility := core.VisibilityWorkspace
	if draft.Visibility != nil {
		if visibility, err = core.ParseVisibility(*draft.Visibility); err != nil {
			return nil, err
		}
	}
	mode, err := core.CheckName("mode", cmp.Or(draft.Mode, core.ModeBuild), core.MaxModeChars)
	if err != nil {
		return nil, err
	}
	now := core.At(c.deps.Now())
	project := core.Project{
		ID: core.NewID(), WorkspaceID: workspace, FolderID: draft.FolderID, Slug: core.Slugify(name), Name: name,
		Template: draft.Template, Visibility: visibility, CreatedAt: now, UpdatedAt: now, CreatedBy: by.UserID,
	}
	chat := core.Chat{
		ID: core.NewID(), ProjectID: project.ID, Title: defaultChatTitle, Mode: mode, IsDefault: true,
		CreatedAt: now, UpdatedAt: now,
	}
	run, err := firstRun(project, chat, draft)
	return &plan{by: by, project: project, author: files.AuthorOf(user), chat: chat, run: run}, err
}

// checkFolder returns core.CodeValidationFailed unless a folder is the workspace's.
func checkFolder(ctx context.Context, tables storage.Tables, workspace core.ID, folder *core.ID) error {
	if folder == nil {
		return nil
	}
	id, err := core.ParseID(string(*folder))
	var found core.Folder
	if err == nil {
		found, err = tables.Folders.ByID(ctx, id)
	}
	if core.IsCode(err, core.CodeNotFound) || err == nil && found.WorkspaceID != workspace {
		return core.Errorf(core.CodeValidationFailed, "folderId must be a folder of this workspace")
	}
	return err
}

// record stores the plan under the first slug that is free.
func (c *Creations) record(ctx context.Context, plan *plan) (core.Project, error) {
	var project core.Project
	err := c.deps.underFreeSlug(ctx, plan.project.WorkspaceID, plan.project.Slug, func(ctx context.Context, tables storage.Tables, slug string) error {
		if err := plan.decide(ctx, tables); err != nil {
			return err
		}
		if err := c.deps.checkQuota(ctx, tables, plan.project.WorkspaceID); err != nil {
			return err
		}
		if err := c.deps.checkBytes(ctx, tables, plan.project.WorkspaceID, plan.entries); err != nil {
			return err
		}
		project = plan.project
		project.Slug = slug
		if plan.source != nil {
			return plan.storeCopy(ctx, tables, &project)
		}
		return plan.store(ctx, tables, project)
	})
	return project, err
}

func (p *plan) store(ctx context.Context, tables storage.Tables, project core.Project) error {
	if err := p.storeProject(ctx, tables, project); err != nil {
		return err
	}
	if err := tables.Chats.Create(ctx, p.chat); err != nil {
		return err
	}
	return p.storeRun(ctx, tables)
}

// storeProject stores everything that every project has, except its chats.
func (p *plan) storeProject(ctx context.Context, tables storage.Tables, project core.Project) error {
	if err := tables.Projects.Create(ctx, project); err != nil {
		return err
	}
	_, err := tables.Files.Apply(ctx, project.ID, storage.FileDelta{Put: p.entries})
	return err
}

// abandon removes the tree of a project that could not be recorded.
func (c *Creations) abandon(ctx context.Context, project core.ID) {
	if err := c.deps.Files.Remove(context.WithoutCancel(ctx), project); err != nil {
		c.deps.Log.ErrorContext(ctx, "could not remove the files of a project that failed to be created", "project", project, "error", err)
	}
}
