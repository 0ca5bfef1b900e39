package projects

import (
	"context"
	"net/url"
	"strconv"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
)

// Gallery has the templates that workspaces share. Every member of a workspace sees and uses them;
// who shared one, and admins, change and delete it.
type Gallery struct {
	deps     *Deps
	archives *archives
}

// SharedTemplate is a shared template as members see it.
type SharedTemplate struct {
	ID          core.ID  `json:"id"`
	WorkspaceID core.ID  `json:"workspaceId"`
	ProjectID   *core.ID `json:"projectId"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	WithSeed    bool     `json:"withSeed"`
	// Bytes is the size of its archive.
	Bytes int64 `json:"bytes"`
	// ThumbnailURL changes with the picture, which is a card with the name for a project that had none.
	ThumbnailURL string  `json:"thumbnailUrl"`
	CreatedBy    core.ID `json:"createdBy"`
	// Author is the name of who shared it, "" for an account that is gone.
	Author    string    `json:"author"`
	TakenAt   core.Time `json:"takenAt"`
	CreatedAt core.Time `json:"createdAt"`
	UpdatedAt core.Time `json:"updatedAt"`
}

// List returns the templates of a workspace, the newest first.
func (g *Gallery) List(ctx context.Context, by core.Actor, workspace core.ID) ([]SharedTemplate, error) {
	if _, _, err := g.deps.Gate.Workspace(ctx, by, core.ActionSharedTemplateRead, workspace); err != nil {
		return nil, err
	}
	tables := g.deps.Store.Tables()
	found, err := tables.SharedTemplates.List(ctx, workspace)
	if err != nil {
		return nil, err
	}
	views, names := make([]SharedTemplate, len(found)), map[core.ID]string{}
	for i, template := range found {
		if views[i], err = g.present(ctx, tables, template, names); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// present returns the view of a template. names are the people that are already known.
func (g *Gallery) present(ctx context.Context, tables storage.Tables, template core.SharedTemplate, names map[core.ID]string) (SharedTemplate, error) {
	author, known := names[template.CreatedBy]
	if !known {
		user, err := tables.Users.ByID(ctx, template.CreatedBy)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			return SharedTemplate{}, err
		}
		if err == nil {
			author = files.AuthorOf(user).Name
		}
		names[template.CreatedBy] = author
	}
	picture := string(g.deps.Origin) + "/workspaces/" + url.PathEscape(string(template.WorkspaceID)) + "/templates/" + url.PathEscape(string(template.ID)) +
		"/thumbnail?v=" + strconv.FormatInt(int64(template.UpdatedAt), 36)
	return SharedTemplate{
		ID: template.ID, WorkspaceID: template.WorkspaceID, ProjectID: template.ProjectID, Name: template.Name, Description: template.Description,
		WithSeed: template.WithSeed, Bytes: template.Bytes, ThumbnailURL: picture, CreatedBy: template.CreatedBy, Author: author,
		TakenAt: template.TakenAt, CreatedAt: template.CreatedAt, UpdatedAt: template.UpdatedAt,
	}, nil
}

// Picture returns a template with its picture, which is nil if its project had none.
func (g *Gallery) Picture(ctx context.Context, by core.Actor, workspace, id core.ID) (core.SharedTemplate, []byte, error) {
	tables := g.deps.Store.Tables()
	template, _, err := templateIn(ctx, tables, by, core.ActionSharedTemplateRead, workspace, id)
	if err != nil {
		return core.SharedTemplate{}, nil, err
	}
	content, err := tables.SharedTemplates.Content(ctx, id)
	return template, content.Picture, err
}

// templateIn returns a template of the workspace, and the caller's role there, if the caller may
// do the action there.
func templateIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action, workspace, id core.ID) (core.SharedTemplate, core.Role, error) {
	_, role, err := access.WorkspaceIn(ctx, tables, by, action, workspace)
	if err != nil {
		return core.SharedTemplate{}, "", err
	}
	template, err := tables.SharedTemplates.ByID(ctx, id)
	if err == nil && template.WorkspaceID != workspace {
		err = core.NotFound("template")
	}
	if err != nil {
		return core.SharedTemplate{}, "", err
	}
	return template, role, nil
}

// ownTemplateIn is templateIn for a change, which is for who shared the template and for admins.
func ownTemplateIn(ctx context.Context, tables storage.Tables, by core.Actor, workspace, id core.ID) (core.SharedTemplate, error) {
	template, role, err := templateIn(ctx, tables, by, core.ActionSharedTemplateChange, workspace, id)
	if err == nil && template.CreatedBy != by.UserID && !role.AtLeast(core.RoleAdmin) {
		err = core.Errorf(core.CodeForbidden, "only who shared a template and admins of the workspace change or delete it")
	}
	return template, err
}

// TemplateChange is a change to a shared template; nil leaves a field as it is.
type TemplateChange struct {
	Name        *string
	Description *string
}

// Change changes what a template says of itself. It returns core.CodeValidationFailed for a field
// out of bounds, and core.CodeForbidden to a member who neither shared it nor is an admin.
func (g *Gallery) Change(ctx context.Context, by core.Actor, workspace, id core.ID, change TemplateChange) (view SharedTemplate, err error) {
	err = g.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := ownTemplateIn(ctx, tables, by, workspace, id); err != nil {
			return err
		}
		template, err := tables.SharedTemplates.Update(ctx, id, func(template *core.SharedTemplate) error {
			template.UpdatedAt = core.At(g.deps.Now())
			return change.apply(template)
		})
		if err != nil {
			return err
		}
		return g.conclude(ctx, tables, by, template, core.AuditTemplateUpdated, &view)
	})
	return view, err
}

func (c TemplateChange) apply(template *core.SharedTemplate) (err error) {
	if c.Name != nil {
		if template.Name, err = core.CheckName("name", *c.Name, core.MaxSharedTemplateNameChars); err != nil {
			return err
		}
	}
	if c.Description != nil {
		template.Description, err = core.CheckSharedDescription(*c.Description)
	}
	return err
}

// conclude records a change of a template, and presents it.
func (g *Gallery) conclude(ctx context.Context, tables storage.Tables, by core.Actor, template core.SharedTemplate, action core.AuditAction, view *SharedTemplate) error {
	if err := g.deps.Audit.Record(ctx, tables, by, template.WorkspaceID, action, template.Name); err != nil {
		return err
	}
	var err error
	*view, err = g.present(ctx, tables, template, map[core.ID]string{})
	return err
}

// Delete removes a template. Projects that were made from it stay. It returns core.CodeForbidden to
// a member who neither shared it nor is an admin.
func (g *Gallery) Delete(ctx context.Context, by core.Actor, workspace, id core.ID) error {
	return g.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		template, err := ownTemplateIn(ctx, tables, by, workspace, id)
		if err != nil {
			return err
		}
		if err := tables.SharedTemplates.Delete(ctx, id); err != nil {
			return err
		}
		return g.deps.Audit.Record(ctx, tables, by, workspace, core.AuditTemplateDeleted, template.Name)
	})
}
