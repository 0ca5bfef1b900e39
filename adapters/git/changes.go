package git

import (
	"context"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// change is a file that differs between two trees, with its line in both. A line is nil
// if that tree has no such file.
type change struct {
	name          string
	before, after *treeChild
}

// changesBetween calls visit for every file that differs between two directories, which
// may be stored trees or come from the index.
func (r *repository) changesBetween(before, after treeChild, visit func(change) error) error {
	return r.changesBelow("", &before, &after, visit)
}

func (r *repository) changesBelow(prefix string, before, after *treeChild, visit func(change) error) error {
	old, err := r.childrenOf(before)
	if err != nil {
		return err
	}
	now, err := r.childrenOf(after)
	if err != nil {
		return err
	}
	return compared(old, now, func(old, now *treeChild) error {
		line := old
		if line == nil {
			line = now
		}
		if line.isTree() {
			return r.changesBelow(prefix+line.name+"/", old, now, visit)
		}
		return visit(change{prefix + line.name, old, now})
	})
}

// childrenOf returns the lines of a directory, none for a nil directory.
func (r *repository) childrenOf(directory *treeChild) ([]treeChild, error) {
	switch {
	case directory == nil:
		return nil, nil
	case directory.node != nil:
		return directory.node.children, nil
	}
	return r.readTree(directory.hash)
}

// changes returns a version and its differences from the version before.
func (r *repository) changes(ctx context.Context, id string) (core.Version, []vcs.Change, error) {
	shown, err := r.version(id)
	if err != nil {
		return core.Version{}, nil, err
	}
	parent, err := r.parentOf(shown)
	if err != nil {
		return core.Version{}, nil, err
	}
	if shown.version.FilesChanged, err = r.changedFiles(parent.tree, shown.tree); err != nil {
		return core.Version{}, nil, err
	}
	found := finding{repo: r, changes: []vcs.Change{}}
	err = r.changesBetween(treeChild{mode: modeTree, hash: parent.tree}, treeChild{mode: modeTree, hash: shown.tree}, func(c change) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return found.add(c)
	})
	if err != nil {
		return core.Version{}, nil, err
	}
	slices.SortFunc(found.changes, func(a, b vcs.Change) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return shown.version, found.changes, nil
}

// finding gathers the contents of the files that a version changed.
type finding struct {
	repo    *repository
	changes []vcs.Change
	bytes   int
}

func (f *finding) add(c change) error {
	path, err := core.ParsePath(c.name)
	if err != nil || !c.before.isPlain() || !c.after.isPlain() {
		return nil
	}
	made := vcs.Change{Path: path}
	if made.Before, err = f.content(c.before); err != nil {
		return err
	}
	if made.After, err = f.content(c.after); err != nil {
		return err
	}
	f.changes = append(f.changes, made)
	if len(f.changes) > vcs.MaxChanges || f.bytes > vcs.MaxChangesBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the version changed too much to be shown")
	}
	return nil
}

// content returns the content that a line names, nil for a nil line.
func (f *finding) content(line *treeChild) ([]byte, error) {
	if line == nil {
		return nil, nil
	}
	body, err := f.repo.mustRead(plumbing.BlobObject, line.hash)
	f.bytes += len(body)
	return append([]byte{}, body...), err
}

// isPlain reports whether a line is nil or an ordinary file: neither a link nor a
// submodule.
func (c *treeChild) isPlain() bool { return c == nil || c.mode&0o170000 == 0o100000 }
