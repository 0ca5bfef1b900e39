package projects

import (
	"context"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Transfer moves a project to another workspace, where the caller must also be an
// owner. It goes to the root there, with a numbered slug if its own is taken. It keeps
// its files, versions, chats, site and domains. Its past costs stay with the workspace
// that paid. Links to its preview end: those who get the project have not shared it.
//
// It returns core.CodeValidationFailed for the project's current workspace,
// core.CodeChatBusy if a run is active, and core.CodeConflict if the other workspace has
// as many projects as it may.
func (c *Catalogue) Transfer(ctx context.Context, by core.Actor, id, to core.ID) (View, error) {
	project, err := c.deps.Gate.Project(ctx, by, core.ActionProjectTransfer, id)
	if err != nil {
		return View{}, err
	}
	if project.WorkspaceID == to {
		return View{}, core.Errorf(core.CodeValidationFailed, "workspaceId must name another workspace: the project is in this one")
	}
	err = c.deps.underFreeSlug(ctx, to, project.Slug, func(ctx context.Context, tables storage.Tables, slug string) error {
		from, target, err := bothWorkspaces(ctx, tables, by, project.WorkspaceID, to)
		if err != nil {
			return err
		}
		if err := c.deps.checkQuota(ctx, tables, to); err != nil {
			return err
		}
		if err := checkAllIdle(ctx, tables, id); err != nil {
			return err
		}
		project, err = updateWithCopies(ctx, tables, id, func(stored *core.Project) error {
			if stored.DeletedAt != nil || stored.WorkspaceID != from.ID {
				return core.NotFound("project")
			}
			stored.MoveTo(to)
			stored.Slug, stored.UpdatedAt = slug, core.At(c.deps.Now())
			return nil
		})
		if err != nil {
			return err
		}
		if err := endLinks(ctx, tables, id); err != nil {
			return err
		}
		what := fmt.Sprintf("%s: %s → %s", project.Name, from.Name, target.Name)
		for _, workspace := range []core.ID{from.ID, target.ID} {
			if err := c.deps.Audit.Record(ctx, tables, by, workspace, core.AuditProjectTransferred, what); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return View{}, err
	}
	c.deps.announce(ctx, id)
	return c.views.Present(project), nil
}

// bothWorkspaces returns the two workspaces if the caller may transfer between them.
func bothWorkspaces(ctx context.Context, tables storage.Tables, by core.Actor, from, to core.ID) (source, target core.Workspace, err error) {
	if source, _, err = access.WorkspaceIn(ctx, tables, by, core.ActionProjectTransfer, from); err == nil {
		target, _, err = access.WorkspaceIn(ctx, tables, by, core.ActionProjectTransfer, to)
	}
	return source, target, err
}

// endLinks deletes the links to the preview of a project, and to those of its copies.
func endLinks(ctx context.Context, tables storage.Tables, project core.ID) error {
	copies, err := copiesOf(ctx, tables, project)
	if err != nil {
		return err
	}
	ids := []core.ID{project}
	for _, made := range copies {
		ids = append(ids, made.ID)
	}
	for _, id := range ids {
		links, err := tables.PreviewLinks.List(ctx, id)
		if err != nil {
			return err
		}
		for _, link := range links {
			if err := tables.PreviewLinks.Delete(ctx, link.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkAllIdle is checkIdle for a project and its copies.
func checkAllIdle(ctx context.Context, tables storage.Tables, project core.ID) error {
	copies, err := copiesOf(ctx, tables, project)
	if err != nil {
		return err
	}
	for _, made := range copies {
		if err := checkIdle(ctx, tables, made.ID); err != nil {
			return err
		}
	}
	return checkIdle(ctx, tables, project)
}

// checkIdle returns an error if the project has an active run: it would continue at the
// cost of the former workspace.
func checkIdle(ctx context.Context, tables storage.Tables, project core.ID) error {
	chats, err := tables.Chats.List(ctx, project)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if chat.Running {
			return core.Errorf(core.CodeChatBusy, "the agent is working in the chat %q: stop it, or wait until it has finished", chat.Title)
		}
	}
	return nil
}
