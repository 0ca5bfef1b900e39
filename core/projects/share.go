package projects

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxTakes is how often the files of a project are read again because somebody changed them.
const maxTakes = 5

// archivePlaces bounds the archives of templates that a process holds in memory at once, and
// archiveWait how long a caller waits for a place.
const (
	archivePlaces = 4
	archiveWait   = 20 * time.Second
)

// archives is a semaphore for archives of templates.
type archives struct{ semaphore *fair.Semaphore }

func newArchives() *archives {
	return &archives{fair.New(fair.Bounds{Capacity: archivePlaces, Reserve: 1})}
}

// enter waits for a place for a person. The caller releases it.
func (a *archives) enter(ctx context.Context, person core.ID) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, archiveWait)
	defer cancel()
	leave, err = a.semaphore.Enter(fair.WithTenant(wait, person))
	if err != nil {
		full := core.Wrap(core.CodeUnavailable, err, "too much is being imported or copied at the moment: try again later")
		full.RetryAfter = archiveWait
		return nil, full
	}
	return leave, nil
}

// SharedDraft describes a template to share.
type SharedDraft struct {
	ProjectID   core.ID
	Name        string
	Description string
	WithSeed    bool
}

// Share makes a template of a project of the workspace: its files as they are, without its history,
// its chats, its environment values and data. Files with environment values stay behind, and so
// does the seed file without WithSeed. The template keeps the files until Retake.
//
// It returns core.CodeNotFound for a project of another workspace, core.CodeValidationFailed for a
// field out of bounds, core.CodePayloadTooLarge for a project that does not fit, core.CodeConflict
// beyond core.MaxSharedTemplates, or if the project changes all the time.
func (g *Gallery) Share(ctx context.Context, by core.Actor, workspace core.ID, draft SharedDraft) (view SharedTemplate, err error) {
	now := core.At(g.deps.Now())
	template := core.SharedTemplate{
		ID: core.NewID(), WorkspaceID: workspace, ProjectID: &draft.ProjectID, WithSeed: draft.WithSeed, TakenAt: now,
		CreatedBy: by.UserID, CreatedAt: now, UpdatedAt: now,
	}
	if _, _, err := g.deps.Gate.Workspace(ctx, by, core.ActionSharedTemplateAdd, workspace); err != nil {
		return view, err
	}
	if err := (TemplateChange{&draft.Name, &draft.Description}).apply(&template); err != nil {
		return view, err
	}
	leave, err := g.archives.enter(ctx, by.UserID)
	if err != nil {
		return view, err
	}
	defer leave()
	content, err := g.take(ctx, by, &template)
	if err != nil {
		return view, err
	}
	err = g.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionSharedTemplateAdd, workspace); err != nil {
			return err
		}
		if err := checkTaken(ctx, tables, by, template); err != nil {
			return err
		}
		if err := tables.SharedTemplates.Create(ctx, template); err != nil {
			return err
		}
		if err := tables.SharedTemplates.PutContent(ctx, template.ID, content); err != nil {
			return err
		}
		return g.conclude(ctx, tables, by, template, core.AuditTemplateShared, &view)
	})
	return view, err
}

// Retake gives a template the present files and the picture of its project. It returns
// core.CodeNotFound if the project is gone, or in another workspace, and otherwise the errors of
// Share and Change. Both return core.CodeUnavailable if no place for an archive becomes free.
func (g *Gallery) Retake(ctx context.Context, by core.Actor, workspace, id core.ID) (view SharedTemplate, err error) {
	template, err := ownTemplateIn(ctx, g.deps.Store.Tables(), by, workspace, id)
	if err != nil {
		return view, err
	}
	template.TakenAt = core.At(g.deps.Now())
	leave, err := g.archives.enter(ctx, by.UserID)
	if err != nil {
		return view, err
	}
	defer leave()
	content, err := g.take(ctx, by, &template)
	if err != nil {
		return view, err
	}
	err = g.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := ownTemplateIn(ctx, tables, by, workspace, id); err != nil {
			return err
		}
		if err := checkTaken(ctx, tables, by, template); err != nil {
			return err
		}
		stored, err := tables.SharedTemplates.Update(ctx, id, func(stored *core.SharedTemplate) error {
			stored.Bytes, stored.TakenAt, stored.UpdatedAt = template.Bytes, template.TakenAt, template.TakenAt
			return nil
		})
		if err != nil {
			return err
		}
		if err := tables.SharedTemplates.PutContent(ctx, id, content); err != nil {
			return err
		}
		return g.conclude(ctx, tables, by, stored, core.AuditTemplateUpdated, &view)
	})
	return view, err
}

// checkTaken checks whether a template may have the files that were taken for it.
func checkTaken(ctx context.Context, tables storage.Tables, by core.Actor, template core.SharedTemplate) error {
	if _, err := sourceIn(ctx, tables, by, template); err != nil {
		return err
	}
	others, err := tables.SharedTemplates.List(ctx, template.WorkspaceID)
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(other core.SharedTemplate) bool { return other.ID == template.ID })
	return core.CheckSharedTemplates(others, template)
}

