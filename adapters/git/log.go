package git

import (
	"context"
	"errors"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
)

// log returns versions, the newest first, following first parents.
func (r *repository) log(ctx context.Context, before string, limit int) ([]core.Version, error) {
	versions := []core.Version{}
	next, err := r.behind(before)
	for err == nil && !next.tree.IsZero() && len(versions) < limit {
		if err = ctx.Err(); err != nil {
			break
		}
		var parent record
		parent, err = r.parentOf(next)
		if err == nil {
			next.version.FilesChanged, err = r.changedFiles(parent.tree, next.tree)
		}
		versions = append(versions, next.version)
		next = parent
	}
	if err != nil {
		return nil, err
	}
	return versions, nil
}

// behind returns the version that follows before in the log, or the newest.
func (r *repository) behind(before string) (record, error) {
	if before == "" {
		_, newest, err := r.last()
		return newest, err
	}
	version, err := r.version(before)
	if err != nil {
		return record{}, err
	}
	return r.parentOf(version)
}

// version returns the version of an id.
func (r *repository) version(id string) (record, error) {
	if !plumbing.IsHash(id) || len(id) != 2*len(plumbing.ZeroHash) {
		return record{}, core.NotFound("version")
	}
	hash := plumbing.NewHash(id)
	body, err := r.readObject(plumbing.CommitObject, hash)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDamaged) {
		return record{}, core.NotFound("version")
	}
	if err != nil {
		return record{}, err
	}
	return parseCommit(hash, body)
}

// parentOf returns the version before, which is empty before the first. The end
// of a shallow clone counts as the first.
func (r *repository) parentOf(version record) (record, error) {
	if len(version.parents) == 0 {
		return record{}, nil
	}
	parent := version.parents[0]
	body, err := r.readObject(plumbing.CommitObject, parent)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return record{}, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return parseCommit(parent, body)
}
