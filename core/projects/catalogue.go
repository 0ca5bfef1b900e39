package projects

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Catalogue finds projects, and changes what is recorded about them.
type Catalogue struct {
	deps  *Deps
	views *Views
}

// Templates returns the templates of new projects, in the order in which to show them.
func (c *Catalogue) Templates(by core.Actor) ([]core.Template, error) {
	if err := c.deps.Gate.Caller(by, core.ActionTemplateList); err != nil {
		return nil, err
	}
	return c.deps.Templates.List(), nil
}

// Get returns a project that the caller may read.
func (c *Catalogue) Get(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	project, err := c.deps.Gate.Project(ctx, by, core.ActionProjectRead, id)
	return c.views.Present(project), err
}

// Filter narrows a list of projects. Zero fields do not narrow.
type Filter struct {
	Workspace core.ID
	// Public lists the public projects of all workspaces instead of those that the
	// caller sees as a member.
	Public bool
	// Folder is a folder; RootOnly lists projects in no folder.
	Folder     core.ID
	RootOnly   bool
	Visibility core.Visibility
	// Query is a full-text search over name and description.
	Query string
	// Deleted lists soft-deleted projects instead of the others.
	Deleted bool
	// Sort is the order, "" for newest first.
	Sort core.ProjectSort
}

// List returns at most page.Limit projects that the caller sees as a member, or the
// public ones of a workspace that the caller is not a member of. It returns
// CodeNotFound if that has none.
func (c *Catalogue) List(ctx context.Context, by core.Actor, filter Filter, page core.Page) ([]View, error) {
	if err := c.deps.Gate.Caller(by, core.ActionProjectList); err != nil {
		return nil, err
	}
	if filter.Workspace != "" && !filter.Public {
		_, _, err := c.deps.Gate.Workspace(ctx, by, core.ActionProjectListOf, filter.Workspace)
		if core.IsCode(err, core.CodeNotFound) {
			filter.Public, err = true, c.checkPublic(ctx, by, filter.Workspace, err)
		}
		if err != nil {
			return nil, err
		}
	}
	projects, err := c.deps.Store.Tables().Projects.List(ctx, storage.ProjectFilter{
		Member: by.UserID, Public: filter.Public, Workspace: filter.Workspace, Folder: filter.Folder, RootOnly: filter.RootOnly,
		Visibility: filter.Visibility, Query: filter.Query, Deleted: filter.Deleted, Sort: filter.Sort,
		AnyFactor: by.Token,
	}, page)
	if err != nil {
		return nil, err
	}
	views := make([]View, len(projects))
	for i, project := range projects {
		views[i] = c.views.Present(project)
	}
	return views, nil
}

// checkPublic returns nil if a workspace has a public project for a caller who is not
// a member, else hidden.
func (c *Catalogue) checkPublic(ctx context.Context, by core.Actor, workspace core.ID, hidden error) error {
	if err := core.RuleOf(core.ActionProjectListOf).CheckScope(by); err != nil {
		return err
	}
	shown, err := c.deps.Store.Tables().Projects.List(ctx, storage.ProjectFilter{Public: true, Workspace: workspace}, core.Page{Limit: 1})
	if err == nil && len(shown) == 0 {
		return hidden
	}
	return err
}
