package objects

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// compare walks two trees side by side. It calls visit for each pair of entries that
// differ, with nil for an entry that one side lacks. A file and a directory of the same
// name are no pair.
func compare(before, after []TreeEntry, visit func(old, new *TreeEntry) error) error {
	for len(before) > 0 || len(after) > 0 {
		var order int
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = strings.Compare(before[0].SortKey(), after[0].SortKey())
		}
		var old, new *TreeEntry
		if order <= 0 {
			old, before = &before[0], before[1:]
		}
		if order >= 0 {
			new, after = &after[0], after[1:]
		}
		if old != nil && new != nil && old.Hash == new.Hash && old.Mode == new.Mode {
			continue
		}
		if err := visit(old, new); err != nil {
			return err
		}
	}
	return nil
}

// count returns the number of files below an entry of a stored tree.
func (s *Store) count(entry TreeEntry) (int, error) {
	if !entry.IsTree() {
		return 1, nil
	}
	entries, err := s.ReadTree(entry.Hash)
	files := 0
	for _, below := range entries {
		n, err := s.count(below)
		if err != nil {
			return 0, err
		}
		files += n
	}
	return files, err
}

// Difference is what a tree has that a stored one has not.
type Difference struct {
	// Trees are the trees that the stored one does not have.
	Trees []Object
	// Files are the entries of new and changed files.
	Files []TreeEntry
	// Changed counts the paths that differ.
	Changed int
}

// Difference compares a tree with a stored one, or with nothing if the hash is zero. It
// reads only the stored trees on the way to changes.
func (s *Store) Difference(old plumbing.Hash, tree *Tree) (Difference, error) {
	var d Difference
	err := s.differ(&d, old, tree)
	return d, err
}

func (s *Store) differ(d *Difference, old plumbing.Hash, tree *Tree) error {
	if tree.Hash == old {
		return nil
	}
	d.Trees = append(d.Trees, tree.Object)
	before, err := s.ReadTree(old)
	if err != nil {
		return err
	}
	return compare(before, tree.Entries, func(old, new *TreeEntry) error {
		if new == nil || old != nil && !new.IsTree() {
			return s.differGone(d, old, new)
		}
		if !new.IsTree() {
			d.Files = append(d.Files, *new)
			d.Changed++
			return nil
		}
		var hash plumbing.Hash
		if old != nil {
			hash = old.Hash
		}
		return s.differ(d, hash, new.Tree)
	})
}

// differGone counts the files of an old entry that is gone, or one changed file.
func (s *Store) differGone(d *Difference, old, new *TreeEntry) error {
	if new != nil {
		d.Files = append(d.Files, *new)
	}
	files, err := s.count(*old)
	d.Changed += files
	return err
}

// ChangedFiles counts the paths that differ between two stored trees.
func (s *Store) ChangedFiles(before, after plumbing.Hash) (int, error) {
	if before == after {
		return 0, nil
	}
	old, err := s.ReadTree(before)
	if err != nil {
		return 0, err
	}
	new, err := s.ReadTree(after)
	if err != nil {
		return 0, err
	}
	files := 0
	err = compare(old, new, func(old, new *TreeEntry) (err error) {
		n := 1
		switch {
		case old == nil:
			n, err = s.count(*new)
		case new == nil:
			n, err = s.count(*old)
		case new.IsTree():
			n, err = s.ChangedFiles(old.Hash, new.Hash)
		}
		files += n
		return err
	})
	return files, err
}

// Change is a file that differs between two trees, with its entry in both. An entry is
// nil if that tree has no such file.
type Change struct {
	Name          string
	Before, After *TreeEntry
}

// Changes calls visit for every file that differs between two directories. They may be
// stored or not.
func (s *Store) Changes(before, after TreeEntry, visit func(Change) error) error {
	return s.changesBelow("", &before, &after, visit)
}

func (s *Store) changesBelow(prefix string, before, after *TreeEntry, visit func(Change) error) error {
	old, err := s.entriesOf(before)
	if err != nil {
		return err
	}
	now, err := s.entriesOf(after)
	if err != nil {
		return err
	}
	return compare(old, now, func(old, now *TreeEntry) error {
		entry := old
		if entry == nil {
			entry = now
		}
		if entry.IsTree() {
			return s.changesBelow(prefix+entry.Name+"/", old, now, visit)
		}
		return visit(Change{prefix + entry.Name, old, now})
	})
}

// entriesOf returns the entries of a directory, none for a nil directory.
func (s *Store) entriesOf(directory *TreeEntry) ([]TreeEntry, error) {
	switch {
	case directory == nil:
		return nil, nil
	case directory.Tree != nil:
		return directory.Tree.Entries, nil
	}
	return s.ReadTree(directory.Hash)
}
