package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type projects struct{ records records[core.Project] }

func projectsOf(session conn) records[core.Project] {
	return records[core.Project]{
		session: session,
		noun:    "project",
		table:   func(s *database) *table[core.ID, core.Project] { return &s.projects },
		id:      func(p core.Project) core.ID { return p.ID },
		copy:    copyProject,
		pin:     func(p *core.Project, before core.Project) { p.ID, p.CreatedAt = before.ID, before.CreatedAt },
		check:   checkProject,
	}
}

func copyProject(p core.Project) core.Project {
	p.FolderID, p.Description, p.Template = copyOf(p.FolderID), copyOf(p.Description), copyOf(p.Template)
	p.ThumbnailURL, p.PublishedAt, p.CustomDomain = copyOf(p.ThumbnailURL), copyOf(p.PublishedAt), copyOf(p.CustomDomain)
	p.DeletedAt, p.PublishedSlug, p.DeploymentID = copyOf(p.DeletedAt), copyOf(p.PublishedSlug), copyOf(p.DeploymentID)
	p.CopyOf = copyOf(p.CopyOf)
	return p
}

func checkProject(s *database, project core.Project) error {
	for _, other := range s.projects.rows {
		switch {
		case other.ID == project.ID:
		case other.WorkspaceID == project.WorkspaceID && other.Slug == project.Slug:
			return core.Errorf(core.CodeConflict, "another project of the workspace has this slug")
		case project.PublishedSlug != nil && other.PublishedSlug != nil && *other.PublishedSlug == *project.PublishedSlug:
			return core.Errorf(core.CodeSlugTaken, "another site has this slug")
		}
	}
	if !s.workspaces.has(project.WorkspaceID) {
		return core.NotFound("workspace")
	}
	if project.CopyOf != nil && !s.projects.has(*project.CopyOf) {
		return core.NotFound("project")
	}
	if project.FolderID != nil && !s.folders.has(*project.FolderID) {
		return core.NotFound("folder")
	}
	return nil
}

// Create implements storage.Projects.
func (p projects) Create(ctx context.Context, project core.Project) error {
	return p.records.create(ctx, project)
}

// ByID implements storage.Projects.
func (p projects) ByID(ctx context.Context, id core.ID) (core.Project, error) {
	return p.records.byID(ctx, id)
}

// SeenBy implements storage.Projects.
func (p projects) SeenBy(ctx context.Context, id, user core.ID) (core.Project, core.Standing, error) {
	state, err := p.records.session.view(ctx)
	if err != nil {
		return core.Project{}, core.Standing{}, err
	}
	return seenProject(p.records, state, id, user)
}

// seenProject returns a project with the user's standing in its workspace.
func seenProject(records records[core.Project], state *database, id, user core.ID) (core.Project, core.Standing, error) {
	project, err := records.in(state, id)
	return project, state.standing(project.WorkspaceID, user), err
}

// ByPublishedSlug implements storage.Projects.
func (p projects) ByPublishedSlug(ctx context.Context, slug string) (core.Project, error) {
	return p.records.first(ctx, func(project core.Project) bool {
		return project.PublishedSlug != nil && *project.PublishedSlug == slug
	})
}

// Update implements storage.Projects.
func (p projects) Update(ctx context.Context, id core.ID, change func(*core.Project) error) (core.Project, error) {
	return p.records.update(ctx, id, change)
}

// Delete implements storage.Projects.
func (p projects) Delete(ctx context.Context, id core.ID) error {
	return p.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.projects.edit(state), id)
		state.dropProject(id)
	})
}

// dropProject removes what belongs to a project.
func (s *database) dropProject(id core.ID) {
	delete(s.files.edit(s), id)
	s.deployments.drop(s, func(d core.Deployment) bool { return d.ProjectID == id })
	s.schedules.drop(s, func(f core.FunctionSchedule) bool { return f.ProjectID == id })
	s.variables.drop(s, func(v core.Variable) bool { return v.ProjectID == id })
	s.testMails.drop(s, func(m core.TestMail) bool { return m.ProjectID == id })
	s.snapshots.drop(s, func(d core.DataSnapshot) bool { return d.ProjectID == id })
	s.signIns.drop(s, func(p core.SignInProvider) bool { return p.ProjectID == id })
	s.accepted.drop(s, func(a core.AcceptedFinding) bool { return a.ProjectID == id })
	s.calls.drop(s, func(calls []core.BackendCall) bool { return calls[0].ProjectID == id })
	s.domains.drop(s, func(d core.Domain) bool { return d.ProjectID == id })
	s.checks.drop(s, func(c storedCheck) bool { return c.ProjectID == id })
	s.takedowns.drop(s, func(takedown core.Takedown) bool { return takedown.ProjectID == id })
	s.sites.drop(s, func(settings core.SiteSettings) bool { return settings.ProjectID == id })
	s.siteCounts.drop(s, func(c core.SiteCount) bool { return c.ProjectID == id })
	s.previewLinks.drop(s, func(l core.PreviewLink) bool { return l.ProjectID == id })
	s.versionMarks.drop(s, func(m core.VersionMark) bool { return m.ProjectID == id })
	s.thumbnails.drop(s, func(t core.Thumbnail) bool { return t.ProjectID == id })
	s.dropWebhooks(func(w core.Webhook) bool { return w.ProjectID != nil && *w.ProjectID == id })
	s.tasks.drop(s, func(t core.Task) bool { return t.ProjectID == id })
	s.remotes.drop(s, func(r core.ProjectRemote) bool { return r.ProjectID == id })
	s.orphanTemplates(id)
	s.comments.drop(s, func(c core.Comment) bool { return c.ProjectID == id })
	delete(s.rooms.edit(s), id)
	for _, chat := range s.chats.drop(s, func(c core.Chat) bool { return c.ProjectID == id }) {
		s.dropChat(chat.ID)
	}
	for _, made := range s.projects.drop(s, func(p core.Project) bool { return p.CopyOf != nil && *p.CopyOf == id }) {
		s.dropProject(made.ID)
	}
}

