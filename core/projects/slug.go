package projects

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxSlugAttempts bounds the search for a free slug: an attempt fails if another
// creation takes the slug meanwhile.
const maxSlugAttempts = 200

// fullError is a conflict that another slug cannot resolve.
type fullError struct{ error }

// Unwrap lets errors.As find the core.Error.
func (e fullError) Unwrap() error { return e.error }

// checkQuota returns core.CodeConflict if the workspace has as many projects as it
// may.
func (d *Deps) checkQuota(ctx context.Context, tables storage.Tables, workspace core.ID) error {
	limits, err := access.QuotasIn(ctx, tables, d.Quotas, workspace)
	if err != nil || limits.Projects == 0 {
		return err
	}
	held, err := tables.Projects.Count(ctx, workspace)
	if err != nil {
		return err
	}
	if err := limits.CheckProjects(held); err != nil {
		return fullError{err}
	}
	return nil
}

// checkBytes returns core.CodePayloadTooLarge if the files of a new project take more than one may
// in the workspace. The file pipeline bounds what comes later.
func (d *Deps) checkBytes(ctx context.Context, tables storage.Tables, workspace core.ID, entries []core.FileEntry) error {
	limits, err := access.QuotasIn(ctx, tables, d.Quotas, workspace)
	if err != nil {
		return err
	}
	bytes := int64(0)
	for _, entry := range entries {
		bytes += entry.Size
	}
	return limits.CheckBytes(bytes)
}

// underFreeSlug calls store in a transaction, with the first numbered form of a slug
// that is free in a workspace. If store returns core.CodeConflict, because another
// creation took the slug, it tries the next form; a fullError is final.
func (d *Deps) underFreeSlug(ctx context.Context, workspace core.ID, wanted string, store func(ctx context.Context, tables storage.Tables, slug string) error) error {
	from := 1
	var err error
	for range maxSlugAttempts {
		err = d.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			taken, err := tables.Projects.SlugsLike(ctx, workspace, wanted)
			if err != nil {
				return err
			}
			slug, n := freeSlug(wanted, from, taken)
			from = n
			return store(ctx, tables, slug)
		})
		if !core.IsCode(err, core.CodeConflict) || errors.As(err, new(fullError)) {
			return err
		}
		from++
	}
	return err
}

// freeSlug returns the first of the numbered forms of slug, from number on, that
// is not taken, and its number.
func freeSlug(slug string, number int, taken []string) (string, int) {
	used := make(map[string]bool, len(taken))
	for _, text := range taken {
		used[text] = true
	}
	for ; used[core.NumberedSlug(slug, number)]; number++ {
	}
	return core.NumberedSlug(slug, number), number
}
