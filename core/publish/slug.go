package publish

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// chooseSlug chooses the label to publish under and refuses a bad one before any work is done: the one
// that was asked for, else the one in use, else the project's own; where that is reserved, which nobody
// chose, its first numbered form that is free. The update of the record has the final say.
func (s *Service) chooseSlug(ctx context.Context, project core.Project, asked *string) (slug string, err error) {
	switch {
	case asked != nil:
		return *asked, s.checkSlug(ctx, project, *asked)
	case project.PublishedSlug != nil:
		return *project.PublishedSlug, s.checkSlug(ctx, project, *project.PublishedSlug)
	case !core.ReservedSlug(project.Slug):
		return project.Slug, s.checkSlug(ctx, project, project.Slug)
	}
	for n := range maxSlugs {
		slug = core.NumberedSlug(project.Slug, n+2)
		if err = s.checkSlug(ctx, project, slug); !core.IsCode(err, core.CodeSlugTaken) {
			return slug, err
		}
	}
	return "", err
}

// maxSlugs bounds the forms of a project's own slug that are tried.
const maxSlugs = 100

// checkSlug refuses a slug that is malformed, reserved, or another site's.
func (s *Service) checkSlug(ctx context.Context, project core.Project, slug string) error {
	if err := core.CheckSlug(slug); err != nil {
		return err
	}
	if core.ReservedSlug(slug) {
		return core.Errorf(core.CodeSlugTaken, "the slug %q is reserved: choose another", slug)
	}
	holder, err := s.deps.Store.Tables().Projects.ByPublishedSlug(ctx, slug)
	if err == nil && holder.ID != project.ID {
		return core.Errorf(core.CodeSlugTaken, "another site is published under %q: choose another slug", slug)
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	return checkHold(ctx, s.deps.Store.Tables(), slug, project.WorkspaceID, core.At(s.deps.Now()))
}

// checkHold refuses a slug that is reserved for another workspace, which had it last.
func checkHold(ctx context.Context, tables storage.Tables, slug string, workspace core.ID, now core.Time) error {
	holder, err := tables.SlugHolds.Holder(ctx, slug, now)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err == nil && holder != workspace {
		return core.Errorf(core.CodeSlugTaken, "a site of another workspace was published under %q within the last 30 days: choose another slug", slug)
	}
	return err
}