// List implements storage.Projects.
func (p projects) List(ctx context.Context, filter storage.ProjectFilter, page core.Page) ([]core.Project, error) {
	state, err := p.records.session.view(ctx)
	if err != nil {
		return nil, err
	}
	words := storage.Words(filter.Query)
	found := p.records.listIn(state, func(project core.Project) bool {
		return state.isListed(project, filter) && hasWords(project, words) &&
			(page.Before == nil || inOrder(filter.Sort, *page.Before, storage.PositionOf(project)) < 0)
	}, func(a, b core.Project) int { return inOrder(filter.Sort, storage.PositionOf(a), storage.PositionOf(b)) })
	return found[:min(len(found), max(0, page.Limit))], nil
}

// inOrder compares the positions of two projects in a list.
func inOrder(sort core.ProjectSort, a, b core.Position) int {
	switch sort {
	case core.SortUpdated:
		return cmp.Or(cmp.Compare(b.UpdatedAt, a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	case core.SortName:
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
}

// isSeen reports whether a list may hold a project at all.
func (s *database) isSeen(project core.Project, filter storage.ProjectFilter) bool {
	if filter.CopyOf != "" {
		return project.CopyOf != nil && *project.CopyOf == filter.CopyOf
	}
	if filter.Purging {
		return project.Purging
	}
	if filter.DeletedBefore != 0 {
		return project.DeletedAt != nil && *project.DeletedAt < filter.DeletedBefore
	}
	if project.CopyOf != nil && !filter.Copies {
		return false
	}
	if filter.Public {
		return project.Visibility == core.VisibilityPublic && project.DeletedAt == nil
	}
	seen := s.standing(project.WorkspaceID, filter.Member)
	return seen.Role != core.RoleNone && (filter.AnyFactor || !seen.LacksFactor) &&
		(project.Visibility != core.VisibilityPrivate || project.CreatedBy == filter.Member || seen.Role.AtLeast(core.RoleAdmin))
}

// isListed applies all of the filter except the full text.
func (s *database) isListed(project core.Project, filter storage.ProjectFilter) bool {
	switch {
	case !s.isSeen(project, filter),
		filter.Workspace != "" && project.WorkspaceID != filter.Workspace,
		filter.Folder != "" && (project.FolderID == nil || *project.FolderID != filter.Folder),
		filter.RootOnly && project.FolderID != nil,
		filter.Visibility != "" && project.Visibility != filter.Visibility,
		filter.DeletedBefore == 0 && !filter.Purging && filter.CopyOf == "" && filter.Deleted != (project.DeletedAt != nil):
		return false
	}
	return true
}

// isBehind reports whether a record follows a cursor in a list that is sorted newest
// first.
func isBehind(createdAt core.Time, id core.ID, before *core.Position) bool {
	return before == nil || createdAt < before.CreatedAt ||
		createdAt == before.CreatedAt && id < before.ID
}

func hasWords(project core.Project, prefixes []string) bool {
	words := storage.Words(project.Name)
	if project.Description != nil {
		words = append(words, storage.Words(*project.Description)...)
	}
	for _, prefix := range prefixes {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, prefix) }) {
			return false
		}
	}
	return true
}

// Count implements storage.Projects.
func (p projects) Count(ctx context.Context, workspace core.ID) (int, error) {
	found, err := p.records.list(ctx, func(project core.Project) bool {
		return project.WorkspaceID == workspace && project.CopyOf == nil
	}, nil)
	return len(found), err
}

// SlugsLike implements storage.Projects.
func (p projects) SlugsLike(ctx context.Context, workspace core.ID, slug string) ([]string, error) {
	found, err := p.records.list(ctx, func(project core.Project) bool {
		return project.WorkspaceID == workspace && (project.Slug == slug || strings.HasPrefix(project.Slug, slug+"-"))
	}, nil)
	slugs := make([]string, len(found))
	for i, project := range found {
		slugs[i] = project.Slug
	}
	return slugs, err
}
