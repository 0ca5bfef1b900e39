package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type sharedTemplateRow struct {
	bun.BaseModel `bun:"table:shared_templates,alias:st"`
	core.SharedTemplate
}

func (r sharedTemplateRow) template() core.SharedTemplate { return r.SharedTemplate }

type sharedContentRow struct {
	bun.BaseModel `bun:"table:shared_template_contents,alias:stc"`
	TemplateID    core.ID
	Archive       []byte
	Picture       []byte
}

type sharedTemplates struct{ session }

// Create implements storage.SharedTemplates.
func (t sharedTemplates) Create(ctx context.Context, template core.SharedTemplate) error {
	if err := storage.CheckText(template); err != nil {
		return err
	}
	return insert(ctx, t.session, "template", &sharedTemplateRow{SharedTemplate: template})
}

// ByID implements storage.SharedTemplates.
func (t sharedTemplates) ByID(ctx context.Context, id core.ID) (core.SharedTemplate, error) {
	row, err := find[sharedTemplateRow](ctx, t.session, "template", "id", string(id))
	return row.template(), err
}

// List implements storage.SharedTemplates.
func (t sharedTemplates) List(ctx context.Context, workspace core.ID) ([]core.SharedTemplate, error) {
	rows, err := list[sharedTemplateRow](ctx, t.session, "workspace_id", string(workspace), "st.created_at DESC, st.id DESC")
	return each(rows, sharedTemplateRow.template), err
}

// Update implements storage.SharedTemplates.
func (t sharedTemplates) Update(ctx context.Context, id core.ID, change func(*core.SharedTemplate) error) (core.SharedTemplate, error) {
	row, err := update(ctx, t.session, "template", id, func(row *sharedTemplateRow) error {
		before := row.SharedTemplate
		if err := change(&row.SharedTemplate); err != nil {
			return err
		}
		row.ID, row.WorkspaceID, row.ProjectID = before.ID, before.WorkspaceID, before.ProjectID
		row.CreatedBy, row.CreatedAt = before.CreatedBy, before.CreatedAt
		return storage.CheckText(row.SharedTemplate)
	})
	return row.template(), err
}

// Delete implements storage.SharedTemplates.
func (t sharedTemplates) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, t.session, "template", "shared_templates", id)
}

// PutContent implements storage.SharedTemplates.
func (t sharedTemplates) PutContent(ctx context.Context, id core.ID, content core.SharedContent) error {
	return t.exec(ctx, "template", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().
			Model(&sharedContentRow{TemplateID: id, Archive: content.Archive, Picture: content.Picture}).
			On("CONFLICT (template_id) DO UPDATE").
			Set("archive = EXCLUDED.archive").Set("picture = EXCLUDED.picture").
			Exec(ctx)
		return err
	})
}

// Content implements storage.SharedTemplates.
func (t sharedTemplates) Content(ctx context.Context, id core.ID) (core.SharedContent, error) {
	row, err := find[sharedContentRow](ctx, t.session, "template", "template_id", string(id))
	return core.SharedContent{Archive: row.Archive, Picture: row.Picture}, err
}
