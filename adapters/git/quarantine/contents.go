package quarantine

import (
	"context"
	"errors"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
)

// read returns an object of the pack or of the repository, or fs.ErrNotExist.
func (q *Quarantine) read(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	at, found := q.known[hash]
	if !found {
		return q.stored.ReadAny(hash)
	}
	body, err := q.objects.content(at)
	return q.entries[at].kind, body, err
}

// Commit reads a commit from the pack or the repository.
func (q *Quarantine) Commit(hash plumbing.Hash) (objects.Commit, error) {
	kind, body, err := q.read(hash)
	if errors.Is(err, fs.ErrNotExist) || err == nil && kind != plumbing.CommitObject {
		return objects.Commit{}, damaged("there is no commit %s", hash)
	}
	if err != nil {
		return objects.Commit{}, err
	}
	return objects.ParseCommit(hash, body)
}

func (q *Quarantine) tree(hash plumbing.Hash) ([]objects.TreeEntry, error) {
	kind, body, err := q.read(hash)
	if errors.Is(err, fs.ErrNotExist) || err == nil && kind != plumbing.TreeObject {
		return nil, damaged("there is no folder %s", hash)
	}
	if err != nil {
		return nil, err
	}
	children, err := objects.ParseTree(body)
	if err != nil {
		return nil, damaged("the folder %s cannot be read", hash)
	}
	return children, nil
}

// Follows reports whether one commit is an ancestor of another.
func (q *Quarantine) Follows(ctx context.Context, to, from plumbing.Hash) (bool, error) {
	if from.IsZero() {
		return true, nil
	}
	seen := map[plumbing.Hash]bool{}
	for level := []plumbing.Hash{to}; len(level) > 0; {
		var next []plumbing.Hash
		for _, hash := range level {
			if hash == from {
				return true, nil
			}
			if seen[hash] {
				continue
			}
			seen[hash] = true
			if err := ctx.Err(); err != nil {
				return false, err
			}
			commit, err := q.Commit(hash)
			if err != nil {
				return false, err
			}
			next = append(next, commit.Parents...)
		}
		level = next
	}
	return false, nil
}
