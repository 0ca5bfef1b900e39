package git

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

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

// dir returns the line of a stored tree.
func dir(hash plumbing.Hash) treeChild { return treeChild{mode: modeTree, hash: hash} }

// dir returns the line of the tree.
func (t *treeNode) dir() treeChild { return treeChild{mode: modeTree, hash: t.hash, node: t} }

// encodeTree returns the body of a tree.
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
func (s *store) readTree(hash plumbing.Hash) ([]treeChild, error) {
	if hash.IsZero() {
		return nil, nil
	}
	if known, found := s.trees[hash]; found {
		return known, nil
	}
	body, err := s.mustRead(plumbing.TreeObject, hash)
	if err != nil {
		return nil, err
	}
	children, err := parseTree(body)
	if err == nil {
		s.trees[hash] = children
	}
	return children, err
}

// parseTree parses the body of a tree.
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

// isTree reports whether the line is of a directory.
func (c treeChild) isTree() bool { return c.mode == modeTree }

// key sorts the lines of a tree: the name of a directory counts with its slash.
func (c treeChild) key() string {
	if c.isTree() {
		return c.name + "/"
	}
	return c.name
}

// isPlain reports whether a line is nil or an ordinary file: neither a link nor a
// submodule.
func (c *treeChild) isPlain() bool { return c == nil || c.mode&0o170000 == 0o100000 }
