package git

import (
	"context"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// changes returns a version and its differences from the version before.
func (h history) changes(ctx context.Context, id string) (core.Version, []vcs.Change, error) {
	shown, err := h.version(id)
	if err != nil {
		return core.Version{}, nil, err
	}
	parent, err := h.parentOf(shown)
	if err != nil {
		return core.Version{}, nil, err
	}
	if shown.Version.FilesChanged, err = h.objects.ChangedFiles(parent.Tree, shown.Tree); err != nil {
		return core.Version{}, nil, err
	}
	list := changeList{objects: h.objects, changes: []vcs.Change{}}
	err = h.objects.Changes(objects.Dir(parent.Tree), objects.Dir(shown.Tree), func(c objects.Change) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return list.add(c)
	})
	if err != nil {
		return core.Version{}, nil, err
	}
	slices.SortFunc(list.changes, func(a, b vcs.Change) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return shown.Version, list.changes, nil
}

// changeList gathers the contents of the files that a version changed.
type changeList struct {
	objects *objects.Store
	changes []vcs.Change
	bytes   int
}

func (l *changeList) add(c objects.Change) error {
	path, err := core.ParsePath(c.Name)
	if err != nil || !c.Before.IsPlain() || !c.After.IsPlain() {
		return nil
	}
	made := vcs.Change{Path: path}
	if made.Before, err = l.content(c.Before); err != nil {
		return err
	}
	if made.After, err = l.content(c.After); err != nil {
		return err
	}
	l.changes = append(l.changes, made)
	if len(l.changes) > vcs.MaxChanges || l.bytes > vcs.MaxChangesBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the version changed too much to be shown")
	}
	return nil
}

// content returns the content that an entry names, nil for no entry.
func (l *changeList) content(entry *objects.TreeEntry) ([]byte, error) {
	if entry == nil {
		return nil, nil
	}
	body, err := l.objects.ReadReferenced(plumbing.BlobObject, entry.Hash)
	l.bytes += len(body)
	return append([]byte{}, body...), err
}
