package git

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
	"github.com/atelierhq/atelier/core"
)

// duplicateNote is a file in this package's folder. It exists from the moment in which a
// repository has received the versions of another until Repair, which every new holder of
// a repository calls, clears the folder.
const duplicateNote = "duplicate"

// Duplicate implements vcs.Repositories.
func (r *Repositories) Duplicate(ctx context.Context, from, to core.ID) error {
	source, err := r.open(ctx, from)
	if err != nil {
		return err
	}
	target, err := r.open(ctx, to)
	if err != nil {
		return err
	}
	return durable.Fault(source.duplicate(ctx, target), "repository")
}

// Duplicated implements vcs.Repositories.
func (r *Repositories) Duplicated(ctx context.Context, project core.ID) (bool, error) {
	repo, err := r.open(ctx, project)
	if err != nil {
		return false, err
	}
	_, err = os.Lstat(repo.dir.Aside(duplicateNote))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, durable.Fault(err, "repository")
}

// duplicate copies the versions and the index of this repository into another. It packs
// the objects again instead of copying their files: a project with many saves has
// thousands of small loose objects, and most of them belong to no version.
func (r *repository) duplicate(ctx context.Context, target *repository) error {
	if err := target.checkEmpty(); err != nil {
		return err
	}
	staged, err := r.dir.Index()
	if err != nil {
		return err
	}
	at, err := r.dir.Head()
	if err != nil {
		return err
	}
	copied := &copier{from: r.objects, to: target.dir, seen: map[plumbing.Hash]bool{}}
	if err := copied.all(ctx, at.Commit, staged); err != nil {
		return err
	}
	edits, err := target.matchFiles(staged)
	if err != nil {
		return err
	}
	indexLock, err := target.dir.LockIndex(ctx)
	if err != nil {
		return err
	}
	defer indexLock.Release()
	headLock, err := target.dir.LockHead(ctx)
	if err != nil {
		return err
	}
	defer headLock.Release()
	if err := target.checkEmpty(); err != nil {
		return err
	}
	batch := target.dir.NewBatch()
	indexLock.Replace(batch, staged.Encode(edits))
	batch.AddNote(duplicateNote, nil)
	if !at.Commit.IsZero() {
		headLock.Move(batch, at.Commit)
	}
	return batch.Write()
}

// checkEmpty returns core.CodeConflict if the repository has versions.
func (r *repository) checkEmpty() error {
	at, err := r.dir.Head()
	if err == nil && !at.Commit.IsZero() {
		err = core.Errorf(core.CodeConflict, "the repository already has versions")
	}
	return err
}

// matchFiles returns edits that make the entries of another tree's index describe the
// files of this tree. An entry whose file differs from what was staged gets a stat that
// matches no file.
func (r *repository) matchFiles(staged *index.File) ([]index.Edit, error) {
	var edits []index.Edit
	for i := range staged.Len() {
		e := staged.Entry(i)
		if e.Stage() != 0 || !e.IsFile() || e.IsExtended() {
			continue
		}
		name := string(e.Name())
		stat, err := nofollow.Stat(string(r.tree), name)
		if err != nil && !nofollow.IsAbsence(err) && !core.IsCode(err, core.CodePathTraversal) {
			return nil, err
		}
		if err != nil || !nofollow.IsRegular(stat) || uint32(stat.Size) != e.Size() || stat.Mtim.Nano() != e.Modified() {
			stat = unix.Stat_t{}
		}
		edits = append(edits, index.Edit{Name: name, Entry: index.NewEntry(name, e.Hash(), e.Mode(), stat)})
	}
	return edits, nil
}

// Bounds on the objects that are held in memory on their way into a pack.
const (
	maxCopiedBytes   = 16 << 20
	maxCopiedObjects = 10_000
)

// copier copies objects from one repository into another, each object once.
type copier struct {
	from    *objects.Store
	to      gitdir.Dir
	seen    map[plumbing.Hash]bool
	pending []objects.Object
	bytes   int
}

// all copies everything that a commit and an index name.
func (c *copier) all(ctx context.Context, newest plumbing.Hash, staged *index.File) error {
	for commits := []plumbing.Hash{newest}; len(commits) > 0; {
		parents, err := c.commit(ctx, commits[len(commits)-1])
		if err != nil {
			return err
		}
		commits = append(commits[:len(commits)-1], parents...)
	}
	for i := range staged.Len() {
		if e := staged.Entry(i); e.IsFile() && !e.IntentToAdd() {
			if err := c.add(ctx, plumbing.BlobObject, e.Hash()); err != nil {
				return err
			}
		}
	}
	return c.flush()
}

// commit copies a commit with its tree and returns its parents. A parent that a shallow
// clone lacks ends the history, as in a log.
func (c *copier) commit(ctx context.Context, hash plumbing.Hash) (parents []plumbing.Hash, err error) {
	if hash.IsZero() || c.seen[hash] {
		return nil, nil
	}
	body, err := c.from.Read(plumbing.CommitObject, hash)
	if errors.Is(err, fs.ErrNotExist) && len(c.seen) > 0 {
		return nil, nil
	}
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the repository is damaged")
	}
	parsed, err := objects.ParseCommit(hash, body)
	if err != nil {
		return nil, err
	}
	if err := c.put(objects.Object{Kind: plumbing.CommitObject, Body: body, Hash: hash}); err != nil {
		return nil, err
	}
	return parsed.Parents, c.tree(ctx, parsed.Tree)
}

// tree copies a tree with everything below it.
func (c *copier) tree(ctx context.Context, hash plumbing.Hash) error {
	if c.seen[hash] {
		return nil
	}
	body, err := c.from.ReadReferenced(plumbing.TreeObject, hash)
	if err != nil {
		return err
	}
	children, err := objects.ParseTree(body)
	if err != nil {
		return err
	}
	if err := c.put(objects.Object{Kind: plumbing.TreeObject, Body: body, Hash: hash}); err != nil {
		return err
	}
	for _, child := range children {
		switch child.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			err = c.tree(ctx, child.Hash)
		case unix.S_IFREG, unix.S_IFLNK:
			err = c.add(ctx, plumbing.BlobObject, child.Hash)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add copies one object.
func (c *copier) add(ctx context.Context, kind plumbing.ObjectType, hash plumbing.Hash) error {
	if c.seen[hash] {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	body, err := c.from.ReadReferenced(kind, hash)
	if err != nil {
		return err
	}
	return c.put(objects.Object{Kind: kind, Body: body, Hash: hash})
}

func (c *copier) put(o objects.Object) error {
	c.seen[o.Hash] = true
	c.pending = append(c.pending, o)
	c.bytes += len(o.Body)
	if c.bytes < maxCopiedBytes && len(c.pending) < maxCopiedObjects {
		return nil
	}
	return c.flush()
}

// flush stores the pending objects.
func (c *copier) flush() error {
	if len(c.pending) == 0 {
		return nil
	}
	batch := c.to.NewBatch()
	if err := batch.AddObjects(c.pending); err != nil {
		return err
	}
	c.pending, c.bytes = nil, 0
	return batch.Write()
}
