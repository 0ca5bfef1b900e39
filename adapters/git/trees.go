package git

import (
	"bytes"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/core"
)

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
			node.children = append(node.children, treeChild{name: string(name[:slash]), mode: modeTree, hash: below.hash, node: below})
			node.files += below.files
		}
		i = end
	}
	node.object = newObject(plumbing.TreeObject, encodeTree(node.children))
	return node
}
