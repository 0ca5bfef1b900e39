package git

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/index"
)

// repair clears what a crash left behind, and rebuilds an index that is not sound.
func (r *repository) repair(ctx context.Context) (rebuilt bool, err error) {
	if err := r.dir.Check(); err != nil {
		return false, err
	}
	if err := (leftovers{r.dir, r.started}).clear(); err != nil {
		return false, err
	}
	lock, err := r.dir.LockIndex(ctx)
	if err != nil {
		return false, err
	}
	defer lock.Release()
	sound, err := r.indexIsSound(lock)
	if err != nil || sound {
		return false, err
	}
	return true, r.rebuildIndex(lock)
}

// indexIsSound reports whether the index can be read and every blob exists that the index
// names and the last version does not have.
func (r *repository) indexIsSound(lock *gitdir.IndexLock) (bool, error) {
	staged, err := lock.Index()
	if errors.Is(err, index.ErrUnreadable) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, last, err := r.history.newest()
	if err != nil {
		return false, err
	}
	root, err := staged.Tree()
	if err != nil {
		// A merge that the stock git client left open is no damage.
		return true, nil
	}
	changes, err := r.objects.Difference(last.Tree, root)
	if err != nil {
		return false, err
	}
	for _, file := range changes.Files {
		if file.Mode&unix.S_IFMT == unix.S_IFREG && !r.objects.Has(plumbing.BlobObject, file.Hash) {
			return false, nil
		}
	}
	return true, nil
}

// rebuildIndex builds an index from the last version. Its entries match no file, so git
// looks at the content of every file.
func (r *repository) rebuildIndex(lock *gitdir.IndexLock) error {
	_, last, err := r.history.newest()
	if err != nil {
		return err
	}
	edits, err := r.listTree(nil, "", last.Tree)
	if err != nil {
		return err
	}
	empty := index.New()
	batch := r.dir.NewBatch()
	lock.Replace(batch, empty.Encode(edits))
	return batch.Write()
}

// listTree appends an edit for every file of a stored tree, in the order of the index.
func (r *repository) listTree(edits []index.Edit, prefix string, hash plumbing.Hash) ([]index.Edit, error) {
	children, err := r.objects.ReadTree(hash)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		name := prefix + child.Name
		if !child.IsTree() {
			edits = append(edits, index.Edit{Name: name, Entry: index.NewEntry(name, child.Hash, child.Mode, unix.Stat_t{})})
			continue
		}
		if edits, err = r.listTree(edits, name+"/", child.Hash); err != nil {
			return nil, err
		}
	}
	return edits, nil
}
