package projects

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// DuplicateDraft describes a copy of a project. A nil Name means the project's name
// plus " copy". A nil WorkspaceID means the project's workspace, or, for a caller who
// is not a member there, the caller's personal one. Without FolderID the copy is in
// the project's own folder if the workspace is the same, else in the root.
type DuplicateDraft struct {
	Name        *string
	WorkspaceID *core.ID
	FolderID    Nullable[core.ID]
}

// Duplicate makes a copy of a project: its files, staged ones included, all its
// versions with their ids, its chats with their logs, plans and images, and the test data
// of its backend. It does not copy environment values, domains, deployments or live data.
// Readers of a public project may call it, too: they get a new chat instead of the
// project's, and test data from the seed. A private project's copy is private, any other's
// is for its workspace.
//
// It returns core.CodeValidationFailed for a field out of bounds or a folder of
// another workspace. Other errors are access.Gate's for both workspaces, and
// core.CodeUnavailable.
//
// The copy shows the project at one moment; an active run of the agent has ended in
// the copy. Records come last, in one transaction: Sweep removes what a crash leaves
// without them.
func (c *Creations) Duplicate(ctx context.Context, by core.Actor, id core.ID, draft DuplicateDraft) (View, error) {
	source, err := c.deps.Gate.Project(ctx, by, core.ActionProjectDuplicate, id)
	if err != nil {
		return View{}, err
	}
	role, err := c.deps.Store.Tables().Workspaces.Role(ctx, source.WorkspaceID, by.UserID)
	if err != nil {
		return View{}, err
	}
	isMember := role.AtLeast(core.RoleMember)
	plan, err := c.planCopy(ctx, by, source, isMember, draft)
	if err != nil {
		return View{}, err
	}
	var project core.Project
	err = c.deps.Files.Duplicate(ctx, source.ID, plan.project.ID, func(ctx context.Context, entries []core.FileEntry) error {
		plan.entries = entries
		var err error
		project, err = c.recordCopy(ctx, plan, isMember)
		return err
	})
	if err != nil {
		return View{}, err
	}
	err = c.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return c.deps.Audit.Record(ctx, tables, by, source.WorkspaceID, core.AuditProjectDuplicated, source.Name+" as "+project.Name)
	})
	if err != nil {
		c.deps.Log.WarnContext(ctx, "could not add a duplicated project to the audit log", "project", source.ID, "error", err)
	}
	return c.views.Present(project), nil
}

// recordCopy is record for the copy of a project. A member's copy has the test data of the
// backend, too; they come first, so that a recorded copy has them.
func (c *Creations) recordCopy(ctx context.Context, plan *plan, isMember bool) (core.Project, error) {
	if isMember {
		if err := c.deps.Backends.CopyTestData(ctx, plan.source.ID, plan.project.ID); err != nil {
			return core.Project{}, err
		}
	}
	project, err := c.record(ctx, plan)
	if err == nil || !isMember {
		return project, err
	}
	if leftover := c.deps.Backends.RemoveData(context.WithoutCancel(ctx), plan.project.ID); leftover != nil {
		c.deps.Log.ErrorContext(ctx, "could not remove the data of a copy that failed", "project", plan.project.ID, "error", leftover)
	}
	return project, err
}

