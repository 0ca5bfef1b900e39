package projects

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

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
// public ones of a workspace of which the caller is not a member. It returns
// CodeNotFound if that has none.
func (s *Service) List(ctx context.Context, by core.Actor, filter Filter, page core.Page) ([]View, error) {
	if err := s.deps.Gate.Caller(by, core.ActionProjectList); err != nil {
		return nil, err
	}
	if filter.Workspace != "" && !filter.Public {
		_, _, err := s.deps.Gate.Workspace(ctx, by, core.ActionProjectListOf, filter.Workspace)
		if core.IsCode(err, core.CodeNotFound) {
			filter.Public, err = true, s.checkPublic(ctx, by, filter.Workspace, err)
		}
		if err != nil {
			return nil, err
		}
	}
	projects, err := s.deps.Store.Tables().Projects.List(ctx, storage.ProjectFilter{
		Member: by.UserID, Public: filter.Public, Workspace: filter.Workspace, Folder: filter.Folder, RootOnly: filter.RootOnly,
		Visibility: filter.Visibility, Query: filter.Query, Deleted: filter.Deleted, Sort: filter.Sort,
	}, page)
	if err != nil {
		return nil, err
	}
	views := make([]View, len(projects))
	for i, project := range projects {
		views[i] = s.Present(project)
	}
	return views, nil
}

// checkPublic returns nil if a workspace has a public project for a caller who is not
// a member, else hidden.
func (s *Service) checkPublic(ctx context.Context, by core.Actor, workspace core.ID, hidden error) error {
	if err := core.RuleOf(core.ActionProjectListOf).CheckScope(by); err != nil {
		return err
	}
	shown, err := s.deps.Store.Tables().Projects.List(ctx, storage.ProjectFilter{Public: true, Workspace: workspace}, core.Page{Limit: 1})
	if err == nil && len(shown) == 0 {
		return hidden
	}
	return err
}
