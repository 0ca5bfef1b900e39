package files

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Kept is a file that belongs to a project.
type Kept struct {
	Path core.ProjectPath
	// Size is in bytes, -1 if it is not known yet.
	Size int64
	// Blob locates the content in a version, for a file that may be missing on the
	// disk; it is nil for one that is there.
	Blob *vcs.Blob
}

// Kept returns all files of a project by path: those that are listed, and those in
// unlisted folders that are in the last version or staged. It leaves out uncommitted
// output of tools in such folders.
func (p *Pipeline) Kept(ctx context.Context, project core.ID) ([]Kept, error) {
	listing, err := p.List(ctx, project)
	if err != nil {
		return nil, err
	}
	hidden, err := p.hidden(ctx, project)
	if err != nil {
		return nil, err
	}
	kept := make([]Kept, 0, len(listing.Entries)+len(hidden))
	for _, entry := range listing.Entries {
		kept = append(kept, Kept{Path: entry.Path, Size: entry.Size})
	}
	kept = append(kept, hidden...)
	slices.SortFunc(kept, keptByPath)
	return slices.CompactFunc(kept, func(a, b Kept) bool { return a.Path == b.Path }), nil
}

// hidden returns the files that the index has and no list shows. A tool may have
// removed them from the disk since, so they come with their place in the last version,
// if they have one.
func (p *Pipeline) hidden(ctx context.Context, project core.ID) ([]Kept, error) {
	locked, err := p.lockSaved(ctx, project)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	staged, err := p.deps.Repositories.Staged(locked.ctx, project)
	if err != nil {
		return nil, err
	}
	var hidden []Kept
	for _, file := range staged {
		if file.Path.Generated() {
			hidden = append(hidden, Kept{Path: file.Path, Size: file.Size})
		}
	}
	if len(hidden) == 0 {
		return nil, nil
	}
	newest, found, err := locked.newest()
	if err != nil || !found {
		return hidden, err
	}
	committed, err := p.KeptAt(locked.ctx, project, newest.ID)
	if err != nil {
		return nil, err
	}
	for i := range hidden {
		if at, found := slices.BinarySearchFunc(committed, hidden[i], keptByPath); found {
			hidden[i].Blob = committed[at].Blob
		}
	}
	return hidden, nil
}

// KeptAt returns all files of a version by path, with the errors of vcs.Repositories.
func (p *Pipeline) KeptAt(ctx context.Context, project core.ID, version string) ([]Kept, error) {
	files, err := p.deps.Repositories.Compare(ctx, project, "", version)
	if err != nil {
		return nil, err
	}
	kept := make([]Kept, 0, len(files))
	for _, file := range files {
		kept = append(kept, Kept{Path: file.Path, Size: -1, Blob: file.After})
	}
	slices.SortFunc(kept, keptByPath)
	return kept, nil
}

func keptByPath(a, b Kept) int { return cmp.Compare(a.Path.String(), b.Path.String()) }