// planCopy is plan for the copy of a project.
func (c *Creations) planCopy(ctx context.Context, by core.Actor, source core.Project, isMember bool, draft DuplicateDraft) (*plan, error) {
	workspace, err := c.targetOf(ctx, by, source, isMember, draft.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if _, _, err := c.deps.Gate.Workspace(ctx, by, core.ActionProjectCreate, workspace); err != nil {
		return nil, err
	}
	asked := Draft{Name: copyName(source.Name), FolderID: draft.FolderID.Value, Template: source.Template}
	if draft.Name != nil {
		asked.Name = *draft.Name
	}
	if !draft.FolderID.Present && workspace == source.WorkspaceID {
		asked.FolderID = source.FolderID
	}
	made, err := c.plan(ctx, by, workspace, asked)
	if err != nil {
		return nil, err
	}
	made.project.Description, made.source = source.Description, &source
	return made, nil
}

// storeCopy is store for a copy. A private source makes the copy private, and only a
// caller who may read the chats gets them: both are checked in the transaction.
func (p *plan) storeCopy(ctx context.Context, tables storage.Tables, project *core.Project) error {
	source, err := access.ProjectIn(ctx, tables, p.by, core.ActionProjectDuplicate, p.source.ID)
	if err != nil {
		return err
	}
	if source.Visibility == core.VisibilityPrivate {
		project.Visibility = core.VisibilityPrivate
	}
	role, err := tables.Workspaces.Role(ctx, source.WorkspaceID, p.by.UserID)
	if err != nil {
		return err
	}
	if !role.AtLeast(core.RoleMember) {
		return p.store(ctx, tables, *project)
	}
	if err := p.storeProject(ctx, tables, *project); err != nil {
		return err
	}
	return copyChats(ctx, tables, source.ID, p.chat, *project)
}

// targetOf returns the workspace for a copy. The first workspace of a reader need not
// be their own: others may have invited them into older personal ones.
func (c *Creations) targetOf(ctx context.Context, by core.Actor, source core.Project, isMember bool, asked *core.ID) (core.ID, error) {
	if asked != nil {
		return core.ParseID(string(*asked))
	}
	if isMember {
		return source.WorkspaceID, nil
	}
	spaces, err := c.deps.Store.Tables().Workspaces.OfUser(ctx, by.UserID)
	if err != nil {
		return "", err
	}
	own := slices.IndexFunc(spaces, core.JoinedWorkspace.IsOwn)
	if own < 0 {
		return "", core.Errorf(core.CodeValidationFailed, "workspaceId is missing: name the workspace for the copy")
	}
	return spaces[own].ID, nil
}

// copySuffix ends the name of a copy if the caller gives none.
const copySuffix = " copy"

func copyName(name string) string {
	if room := core.MaxProjectNameChars - utf8.RuneCountInString(copySuffix); utf8.RuneCountInString(name) > room {
		name = string([]rune(name)[:room])
	}
	return name + copySuffix
}

// copyChats gives a project copies of another's chats. If there are none, the project
// gets fresh.
func copyChats(ctx context.Context, tables storage.Tables, from core.ID, fresh core.Chat, project core.Project) error {
	chats, err := tables.Chats.List(ctx, from)
	if err != nil {
		return err
	}
	if len(chats) == 0 {
		return tables.Chats.Create(ctx, fresh)
	}
	for _, chat := range chats {
		if err := copyChat(ctx, tables, chat, project); err != nil {
			return err
		}
	}
	return nil
}

// goesOnElsewhere ends the copy of a run that is active in the copied project.
var goesOnElsewhere = core.SessionError{Error: core.CodeInterrupted, Message: "This run was in progress when the project was copied, and continued in the original. Write again to let me continue here."}

// copyChat gives a project a copy of a chat, with its log and its images.
func copyChat(ctx context.Context, tables storage.Tables, from core.Chat, project core.Project) error {
	return copyChatAs(ctx, tables, from, core.NewID(), project)
}

func copyChatAs(ctx context.Context, tables storage.Tables, from core.Chat, as core.ID, project core.Project) error {
	chat := from
	chat.ID, chat.ProjectID, chat.Running = as, project.ID, false
	if err := tables.Chats.Create(ctx, chat); err != nil {
		return err
	}
	names, err := copyImages(ctx, tables, from.ID, chat, project)
	if err != nil {
		return err
	}
	if err := tables.Events.Copy(ctx, from.ID, chat.ID, names); err != nil {
		return err
	}
	last, err := tables.Events.Read(ctx, chat.ID, storage.EventRange{Limit: 1, Newest: true})
	if err != nil || len(last) == 0 || last[0].Ends() {
		return err
	}
	_, err = tables.Events.Append(ctx, chat.ID, project.CreatedAt, []core.Payload{goesOnElsewhere})
	return err
}

// copyImages copies the images of a chat and returns their new ids. Images belong to
// runs, and runs are not copied: one ended run owns all of the copies.
func copyImages(ctx context.Context, tables storage.Tables, from core.ID, chat core.Chat, project core.Project) (map[core.ID]core.ID, error) {
	images, err := tables.Attachments.OfChat(ctx, from)
	if err != nil || len(images) == 0 {
		return nil, err
	}
	run := core.Run{
		ID: core.NewID(), ChatID: chat.ID, ProjectID: project.ID, WorkspaceID: project.WorkspaceID, UserID: project.CreatedBy,
		Status: core.RunEnded, Mode: chat.Mode, CreatedAt: project.CreatedAt, EndedAt: &project.CreatedAt,
	}
	if err := tables.Runs.Create(ctx, run); err != nil {
		return nil, err
	}
	names := make(map[core.ID]core.ID, len(images))
	for _, image := range images {
		names[image] = core.NewID()
		if err := tables.Attachments.Copy(ctx, image, run.ID, names[image]); err != nil {
			return nil, err
		}
	}
	return names, nil
}
