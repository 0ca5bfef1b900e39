package projects

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxCopies bounds the copies of one project that a change reaches. Quotas keep their number far
// below it.
const maxCopies = 1000

// CopyDraft describes a working copy of a project.
type CopyDraft struct {
	// ID is the copy's.
	ID core.ID
	// Action is what the caller must be allowed in the project.
	Action core.Action
	Name   string
	// Chat becomes the only chat of the copy.
	Chat core.Chat
	// Admit is called in the transaction that records the copy, before anything is stored. Its
	// error is returned unchanged.
	Admit func(ctx context.Context, tables storage.Tables, project core.Project) error
	// Record stores what goes with the copy, in the same transaction.
	Record func(ctx context.Context, tables storage.Tables, made core.Project) error
}

// Copies makes and removes working copies of projects. A working copy has the files, the versions
// and the test data of its project, and a chat of its own. Those who see the project see the copy,
// but no list has it, and no quota counts it. It is deleted, restored and moved with its project.
type Copies struct {
	creations *Creations
	trash     *Trash
}

// Make makes a working copy as Duplicate makes a duplicate: it is the project at one moment, with
// what people have typed, and Sweep removes it if its records never come.
func (c *Copies) Make(ctx context.Context, by core.Actor, id core.ID, draft CopyDraft) (core.Project, error) {
	deps := c.creations.deps
	source, err := deps.Gate.Project(ctx, by, draft.Action, id)
	if err != nil {
		return core.Project{}, err
	}
	if err := draft.Admit(ctx, deps.Store.Tables(), source); err != nil {
		return core.Project{}, err
	}
	var made core.Project
	err = deps.Files.Duplicate(ctx, id, draft.ID, func(ctx context.Context, entries []core.FileEntry) error {
		if err := deps.Backends.CopyTestData(ctx, id, draft.ID); err != nil {
			return err
		}
		err := deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			source, err := access.ProjectIn(ctx, tables, by, draft.Action, id)
			if err != nil {
				return err
			}
			made, err = draft.store(ctx, tables, source, entries, core.At(deps.Now()))
			return err
		})
		if err == nil {
			return nil
		}
		if leftover := deps.Backends.RemoveData(context.WithoutCancel(ctx), draft.ID); leftover != nil {
			deps.Log.ErrorContext(ctx, "could not remove the data of a copy that failed", "project", draft.ID, "error", leftover)
		}
		return err
	})
	return made, err
}

func (d CopyDraft) store(ctx context.Context, tables storage.Tables, source core.Project, entries []core.FileEntry, now core.Time) (core.Project, error) {
	if err := d.Admit(ctx, tables, source); err != nil {
		return core.Project{}, err
	}
	made := core.Project{
		ID: d.ID, WorkspaceID: source.WorkspaceID, Slug: "copy-" + string(d.ID), Name: d.Name, Template: source.Template,
		Visibility: source.Visibility, CreatedBy: source.CreatedBy, CreatedAt: now, UpdatedAt: now, CopyOf: &source.ID,
	}
	if err := tables.Projects.Create(ctx, made); err != nil {
		return core.Project{}, err
	}
	if _, err := tables.Files.Apply(ctx, made.ID, storage.FileDelta{Put: entries}); err != nil {
		return core.Project{}, err
	}
	if err := tables.Chats.Create(ctx, d.Chat); err != nil {
		return core.Project{}, err
	}
	return made, d.Record(ctx, tables, made)
}

// KeepChat gives the project of a copy a copy of one of its chats, under a new id. The caller has
// checked access.
func (c *Copies) KeepChat(ctx context.Context, tables storage.Tables, from, as, project core.ID) error {
	chat, err := tables.Chats.ByID(ctx, from)
	if err != nil {
		return err
	}
	target, err := tables.Projects.ByID(ctx, project)
	if err != nil {
		return err
	}
	chat.IsDefault = false
	return copyChatAs(ctx, tables, chat, as, target)
}

