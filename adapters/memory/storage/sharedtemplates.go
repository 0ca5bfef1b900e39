package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type sharedTemplates struct {
	records records[core.SharedTemplate]
}

func sharedTemplatesOf(session conn) records[core.SharedTemplate] {
	return records[core.SharedTemplate]{
		session: session,
		noun:    "template",
		table:   func(s *database) *table[core.ID, core.SharedTemplate] { return &s.templates },
		id:      func(t core.SharedTemplate) core.ID { return t.ID },
		copy: func(t core.SharedTemplate) core.SharedTemplate {
			t.ProjectID = copyOf(t.ProjectID)
			return t
		},
		pin: func(t *core.SharedTemplate, before core.SharedTemplate) {
			t.ID, t.WorkspaceID, t.ProjectID = before.ID, before.WorkspaceID, before.ProjectID
			t.CreatedBy, t.CreatedAt = before.CreatedBy, before.CreatedAt
		},
		check: func(s *database, t core.SharedTemplate) error {
			if !s.workspaces.has(t.WorkspaceID) {
				return core.NotFound("workspace")
			}
			if t.ProjectID != nil && !s.projects.has(*t.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

// Create implements storage.SharedTemplates.
func (t sharedTemplates) Create(ctx context.Context, template core.SharedTemplate) error {
	return t.records.create(ctx, template)
}

// ByID implements storage.SharedTemplates.
func (t sharedTemplates) ByID(ctx context.Context, id core.ID) (core.SharedTemplate, error) {
	return t.records.byID(ctx, id)
}

// List implements storage.SharedTemplates.
func (t sharedTemplates) List(ctx context.Context, workspace core.ID) ([]core.SharedTemplate, error) {
	return t.records.list(ctx, func(template core.SharedTemplate) bool { return template.WorkspaceID == workspace }, func(a, b core.SharedTemplate) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

// Update implements storage.SharedTemplates.
func (t sharedTemplates) Update(ctx context.Context, id core.ID, change func(*core.SharedTemplate) error) (core.SharedTemplate, error) {
	return t.records.update(ctx, id, change)
}

// Delete implements storage.SharedTemplates.
func (t sharedTemplates) Delete(ctx context.Context, id core.ID) error {
	return t.records.delete(ctx, id, func(state *database, id core.ID) {
		state.dropTemplates(func(template core.SharedTemplate) bool { return template.ID == id })
	})
}

// dropTemplates removes templates with their contents.
func (s *database) dropTemplates(doomed func(core.SharedTemplate) bool) {
	for _, template := range s.templates.drop(s, doomed) {
		delete(s.contents.edit(s), template.ID)
	}
}

// orphanTemplates lets the templates of a project forget it.
func (s *database) orphanTemplates(project core.ID) {
	for id, template := range s.templates.rows {
		if template.ProjectID != nil && *template.ProjectID == project {
			template.ProjectID = nil
			s.templates.edit(s)[id] = template
		}
	}
}

// PutContent implements storage.SharedTemplates.
func (t sharedTemplates) PutContent(ctx context.Context, id core.ID, content core.SharedContent) error {
	return t.records.session.change(ctx, func(state *database) error {
		if !state.templates.has(id) {
			return core.NotFound("template")
		}
		state.contents.edit(state)[id] = copyOfContent(content)
		return nil
	})
}

// Content implements storage.SharedTemplates.
func (t sharedTemplates) Content(ctx context.Context, id core.ID) (core.SharedContent, error) {
	state, err := t.records.session.view(ctx)
	if err != nil {
		return core.SharedContent{}, err
	}
	content, found := state.contents.rows[id]
	if !found {
		return core.SharedContent{}, core.NotFound("template")
	}
	return copyOfContent(content), nil
}

func copyOfContent(content core.SharedContent) core.SharedContent {
	return core.SharedContent{Archive: slices.Clone(content.Archive), Picture: slices.Clone(content.Picture)}
}