// sourceIn returns the project of a template, if the caller may copy it and it is in the
// template's workspace.
func sourceIn(ctx context.Context, tables storage.Tables, by core.Actor, template core.SharedTemplate) (core.Project, error) {
	if template.ProjectID == nil {
		return core.Project{}, core.NotFound("project")
	}
	project, err := access.ProjectIn(ctx, tables, by, core.ActionProjectDuplicate, *template.ProjectID)
	if err == nil && project.WorkspaceID != template.WorkspaceID {
		err = core.NotFound("project")
	}
	return project, err
}

// take packs the project of a template, and notes the size.
func (g *Gallery) take(ctx context.Context, by core.Actor, template *core.SharedTemplate) (core.SharedContent, error) {
	tables := g.deps.Store.Tables()
	project, err := sourceIn(ctx, tables, by, *template)
	if err != nil {
		return core.SharedContent{}, err
	}
	if err := checkTaken(ctx, tables, by, *template); err != nil {
		return core.SharedContent{}, err
	}
	archive, err := g.pack(ctx, project, template.WithSeed)
	if err != nil {
		return core.SharedContent{}, err
	}
	template.Bytes = int64(len(archive))
	picture, err := tables.Thumbnails.ByProject(ctx, project.ID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return core.SharedContent{}, err
	}
	return core.SharedContent{Archive: archive, Picture: picture.PNG}, nil
}

// pack returns the archive of a project as it is at one moment.
func (g *Gallery) pack(ctx context.Context, project core.Project, withSeed bool) ([]byte, error) {
	table := g.deps.Store.Tables().Files
	for range maxTakes {
		before, err := table.State(ctx, project.ID)
		if err != nil {
			return nil, err
		}
		export, err := (&Exports{g.deps}).prepare(ctx, project, "")
		if err != nil {
			return nil, err
		}
		export.files = slices.DeleteFunc(export.files, func(file files.ProjectFile) bool { return !core.TravelsWithTemplate(file.Path, withSeed) })
		var archive boundedBuffer
		if err := export.Write(ctx, &archive); err != nil {
			return nil, err
		}
		after, err := table.State(ctx, project.ID)
		if err != nil {
			return nil, err
		}
		if after.Revision == before.Revision {
			return archive.Bytes(), nil
		}
	}
	return nil, core.Errorf(core.CodeConflict, "the project keeps changing: try again when nobody is working on it")
}

// boundedBuffer holds an archive of core.MaxSharedTemplateBytes at most.
type boundedBuffer struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *boundedBuffer) Write(data []byte) (int, error) {
	if b.Len()+len(data) > core.MaxSharedTemplateBytes {
		return 0, core.Errorf(core.CodePayloadTooLarge, "a template may have at most %d MiB, packed: leave large files out of the project", core.MaxSharedTemplateBytes>>20)
	}
	return b.Buffer.Write(data)
}

// starter holds the first files of a project. The caller calls leave once it is made.
type starter struct {
	source files.Source
	// name is that of the template; isShared says that it is a workspace's.
	name     string
	isShared bool
	leave    func()
}

// start returns the files of a template: one of the service's, or one of a workspace in which the
// caller is a member. Any other has core.CodeValidationFailed.
func (c *Creations) start(ctx context.Context, by core.Actor, template string) (starter, error) {
	id, err := core.ParseID(template)
	if err == nil {
		shared, err := c.sharedTemplate(ctx, by, id)
		if err == nil {
			return c.startShared(ctx, by, shared)
		}
		if !core.IsCode(err, core.CodeNotFound) {
			return starter{}, err
		}
	}
	sources, err := c.deps.Templates.Files(template)
	return starter{source: files.FromFS(sources), name: template, leave: func() {}}, err
}

// sharedTemplate returns a template that the caller may use.
func (c *Creations) sharedTemplate(ctx context.Context, by core.Actor, id core.ID) (core.SharedTemplate, error) {
	template, err := c.deps.Store.Tables().SharedTemplates.ByID(ctx, id)
	if err == nil {
		_, _, err = c.deps.Gate.Workspace(ctx, by, core.ActionSharedTemplateRead, template.WorkspaceID)
	}
	return template, err
}

func (c *Creations) startShared(ctx context.Context, by core.Actor, template core.SharedTemplate) (from starter, err error) {
	leave, err := c.archives.enter(ctx, by.UserID)
	if err != nil {
		return starter{}, err
	}
	defer func() {
		if err != nil {
			leave()
		}
	}()
	content, err := c.deps.Store.Tables().SharedTemplates.Content(ctx, template.ID)
	if err != nil {
		return starter{}, err
	}
	chosen, err := readArchive(Archive{bytes.NewReader(content.Archive), int64(len(content.Archive))}, int64(c.deps.MaxFileBytes))
	if err != nil {
		return starter{}, err
	}
	return starter{chosen.files.source, template.Name, true, leave}, nil
}
