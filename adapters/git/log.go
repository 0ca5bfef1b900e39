package git

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
)

// log returns versions, the newest first. Where lines of history meet, as in a push of
// merged work, the log holds both, ordered by time.
func (r *repository) log(ctx context.Context, before string, limit int) ([]core.Version, error) {
	_, newest, err := r.last()
	if err != nil {
		return nil, err
	}
	versions, behind := []core.Version{}, before == ""
	if !behind {
		if _, err := r.version(before); err != nil {
			return nil, err
		}
	}
	walk := newWalk(newest)
	for len(versions) < limit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, found, err := walk.next(r)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		if behind {
			parent, err := r.parentOf(next)
			if err == nil {
				next.Version.FilesChanged, err = r.objects.ChangedFiles(parent.Tree, next.Tree)
			}
			if err != nil {
				return nil, err
			}
			versions = append(versions, next.Version)
		}
		behind = behind || next.Version.ID == before
	}
	return versions, nil
}

// walk visits a history: each version once, and none before those of its children that
// were found.
type walk struct {
	waiting []objects.Commit
	seen    map[plumbing.Hash]bool
}

func newWalk(newest objects.Commit) *walk {
	w := &walk{seen: map[plumbing.Hash]bool{}}
	if !newest.Tree.IsZero() {
		w.waiting = []objects.Commit{newest}
	}
	return w
}

// next returns the newest pending version and adds its parents to the pending ones. The
// end of a shallow clone ends the history.
func (w *walk) next(r *repository) (objects.Commit, bool, error) {
	if len(w.waiting) == 0 {
		return objects.Commit{}, false, nil
	}
	newest := w.waiting[0]
	w.waiting = w.waiting[1:]
	for _, parent := range newest.Parents {
		if w.seen[parent] {
			continue
		}
		w.seen[parent] = true
		found, err := r.commitAt(parent)
		if err != nil {
			return objects.Commit{}, false, err
		}
		if found.Tree.IsZero() {
			continue
		}
		at := slices.IndexFunc(w.waiting, func(other objects.Commit) bool { return other.Version.CreatedAt < found.Version.CreatedAt })
		if at < 0 {
			at = len(w.waiting)
		}
		w.waiting = slices.Insert(w.waiting, at, found)
	}
	return newest, true, nil
}

// version returns the version of an id.
func (r *repository) version(id string) (objects.Commit, error) {
	if !plumbing.IsHash(id) || len(id) != 2*len(plumbing.ZeroHash) {
		return objects.Commit{}, core.NotFound("version")
	}
	hash := plumbing.NewHash(id)
	body, err := r.objects.Read(plumbing.CommitObject, hash)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, objects.ErrDamaged) {
		return objects.Commit{}, core.NotFound("version")
	}
	if err != nil {
		return objects.Commit{}, err
	}
	return objects.ParseCommit(hash, body)
}

// parentOf returns the parent of a version, empty for the first version. In a shallow
// clone, the version at its end counts as the first.
func (r *repository) parentOf(version objects.Commit) (objects.Commit, error) {
	if len(version.Parents) == 0 {
		return objects.Commit{}, nil
	}
	return r.commitAt(version.Parents[0])
}

// commitAt reads a commit that another names, empty if it does not exist.
func (r *repository) commitAt(hash plumbing.Hash) (objects.Commit, error) {
	body, err := r.objects.Read(plumbing.CommitObject, hash)
	if errors.Is(err, fs.ErrNotExist) {
		return objects.Commit{}, nil
	}
	if err != nil {
		return objects.Commit{}, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	return objects.ParseCommit(hash, body)
}
