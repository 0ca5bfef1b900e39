package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Base implements vcs.Repositories.
func (r *Repositories) Base(ctx context.Context, project core.ID, one, other string) (string, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return "", err
	}
	base, err := repo.history.base(ctx, one, other)
	return base, durable.Fault(err, "version")
}

// base finds a common ancestor that is no ancestor of another one. Commons that are parents of
// commons are not the newest: all versions between two commons are common.
func (h history) base(ctx context.Context, one, other string) (string, error) {
	if _, err := h.version(one); err != nil {
		return "", err
	}
	if _, err := h.version(other); err != nil {
		return "", err
	}
	ours, err := h.ancestors(ctx, one)
	if err != nil {
		return "", err
	}
	theirs, err := h.ancestors(ctx, other)
	if err != nil {
		return "", err
	}
	older := map[plumbing.Hash]bool{}
	var common []plumbing.Hash
	for hash, parents := range ours {
		if _, both := theirs[hash]; !both {
			continue
		}
		common = append(common, hash)
		for _, parent := range parents {
			older[parent] = true
		}
	}
	common = slices.DeleteFunc(common, func(hash plumbing.Hash) bool { return older[hash] })
	if len(common) == 0 {
		return "", nil
	}
	return sortedHashes(asSet(common))[0].String(), nil
}

func asSet(hashes []plumbing.Hash) map[plumbing.Hash]bool {
	set := make(map[plumbing.Hash]bool, len(hashes))
	for _, hash := range hashes {
		set[hash] = true
	}
	return set
}

// ancestors maps a version and everything on which it builds to their parents.
func (h history) ancestors(ctx context.Context, version string) (map[plumbing.Hash][]plumbing.Hash, error) {
	found := map[plumbing.Hash][]plumbing.Hash{}
	for left := []plumbing.Hash{plumbing.NewHash(version)}; len(left) > 0; {
		next := left[len(left)-1]
		left = left[:len(left)-1]
		if _, known := found[next]; known {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		commit, err := h.commit(next)
		if err != nil {
			return nil, err
		}
		found[next] = commit.Parents
		left = append(left, commit.Parents...)
	}
	return found, nil
}

// Join implements vcs.Repositories.
func (r *Repositories) Join(ctx context.Context, project core.ID, join vcs.Join) (core.Version, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return core.Version{}, err
	}
	made, err := repo.join(ctx, join)
	return made, durable.Fault(err, "version")
}

// join stores the files that only the join has, its trees and its commit.
func (r *repository) join(ctx context.Context, join vcs.Join) (core.Version, error) {
	ours, err := r.history.version(join.Ours)
	if err != nil {
		return core.Version{}, err
	}
	if _, err := r.history.version(join.Theirs); err != nil {
		return core.Version{}, err
	}
	entries, stored, err := r.joined(ctx, ours.Tree, join.Files)
	if err != nil {
		return core.Version{}, err
	}
	edits := make([]index.Edit, 0, len(entries))
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		edits = append(edits, index.Edit{Name: name, Entry: index.NewEntry(name, entries[name].Hash, entries[name].Mode, unix.Stat_t{})})
	}
	built, err := index.Parse(index.New().Encode(edits))
	if err != nil {
		return core.Version{}, err
	}
	root, err := built.Tree()
	if err != nil {
		return core.Version{}, err
	}
	changes, err := r.objects.Difference(ours.Tree, root)
	if err != nil {
		return core.Version{}, err
	}
	next := objects.Commit{Tree: root.Hash, Version: versionOf(join.Commit), Parents: []plumbing.Hash{plumbing.NewHash(join.Ours), plumbing.NewHash(join.Theirs)}}
	next.Version.FilesChanged = changes.Changed
	commit := objects.New(plumbing.CommitObject, next.Encode())
	next.Version.ID = commit.Hash.String()
	batch := r.dir.NewBatch()
	if err := batch.AddObjects(append(append(stored, changes.Trees...), commit)); err != nil {
		return core.Version{}, err
	}
	return next.Version, batch.Write()
}

// joined returns the files of a join by name, and those contents that are new.
func (r *repository) joined(ctx context.Context, ours plumbing.Hash, files []vcs.JoinedFile) (map[string]objects.TreeEntry, []objects.Object, error) {
	entries, stored, isNew := map[string]objects.TreeEntry{}, []objects.Object{}, map[plumbing.Hash]bool{}
	err := r.objects.Changes(objects.Dir(plumbing.ZeroHash), objects.Dir(ours), func(c objects.Change) error {
		if c.After != nil {
			entries[c.Name] = *c.After
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		name, mode := file.Path.String(), uint32(objects.ModeFile)
		if file.Executable || file.Blob != nil && file.Blob.Executable {
			mode = objects.ModeExecutable
		}
		switch {
		case file.Blob != nil:
			hash := plumbing.NewHash(file.Blob.ID)
			if _, err := r.objects.Size(hash); errors.Is(err, fs.ErrNotExist) {
				return nil, nil, core.NotFound("content")
			} else if err != nil {
				return nil, nil, err
			}
			entries[name] = objects.TreeEntry{Mode: mode, Hash: hash}
		case file.Content != nil:
			blob := objects.New(plumbing.BlobObject, file.Content)
			if !isNew[blob.Hash] {
				stored = append(stored, blob)
			}
			isNew[blob.Hash] = true
			entries[name] = objects.TreeEntry{Mode: mode, Hash: blob.Hash}
		default:
			delete(entries, name)
		}
	}
	return entries, stored, nil
}
