package git

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/core"
)

// The modes of entries that this package writes or looks for.
const (
	modeFile       = 0o100644
	modeExecutable = 0o100755
	modeTree       = 0o40000
	modeSubmodule  = 0o160000
)

// treeNode is a directory of the index, with the tree object that describes it.
type treeNode struct {
	object
	children []treeChild
	// files is the number of the index's entries below it.
	files int
}

// treeChild is one line of a tree. node is set for directories that come from the
// index.
type treeChild struct {
	name string
	mode uint32
	hash plumbing.Hash
	node *treeNode
}

// buildTree builds the trees of the whole index. Hashing ten thousand entries takes a
// millisecond, less than reading the old trees to find what changed.
func buildTree(x *index.File) (*treeNode, error) {
	for i := range x.Len() {
		if x.Entry(i).Stage() != 0 {
			return nil, core.Errorf(core.CodeConflict, "a merge is not finished: %q is in conflict", x.Entry(i).Name())
		}
	}
	return buildNode(x, 0, x.Len(), 0), nil
}

// buildNode builds the tree of the entries from lo to hi, whose names share their first
// prefix bytes. The index has the order of trees.
func buildNode(x *index.File, lo, hi, prefix int) *treeNode {
	node := &treeNode{}
	for i := lo; i < hi; {
		e := x.Entry(i)
		name := e.Name()[prefix:]
		slash := bytes.IndexByte(name, '/')
		if slash < 0 {
			if !e.IntentToAdd() {
				node.children = append(node.children, treeChild{name: string(name), mode: e.Mode(), hash: e.Hash()})
				node.files++
			}
			i++
			continue
		}
		end := i + 1
		for end < hi && bytes.HasPrefix(x.Entry(end).Name()[prefix:], name[:slash+1]) {
			end++
		}
		if below := buildNode(x, i, end, prefix+slash+1); below.files > 0 {
			node.children = append(node.children, treeChild{string(name[:slash]), modeTree, below.hash, below})
			node.files += below.files
		}
		i = end
	}
	node.object = newObject(plumbing.TreeObject, encodeTree(node.children))
	return node
}

func encodeTree(children []treeChild) []byte {
	var body []byte
	for _, child := range children {
		body = strconv.AppendUint(body, uint64(child.mode), 8)
		body = append(append(append(body, ' '), child.name...), 0)
		body = append(body, child.hash[:]...)
	}
	return body
}

// readTree returns the lines of a stored tree, none for the zero hash. Trees are cached
// for the duration of a call: a log compares each with the ones before and after.
func (r *repository) readTree(hash plumbing.Hash) ([]treeChild, error) {
	if hash.IsZero() {
		return nil, nil
	}
	if known, found := r.trees[hash]; found {
		return known, nil
	}
	body, err := r.mustRead(plumbing.TreeObject, hash)
	if err != nil {
		return nil, err
	}
	children, err := parseTree(body)
	if err == nil {
		r.trees[hash] = children
	}
	return children, err
}

func parseTree(body []byte) ([]treeChild, error) {
	var children []treeChild
	for len(body) > 0 {
		header, rest, found := bytes.Cut(body, []byte{0})
		mode, name, spaced := strings.Cut(string(header), " ")
		bits, err := strconv.ParseUint(mode, 8, 32)
		if !found || !spaced || err != nil || len(rest) < len(plumbing.ZeroHash) {
			return nil, core.Wrap(core.CodeUnavailable, errDamaged, "the repository is damaged")
		}
		child := treeChild{name: name, mode: uint32(bits)}
		body = rest[copy(child.hash[:], rest):]
		children = append(children, child)
	}
	return children, nil
}

func (c treeChild) isTree() bool { return c.mode == modeTree }

// key sorts the lines of a tree: the name of a directory counts with its slash.
func (c treeChild) key() string {
	if c.isTree() {
		return c.name + "/"
	}
	return c.name
}

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
func (r *repository) count(child treeChild) (int, error) {
	if !child.isTree() {
		return 1, nil
	}
	children, err := r.readTree(child.hash)
	files := 0
	for _, below := range children {
		n, err := r.count(below)
		if err != nil {
			return 0, err
		}
		files += n
	}
	return files, err
}

// difference is what distinguishes the index from a stored tree.
type difference struct {
	// trees are the trees that the old tree does not have; files are the lines of new or
	// changed files in them.
	trees []object
	files []treeChild
	// changed counts the paths that differ.
	changed int
}

// difference compares a directory of the index with a stored tree, or with nothing if the
// hash is zero. It reads only the old trees on the way to changes.
func (r *repository) difference(d *difference, old plumbing.Hash, node *treeNode) error {
	if node.hash == old {
		return nil
	}
	d.trees = append(d.trees, node.object)
	before, err := r.readTree(old)
	if err != nil {
		return err
	}
	return compared(before, node.children, func(old, new *treeChild) error {
		if new == nil || old != nil && !new.isTree() {
			return r.differGone(d, old, new)
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
		return r.difference(d, hash, new.node)
	})
}

// differGone counts the files of an old line that is gone, or one changed file.
func (r *repository) differGone(d *difference, old, new *treeChild) error {
	if new != nil {
		d.files = append(d.files, *new)
	}
	files, err := r.count(*old)
	d.changed += files
	return err
}

// changedFiles counts the paths that differ between two stored trees.
func (r *repository) changedFiles(before, after plumbing.Hash) (int, error) {
	if before == after {
		return 0, nil
	}
	old, err := r.readTree(before)
	if err != nil {
		return 0, err
	}
	new, err := r.readTree(after)
	if err != nil {
		return 0, err
	}
	files := 0
	err = compared(old, new, func(old, new *treeChild) (err error) {
		n := 1
		switch {
		case old == nil:
			n, err = r.count(*new)
		case new == nil:
			n, err = r.count(*old)
		case new.isTree():
			n, err = r.changedFiles(old.hash, new.hash)
		}
		files += n
		return err
	})
	return files, err
}
