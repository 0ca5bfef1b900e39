package files

import (
	"context"
	"io"
	"io/fs"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Reader reads projects' files: lists from the cache, contents from the disk. Unsaved edits are
// saved first, so that it shows what people see.
type Reader struct{ projects projects }

// List returns the project's files from the cache. It costs one small query while
// nothing has changed. It lists the cache as is if the tree cannot be reconciled, or if
// another process keeps changing it for more than markPatience.
func (r Reader) List(ctx context.Context, project core.ID) (*Listing, error) {
	r.projects.saveEdits(ctx, project)
	return r.list(ctx, project)
}

// list is List for a caller who has had the edits saved.
func (r Reader) list(ctx context.Context, project core.ID) (*Listing, error) {
	if err := r.projects.refresh(ctx, project); err != nil {
		return nil, err
	}
	listing, unsettled, err := r.projects.cache.listing(ctx, project)
	if err != nil || !unsettled || !r.projects.awaitMarked(ctx, project) {
		return listing, err
	}
	listing, _, err = r.projects.cache.listing(ctx, project)
	return listing, err
}

// listSince is List for a caller who has just read the state of the files. In an
// exclusive process nothing has changed if the rows in memory are still of that state
// once all edits are saved.
func (r Reader) listSince(ctx context.Context, project core.ID, state storage.FileState) (*Listing, error) {
	r.projects.saveEdits(ctx, project)
	if bool(r.projects.deps.Exclusive) && r.projects.fresh.readable(project, r.projects.deps.Now()) {
		if held := r.projects.cache.listings.get(project); held != nil && held.revision == state.Revision {
			return held, nil
		}
	}
	return r.list(ctx, project)
}

// File is an open file with its entry. The caller closes it.
type File struct {
	worktree.File
	Entry core.FileEntry
}

// Open opens a file for reading, straight from the disk. A directory has code
// CodeNotFound.
func (r Reader) Open(ctx context.Context, at core.FileAt) (*File, error) {
	r.projects.saveEdits(ctx, at.Project)
	return r.projects.open(ctx, at)
}

// open is Reader.Open for a caller who has had the edits saved.
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

// read returns at most limit bytes of a file, and its entry.
func (s *state) read(ctx context.Context, at core.FileAt, limit int64) ([]byte, core.FileEntry, error) {
	file, err := s.open(ctx, at)
	if err != nil {
		return nil, core.FileEntry{}, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, core.FileEntry{}, core.Wrap(core.CodeUnavailable, err, "%s cannot be read", at.Path)
	}
	return content, file.Entry, nil
}

// Stat returns the entry of a file, or CodeNotFound.
func (r Reader) Stat(ctx context.Context, at core.FileAt) (core.FileEntry, error) {
	file, err := r.Open(ctx, at)
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
func (r Reader) Search(ctx context.Context, project core.ID, query search.Query) (search.Found, error) {
	sources, err := r.View(ctx, project)
	if err != nil {
		return search.Found{}, err
	}
	return r.projects.deps.Search.Search(ctx, sources, query)
}

// View returns the project's files for builders.
func (r Reader) View(ctx context.Context, project core.ID) (fs.FS, error) {
	r.projects.saveEdits(ctx, project)
	tree, err := r.projects.tree(ctx, project)
	if err != nil {
		return nil, err
	}
	return tree.FS(), nil
}

// AllFiles returns all files of a project by path: those that are listed, and those in
// unlisted folders that are in the last version or staged. It leaves out uncommitted
// output of tools in such folders.
func (r Reader) AllFiles(ctx context.Context, project core.ID) ([]ProjectFile, error) {
	listing, err := r.List(ctx, project)
	if err != nil {
		return nil, err
	}
	unlisted, err := r.unlisted(ctx, project)
	if err != nil {
		return nil, err
	}
	files := make([]ProjectFile, 0, len(listing.Entries)+len(unlisted))
	for _, entry := range listing.Entries {
		files = append(files, ProjectFile{Path: entry.Path, Size: entry.Size})
	}
	files = append(files, unlisted...)
	slices.SortFunc(files, compareFiles)
	return slices.CompactFunc(files, func(a, b ProjectFile) bool { return a.Path == b.Path }), nil
}

// unlisted returns the files that the index has and no list shows. A tool may have
// removed them from the disk since, so they come with their place in the last version,
// if they have one.
func (r Reader) unlisted(ctx context.Context, project core.ID) ([]ProjectFile, error) {
	locked, err := r.projects.lockSaved(ctx, project)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	staged, err := r.projects.deps.Repositories.Staged(locked.ctx, project)
	if err != nil {
		return nil, err
	}
	var unlisted []ProjectFile
	for _, file := range staged {
		if file.Path.Generated() {
			unlisted = append(unlisted, ProjectFile{Path: file.Path, Size: file.Size})
		}
	}
	if len(unlisted) == 0 {
		return nil, nil
	}
	newest, found, err := locked.newest()
	if err != nil || !found {
		return unlisted, err
	}
	committed, err := History{r.projects.deps.Repositories}.FilesAt(locked.ctx, project, newest.ID)
	if err != nil {
		return nil, err
	}
	for i := range unlisted {
		if at, found := slices.BinarySearchFunc(committed, unlisted[i], compareFiles); found {
			unlisted[i].Blob = committed[at].Blob
		}
	}
	return unlisted, nil
}
