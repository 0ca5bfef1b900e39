package git

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// compared walks two trees side by side. It calls visit for each pair of lines that
// differ, with nil for a line that one side lacks. A file and a directory of the same
// name are no pair.
func compared(before, after []treeChild, visit func(old, new *treeChild) error) error {
	for len(before) > 0 || len(after) > 0 {
		var order int
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = strings.Compare(before[0].key(), after[0].key())
		}
		var old, new *treeChild
		if order <= 0 {
			old, before = &before[0], before[1:]
		}
		if order >= 0 {
			new, after = &after[0], after[1:]
		}
		if old != nil && new != nil && old.hash == new.hash && old.mode == new.mode {
			continue
		}
		if err := visit(old, new); err != nil {
			return err
		}
	}
	return nil
}

// count returns the number of files below a stored line.
func (s *store) count(child treeChild) (int, error) {
	if !child.isTree() {
		return 1, nil
	}
	children, err := s.readTree(child.hash)
	files := 0
	for _, below := range children {
		n, err := s.count(below)
		if err != nil {
			return 0, err
		}
		files += n
	}
	return files, err
}

// difference is what distinguishes a tree that is not stored from a stored one.
type difference struct {
	// trees are the trees that the old tree does not have; files are the lines of new or
	// changed files in them.
	trees []object
	files []treeChild
	// changed counts the paths that differ.
	changed int
}

// difference compares a tree with a stored one, or with nothing if the hash is zero. It
// reads only the stored trees on the way to changes.
func (s *store) difference(old plumbing.Hash, node *treeNode) (difference, error) {
	var d difference
	err := s.differ(&d, old, node)
	return d, err
}

func (s *store) differ(d *difference, old plumbing.Hash, node *treeNode) error {
	if node.hash == old {
		return nil
	}
	d.trees = append(d.trees, node.object)
	before, err := s.readTree(old)
	if err != nil {
		return err
	}
	return compared(before, node.children, func(old, new *treeChild) error {
		if new == nil || old != nil && !new.isTree() {
			return s.differGone(d, old, new)
		}
		if !new.isTree() {
			d.files = append(d.files, *new)
			d.changed++
			return nil
		}
		var hash plumbing.Hash
		if old != nil {
			hash = old.hash
		}
		return s.differ(d, hash, new.node)
	})
}

// differGone counts the files of an old line that is gone, or one changed file.
func (s *store) differGone(d *difference, old, new *treeChild) error {
	if new != nil {
		d.files = append(d.files, *new)
	}
	files, err := s.count(*old)
	d.changed += files
	return err
}

// changedFiles counts the paths that differ between two stored trees.
func (s *store) changedFiles(before, after plumbing.Hash) (int, error) {
	if before == after {
		return 0, nil
	}
	old, err := s.readTree(before)
	if err != nil {
		return 0, err
	}
	new, err := s.readTree(after)
	if err != nil {
		return 0, err
	}
	files := 0
	err = compared(old, new, func(old, new *treeChild) (err error) {
		n := 1
		switch {
		case old == nil:
			n, err = s.count(*new)
		case new == nil:
			n, err = s.count(*old)
		case new.isTree():
			n, err = s.changedFiles(old.hash, new.hash)
		}
		files += n
		return err
	})
	return files, err
}

// change is a file that differs between two trees, with its line in both. A line is nil
// if that tree has no such file.
type change struct {
	name          string
	before, after *treeChild
}

// changesBetween calls visit for every file that differs between two directories, which
// may be stored trees or come from the index.
func (s *store) changesBetween(before, after treeChild, visit func(change) error) error {
	return s.changesBelow("", &before, &after, visit)
}

func (s *store) changesBelow(prefix string, before, after *treeChild, visit func(change) error) error {
	old, err := s.childrenOf(before)
	if err != nil {
		return err
	}
	now, err := s.childrenOf(after)
	if err != nil {
		return err
	}
	return compared(old, now, func(old, now *treeChild) error {
		line := old
		if line == nil {
			line = now
		}
		if line.isTree() {
			return s.changesBelow(prefix+line.name+"/", old, now, visit)
		}
		return visit(change{prefix + line.name, old, now})
	})
}

// childrenOf returns the lines of a directory, none for a nil directory.
func (s *store) childrenOf(directory *treeChild) ([]treeChild, error) {
	switch {
	case directory == nil:
		return nil, nil
	case directory.node != nil:
		return directory.node.children, nil
	}
	return s.readTree(directory.hash)
}
