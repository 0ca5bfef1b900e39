package index

import (
	"bytes"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
)

// Tree builds the trees of the whole index. It returns core.CodeConflict while a merge is
// open. Hashing ten thousand entries takes a millisecond, less than reading the old trees to
// find what changed.
func (x *File) Tree() (*objects.Tree, error) {
	for i := range x.Len() {
		if x.Entry(i).Stage() != 0 {
			return nil, core.Errorf(core.CodeConflict, "a merge is not finished: %q is in conflict", x.Entry(i).Name())
		}
	}
	return x.subtree(0, x.Len(), 0), nil
}

// subtree builds the tree of the entries from lo to hi, whose names share their first
// prefix bytes. The index has the order of trees.
func (x *File) subtree(lo, hi, prefix int) *objects.Tree {
	tree := &objects.Tree{}
	for i := lo; i < hi; {
		e := x.Entry(i)
		name := e.Name()[prefix:]
		slash := bytes.IndexByte(name, '/')
		if slash < 0 {
			if !e.IntentToAdd() {
				tree.Entries = append(tree.Entries, objects.TreeEntry{Name: string(name), Mode: e.Mode(), Hash: e.Hash()})
				tree.Files++
			}
			i++
			continue
		}
		end := i + 1
		for end < hi && bytes.HasPrefix(x.Entry(end).Name()[prefix:], name[:slash+1]) {
			end++
		}
		if below := x.subtree(i, end, prefix+slash+1); below.Files > 0 {
			tree.Entries = append(tree.Entries, objects.TreeEntry{Name: string(name[:slash]), Mode: objects.ModeTree, Hash: below.Hash, Tree: below})
			tree.Files += below.Files
		}
		i = end
	}
	tree.Object = objects.New(plumbing.TreeObject, objects.EncodeTree(tree.Entries))
	return tree
}
