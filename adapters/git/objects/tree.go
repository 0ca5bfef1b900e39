package objects

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
)

// The modes of the entries of trees.
const (
	ModeFile       = 0o100644
	ModeExecutable = 0o100755
	ModeLink       = 0o120000
	ModeTree       = 0o40000
	ModeSubmodule  = 0o160000
)

// Tree is a tree that need not be stored, such as one that was built from the index.
type Tree struct {
	Object
	Entries []TreeEntry
	// Files is the number of files in it and below.
	Files int
}

// TreeEntry is a file, a directory, a link or a submodule in a tree. Tree is set for
// directories that need not be stored.
type TreeEntry struct {
	Name string
	Mode uint32
	Hash plumbing.Hash
	Tree *Tree
}

// Dir returns an entry without a name for a stored tree, whose hash may be zero.
func Dir(hash plumbing.Hash) TreeEntry { return TreeEntry{Mode: ModeTree, Hash: hash} }

// Dir returns an entry without a name for the tree.
func (t *Tree) Dir() TreeEntry { return TreeEntry{Mode: ModeTree, Hash: t.Hash, Tree: t} }

// EncodeTree returns the body of a tree.
func EncodeTree(entries []TreeEntry) []byte {
	var body []byte
	for _, entry := range entries {
		body = strconv.AppendUint(body, uint64(entry.Mode), 8)
		body = append(append(append(body, ' '), entry.Name...), 0)
		body = append(body, entry.Hash[:]...)
	}
	return body
}

// ReadTree returns the entries of a stored tree, none for the zero hash. Trees are cached
// for the duration of a call: a log compares each with the ones before and after.
func (s *Store) ReadTree(hash plumbing.Hash) ([]TreeEntry, error) {
	if hash.IsZero() {
		return nil, nil
	}
	if known, found := s.trees[hash]; found {
		return known, nil
	}
	body, err := s.ReadReferenced(plumbing.TreeObject, hash)
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(body)
	if err == nil {
		s.trees[hash] = entries
	}
	return entries, err
}

// ParseTree parses the body of a tree.
func ParseTree(body []byte) ([]TreeEntry, error) {
	var entries []TreeEntry
	for len(body) > 0 {
		header, rest, found := bytes.Cut(body, []byte{0})
		mode, name, spaced := strings.Cut(string(header), " ")
		bits, err := strconv.ParseUint(mode, 8, 32)
		if !found || !spaced || err != nil || len(rest) < len(plumbing.ZeroHash) {
			return nil, core.Wrap(core.CodeUnavailable, ErrDamaged, "the repository is damaged")
		}
		entry := TreeEntry{Name: name, Mode: uint32(bits)}
		body = rest[copy(entry.Hash[:], rest):]
		entries = append(entries, entry)
	}
	return entries, nil
}

// IsTree reports whether the entry is a directory.
func (e TreeEntry) IsTree() bool { return e.Mode == ModeTree }

// SortKey orders the entries of a tree: the name of a directory counts with its slash.
func (e TreeEntry) SortKey() string {
	if e.IsTree() {
		return e.Name + "/"
	}
	return e.Name
}

// IsPlain reports whether the entry is nil or an ordinary file: neither a link nor a
// submodule.
func (e *TreeEntry) IsPlain() bool { return e == nil || e.Mode&0o170000 == 0o100000 }
