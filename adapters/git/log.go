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
func (h history) log(ctx context.Context, before string, limit int) ([]core.Version, error) {
	_, newest, err := h.newest()
	if err != nil {
		return nil, err
	}
	versions, behind := []core.Version{}, before == ""
	if !behind {
		if _, err := h.version(before); err != nil {
			return nil, err
		}
	}
	walk := newWalk(newest)
	for len(versions) < limit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, found, err := walk.next(h)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		if behind {
			if next.Version.FilesChanged, err = h.changedFiles(next); err != nil {
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
func (w *walk) next(h history) (objects.Commit, bool, error) {
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
		found, err := h.commit(parent)
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

// commitGraph maps main's commits by name.
type commitGraph map[plumbing.Hash]objects.Commit

// graph reads the newest commit and all its ancestors. A commit that a shallow clone lacks
// ends it.
func (h history) graph(ctx context.Context) (commitGraph, error) {
	at, err := h.dir.Head()
	if err != nil {
		return nil, err
	}
	g := commitGraph{}
	for left := []plumbing.Hash{at.Commit}; len(left) > 0; {
		next := left[len(left)-1]
		left = left[:len(left)-1]
		if _, known := g[next]; known || next.IsZero() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		body, err := h.objects.Read(plumbing.CommitObject, next)
		if errors.Is(err, fs.ErrNotExist) && next != at.Commit {
			continue
		}
		if err != nil {
			return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
		}
		parsed, err := objects.ParseCommit(next, body)
		if err != nil {
			return nil, err
		}
		parsed.Version.Message = ""
		g[next] = parsed
		left = append(left, parsed.Parents...)
	}
	return g, nil
}
