package files

import (
	"context"
	"io/fs"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// List returns the project's files from the cache. It costs one small query while
// nothing has changed. It lists the cache as is if the tree cannot be reconciled, or if
// another process keeps changing it for more than markPatience.
func (p *Pipeline) List(ctx context.Context, project core.ID) (*Listing, error) {
	p.saveEdits(ctx, project)
	return p.list(ctx, project)
}

// list is List for a caller who has had the edits saved.
func (p *Pipeline) list(ctx context.Context, project core.ID) (*Listing, error) {
	if err := p.refresh(ctx, project); err != nil {
		return nil, err
	}
	listing, unsettled, err := p.cache.listing(ctx, project)
	if err != nil || !unsettled || !p.await(ctx, project) {
		return listing, err
	}
	listing, _, err = p.cache.listing(ctx, project)
	return listing, err
}

// listSince is List for a caller who has just read the state of the files. In an
// exclusive process nothing has changed if the rows in memory are still of that state
// once all edits are saved.
func (p *Pipeline) listSince(ctx context.Context, project core.ID, state storage.FileState) (*Listing, error) {
	p.saveEdits(ctx, project)
	if bool(p.deps.Exclusive) && p.fresh.readable(project, p.deps.Now()) {
		if held := p.cache.listings.get(project); held != nil && held.revision == state.Revision {
			return held, nil
		}
	}
	return p.list(ctx, project)
}

// refresh reconciles the project unless this process has done so. If the disk prevents
// that, only writers fail: readers use the cache.
func (p *Pipeline) refresh(ctx context.Context, project core.ID) error {
	if p.fresh.readable(project, p.deps.Now()) {
		return nil
	}
	locked, err := p.lockReconciled(ctx, project)
	if err == nil {
		locked.release()
		return nil
	}
	if !core.IsCode(err, core.CodeUnavailable) {
		return err
	}
	p.fresh.rest(project, p.deps.Now().Add(retryAfter))
	p.deps.Log.WarnContext(ctx, "project not reconciled", "project", project, "error", err)
	return nil
}

// File is an open file with its entry. The caller closes it.
type File struct {
	worktree.File
	Entry core.FileEntry
}

// Open opens a file for reading, straight from the disk. A directory has code
// CodeNotFound.
func (p *Pipeline) Open(ctx context.Context, at core.FileAt) (*File, error) {
	p.saveEdits(ctx, at.Project)
	return p.open(ctx, at)
}

// open is Pipeline.Open for a caller who has had the edits saved.
func (s *state) open(ctx context.Context, at core.FileAt) (*File, error) {
	tree, err := s.tree(ctx, at.Project)
	if err != nil {
		return nil, err
	}
	row, err := s.cache.recentRow(ctx, at)
	if err != nil {
		return nil, err
	}
	file, entry, err := describe(ctx, tree, at.Path, row)
	if err != nil {
		return nil, err
	}
	return &File{File: file, Entry: entry}, nil
}

// Stat returns the entry of a file, or CodeNotFound.
func (p *Pipeline) Stat(ctx context.Context, at core.FileAt) (core.FileEntry, error) {
	file, err := p.Open(ctx, at)
	if err != nil {
		return core.FileEntry{}, err
	}
	return file.Entry, file.Close()
}

// describe opens a file and finds its entry from a row that was read before (see
// entryOf).
func describe(ctx context.Context, tree worktree.Tree, path core.ProjectPath, row *core.FileEntry) (worktree.File, core.FileEntry, error) {
	file, err := tree.Open(ctx, path)
	if err != nil {
		return nil, core.FileEntry{}, err
	}
	entry, err := entryOf(file, row)
	if err != nil {
		_ = file.Close()
		return nil, core.FileEntry{}, err
	}
	return file, entry, nil
}

// Search looks for a pattern in the project's files. Its errors are those of
// search.Engine.
func (p *Pipeline) Search(ctx context.Context, project core.ID, query search.Query) (search.Found, error) {
	sources, err := p.View(ctx, project)
	if err != nil {
		return search.Found{}, err
	}
	return p.deps.Search.Search(ctx, sources, query)
}

// View returns the project's files for builders.
func (p *Pipeline) View(ctx context.Context, project core.ID) (fs.FS, error) {
	p.saveEdits(ctx, project)
	tree, err := p.tree(ctx, project)
	if err != nil {
		return nil, err
	}
	return tree.FS(), nil
}

// Changes returns a version and what it changed, with the errors of
// vcs.Repositories.
func (p *Pipeline) Changes(ctx context.Context, project core.ID, version string) (core.Version, []vcs.Change, error) {
	return p.deps.Repositories.Changes(ctx, project, version)
}

// Versions returns at most limit versions, the newest first, starting behind the
// version before ("" for the start).
func (p *Pipeline) Versions(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error) {
	return p.deps.Repositories.Log(ctx, project, before, limit)
}
