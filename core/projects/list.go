package projects

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Filter narrows a list of projects. Zero fields do not narrow.
type Filter struct {
	Workspace core.ID
	// Folder is a folder; RootOnly lists what is in none.
	Folder     core.ID
	RootOnly   bool
	Visibility core.Visibility
	// Query is full text over name and description.
	Query string
	// Deleted lists soft-deleted projects instead of the others.
	Deleted bool
}

// List returns at most page.Limit projects that the caller sees as a member,
// newest first. With a workspace that the caller is no member of, the error has
// code CodeNotFound.
func (s *Service) List(ctx context.Context, by core.Actor, filter Filter, page core.Page) ([]View, error) {
	if err := s.ports.Gate.Caller(by, core.ActionProjectList); err != nil {
		return nil, err
	}
	if filter.Workspace != "" {
		if _, _, err := s.ports.Gate.Workspace(ctx, by, core.ActionProjectListOf, filter.Workspace); err != nil {
			return nil, err
		}
	}
	projects, err := s.ports.Store.Tables().Projects.List(ctx, storage.ProjectFilter{
		Member: by.UserID, Workspace: filter.Workspace, Folder: filter.Folder, RootOnly: filter.RootOnly,
		Visibility: filter.Visibility, Query: filter.Query, Deleted: filter.Deleted,
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