// Suspend hides a working copy from everybody, in the caller's transaction: until Resume nobody changes
// it, so that nothing is added to it while it is merged. A copy that is gone is no error.
func (c *Copies) Suspend(ctx context.Context, tables storage.Tables, id core.ID) error {
	now := core.At(c.creations.deps.Now())
	return changeCopy(ctx, tables, id, func(made *core.Project) {
		if made.DeletedAt == nil {
			made.DeletedAt = &now
		}
	})
}

// Resume shows a suspended copy again, in the caller's transaction, unless its project is deleted. A copy
// that is gone is no error.
func (c *Copies) Resume(ctx context.Context, tables storage.Tables, id core.ID) error {
	made, err := tables.Projects.ByID(ctx, id)
	if err != nil || made.CopyOf == nil {
		return withoutGone(err)
	}
	project, err := tables.Projects.ByID(ctx, *made.CopyOf)
	if err != nil {
		return withoutGone(err)
	}
	return changeCopy(ctx, tables, id, func(made *core.Project) { made.DeletedAt = project.DeletedAt })
}

// Condemn lets a working copy be removed, in the caller's transaction. Nobody brings it back, and what
// a crash leaves of it goes like what it leaves of a project.
func (c *Copies) Condemn(ctx context.Context, tables storage.Tables, id core.ID) error {
	now := core.At(c.creations.deps.Now())
	return changeCopy(ctx, tables, id, func(made *core.Project) { made.DeletedAt, made.Purging = &now, true })
}

// changeCopy changes a copy, unless it is gone or being removed.
func changeCopy(ctx context.Context, tables storage.Tables, id core.ID, change func(*core.Project)) error {
	_, err := tables.Projects.Update(ctx, id, func(made *core.Project) error {
		if made.CopyOf == nil || made.Purging {
			return core.NotFound("copy")
		}
		change(made)
		return nil
	})
	return withoutGone(err)
}

func withoutGone(err error) error {
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}

// Remove removes a working copy with everything that belongs to it. A copy that is gone is no
// error. The caller has checked access.
func (c *Copies) Remove(ctx context.Context, by core.Actor, id core.ID) error {
	err := c.trash.purge(ctx, by, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
		project, err := tables.Projects.ByID(ctx, id)
		if err == nil && project.CopyOf == nil {
			err = core.NotFound("copy")
		}
		return project, err
	})
	return withoutGone(err)
}

// updateWithCopies changes a project, and its copies with it. Those that are suspended stay so, unless
// the project itself is deleted or restored.
func updateWithCopies(ctx context.Context, tables storage.Tables, id core.ID, change func(*core.Project) error) (core.Project, error) {
	wasDeleted := false
	project, err := tables.Projects.Update(ctx, id, func(project *core.Project) error {
		wasDeleted = project.DeletedAt != nil
		return change(project)
	})
	if err != nil {
		return core.Project{}, err
	}
	copies, err := copiesOf(ctx, tables, id)
	if err != nil {
		return core.Project{}, err
	}
	for _, made := range copies {
		_, err := tables.Projects.Update(ctx, made.ID, func(made *core.Project) error {
			suspended := made.DeletedAt
			made.Follow(project)
			if !wasDeleted && project.DeletedAt == nil {
				made.DeletedAt = suspended
			}
			return nil
		})
		if err != nil {
			return core.Project{}, err
		}
	}
	return project, nil
}

// copiesOf returns the working copies of a project.
func copiesOf(ctx context.Context, tables storage.Tables, id core.ID) ([]core.Project, error) {
	return tables.Projects.List(ctx, storage.ProjectFilter{CopyOf: id}, core.Page{Limit: maxCopies})
}

// withCopies calls do for a project's copies, and then for the project.
func (d *Deps) withCopies(ctx context.Context, id core.ID, do func(context.Context, core.ID) error) error {
	copies, err := copiesOf(ctx, d.Store.Tables(), id)
	if err != nil {
		return err
	}
	for _, made := range copies {
		if err := do(ctx, made.ID); err != nil {
			return err
		}
	}
	return do(ctx, id)
}
