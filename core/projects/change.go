package projects

import (
	"context"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Patch changes fields of a project. Absent fields are left unchanged. Null clears
// the description and moves the project to the root; the other fields cannot be
// null.
type Patch struct {
	Name        Nullable[string]
	Description Nullable[string]
	FolderID    Nullable[core.ID]
	Visibility  Nullable[string]
	Slug        Nullable[string]
}

// Nullable is a field that may be absent, null, or have a value.
type Nullable[T any] struct {
	Present bool
	// Value is nil for null.
	Value *T
}

// Change applies a patch. It returns CodeValidationFailed for a value out of bounds,
// and CodeConflict for a slug that another project of the workspace has.
func (c *Catalogue) Change(ctx context.Context, by core.Actor, id core.ID, patch Patch) (View, error) {
	project, err := c.deps.Gate.Project(ctx, by, core.ActionProjectUpdate, id)
	if err != nil {
		return View{}, err
	}
	change, err := patch.compile()
	if err != nil {
		return View{}, err
	}
	if patch == (Patch{}) {
		return c.views.Present(project), nil
	}
	err = c.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		project, err = c.change(ctx, tables, by, id, change)
		return err
	})
	if err != nil {
		return View{}, err
	}
	c.deps.announce(ctx, id)
	return c.views.Present(project), nil
}

// change carries out a patch in a transaction, which also checks access: the project
// may have been moved since, and then the folder is another workspace's.
func (c *Catalogue) change(ctx context.Context, tables storage.Tables, by core.Actor, id core.ID, patch checkedPatch) (core.Project, error) {
	before, err := access.ProjectIn(ctx, tables, by, core.ActionProjectUpdate, id)
	if err != nil {
		return core.Project{}, err
	}
	if err := checkFolder(ctx, tables, before.WorkspaceID, patch.folder); err != nil {
		return core.Project{}, err
	}
	if before.CopyOf != nil {
		return core.Project{}, core.Errorf(core.CodeForbidden, "this is the working copy of a task: change its project instead")
	}
	project, err := updateWithCopies(ctx, tables, id, func(project *core.Project) error {
		patch.apply(project)
		project.UpdatedAt = core.At(c.deps.Now())
		return nil
	})
	if err != nil || project.Visibility == before.Visibility {
		return project, err
	}
	target := fmt.Sprintf("%s: %s → %s", project.Name, before.Visibility, project.Visibility)
	return project, c.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectVisibility, target)
}

// checkedPatch is a patch whose fields are in bounds.
type checkedPatch struct {
	folder *core.ID
	apply  func(*core.Project)
}

// compile checks the patch and returns it in compiled form.
func (p Patch) compile() (checkedPatch, error) {
	name, err := checked(p.Name, "name", func(text string) (string, error) {
		return core.CheckName("name", text, core.MaxProjectNameChars)
	})
	if err != nil {
		return checkedPatch{}, err
	}
	visibility, err := checked(p.Visibility, "visibility", core.ParseVisibility)
	if err != nil {
		return checkedPatch{}, err
	}
	slug, err := checked(p.Slug, "slug", func(text string) (string, error) { return text, core.CheckSlug(text) })
	if err != nil {
		return checkedPatch{}, err
	}
	if p.Description.Value != nil {
		if err := core.CheckDescription(*p.Description.Value); err != nil {
			return checkedPatch{}, err
		}
	}
	return checkedPatch{folder: p.FolderID.Value, apply: func(project *core.Project) {
		if p.Description.Present {
			project.Description = p.Description.Value
		}
		if p.FolderID.Present {
			project.FolderID = p.FolderID.Value
		}
		set(&project.Name, name)
		if visibility != nil {
			project.Show(*visibility)
		}
		set(&project.Slug, slug)
	}}, nil
}

// checked parses a field that cannot be null. It returns nil for an absent one.
func checked[T any](field Nullable[string], name string, parse func(string) (T, error)) (*T, error) {
	if !field.Present {
		return nil, nil
	}
	if field.Value == nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "%s cannot be null", name)
	}
	value, err := parse(*field.Value)
	return &value, err
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
