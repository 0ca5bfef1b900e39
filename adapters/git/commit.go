package git

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// commit creates a version from the index. It writes only trees that the last version
// does not have.
func (r *repository) commit(ctx context.Context, asked vcs.Commit) (version core.Version, made bool, err error) {
	lock, err := r.dir.LockIndex(ctx)
	if err != nil {
		return version, false, err
	}
	defer lock.Release()
	staged, err := lock.Index()
	if err != nil {
		return version, false, err
	}
	last, parent, err := r.history.newest()
	if err != nil {
		return version, false, err
	}
	root, err := r.treeOf(staged, parent.Tree, asked)
	if err != nil {
		return version, false, err
	}
	if root.Hash == parent.Tree || last.Commit.IsZero() && root.Files == 0 {
		return version, false, nil
	}
	changes, err := r.objects.Difference(parent.Tree, root)
	if err != nil {
		return version, false, err
	}
	next := objects.Commit{Tree: root.Hash, Version: versionOf(asked)}
	next.Version.FilesChanged = changes.Changed
	if !last.Commit.IsZero() {
		next.Parents = append(next.Parents, last.Commit)
	}
	commit := objects.New(plumbing.CommitObject, next.Encode())
	next.Version.ID = commit.Hash.String()
	err = r.advance(ctx, last, append(changes.Trees, commit))
	return next.Version, err == nil, err
}

// versionOf returns the version that asked describes, without the fields that only the
// commit object gives.
func versionOf(asked vcs.Commit) core.Version {
	version := core.Version{
		Message:   vcs.CleanMessage(asked.Message),
		Author:    asked.Author,
		CreatedAt: core.At(asked.At.Std().Truncate(time.Second)),
	}
	if asked.ChatID != nil {
		version.Chat = core.MarkOf(*asked.ChatID)
	}
	return version
}

// treeOf builds the trees of a version. Files that it selects come from the index; other
// files stay as they are in the last version.
func (r *repository) treeOf(staged *index.File, last plumbing.Hash, asked vcs.Commit) (*objects.Tree, error) {
	root, err := staged.Tree()
	if err != nil || asked.Whole() {
		return root, err
	}
	var others []objects.Change
	selected := selectedNames{}
	err = r.objects.Changes(objects.Dir(last), root.Dir(), func(c objects.Change) error {
		if !asked.Takes(c.Name) {
			others = append(others, c)
		} else if c.After != nil {
			selected.add(c.Name)
		}
		return nil
	})
	if err != nil || len(others) == 0 {
		return root, err
	}
	var edits []index.Edit
	for _, c := range others {
		reverted := index.Edit{Name: c.Name}
		if c.Before != nil && !selected.block(c.Name) {
			reverted.Entry = index.NewEntry(c.Name, c.Before.Hash, c.Before.Mode, unix.Stat_t{})
		}
		edits = append(edits, reverted)
	}
	slices.SortFunc(edits, func(a, b index.Edit) int { return strings.Compare(a.Name, b.Name) })
	reverted, err := index.Parse(staged.Encode(edits))
	if err != nil {
		return nil, err
	}
	return reverted.Tree()
}

// selectedNames maps the names of the files that a version selects to false, and the
// directories above them to true.
type selectedNames map[string]bool

func (s selectedNames) add(file string) {
	s[file] = false
	for i, c := range file {
		if c == '/' {
			s[file[:i]] = true
		}
	}
}

// block reports whether a selected file lies above or below name, so that no file of that
// name can exist.
func (s selectedNames) block(name string) bool {
	for i, c := range name {
		if c != '/' {
			continue
		}
		if directory, found := s[name[:i]]; found && !directory {
			return true
		}
	}
	return s[name]
}

// advance stores objects and moves the head to the last of them, the new commit. If
// another client committed meanwhile, it returns core.CodeConflict (optimistic locking).
func (r *repository) advance(ctx context.Context, from gitdir.Head, stored []objects.Object) error {
	lock, err := r.dir.LockHead(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	if lock.Head() != from {
		return core.Errorf(core.CodeConflict, "another program made a version at the same time")
	}
	batch := r.dir.NewBatch()
	if err := batch.AddObjects(stored); err != nil {
		return err
	}
	lock.Move(batch, stored[len(stored)-1].Hash)
	return batch.Write()
}

// recommit commits the tree of an earlier version on top of the last version.
func (r *repository) recommit(id string, asked vcs.Commit) (core.Version, bool, error) {
	earlier, err := r.history.version(id)
	if err != nil {
		return core.Version{}, false, err
	}
	at, last, err := r.history.newest()
	if err != nil || last.Tree == earlier.Tree {
		return core.Version{}, false, err
	}
	next := objects.Commit{Tree: earlier.Tree, Version: versionOf(asked)}
	if !at.Commit.IsZero() {
		next.Parents = append(next.Parents, at.Commit)
	}
	if next.Version.FilesChanged, err = r.objects.ChangedFiles(last.Tree, earlier.Tree); err != nil {
		return core.Version{}, false, err
	}
	commit := objects.New(plumbing.CommitObject, next.Encode())
	next.Version.ID = commit.Hash.String()
	batch := r.dir.NewBatch()
	if err := batch.AddObjects([]objects.Object{commit}); err != nil {
		return core.Version{}, false, err
	}
	err = batch.Write()
	return next.Version, err == nil, err
}
