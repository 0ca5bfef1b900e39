package worktree

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/fsfile"
)

var (
	_ fs.ReadFileFS = treeFS{}
	_ fs.ReadDirFS  = treeFS{}
	_ fs.StatFS     = treeFS{}
)

// FS implements worktree.Tree.
func (t *Tree) FS() fs.FS { return treeFS{t} }

// treeFS is a live, read-only view of a tree.
type treeFS struct{ tree *Tree }

// Open implements fs.FS.
func (f treeFS) Open(name string) (fs.File, error) {
	found, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	info := nodeInfo{path.Base(name), found}
	if !found.dir() {
		return fsfile.NewFile(info, found.content), nil
	}
	entries, err := f.ReadDir(name)
	if err != nil {
		return nil, err
	}
	return fsfile.NewDir(info, entries), nil
}

// ReadFile implements fs.ReadFileFS.
func (f treeFS) ReadFile(name string) ([]byte, error) {
	found, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	if found.dir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return bytes.Clone(found.content), nil
}

// Stat implements fs.StatFS.
func (f treeFS) Stat(name string) (fs.FileInfo, error) {
	found, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return nodeInfo{path.Base(name), found}, nil
}

// ReadDir implements fs.ReadDirFS.
func (f treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !found.dir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	prefix := ""
	if name != "." {
		prefix = name + "/"
	}
	f.tree.mu.RLock()
	defer f.tree.mu.RUnlock()
	entries := []fs.DirEntry{}
	for full, n := range f.tree.nodes {
		rest, inside := strings.CutPrefix(full, prefix)
		if inside && rest != "" && !strings.Contains(rest, "/") {
			entries = append(entries, fs.FileInfoToDirEntry(nodeInfo{rest, n}))
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (f treeFS) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	key := name
	if name == "." {
		key = ""
	}
	if found := f.tree.node(key); found != nil {
		return found, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// nodeInfo describes a node to readers of the view.
type nodeInfo struct {
	name string
	node *node
}

// Name implements fs.FileInfo.
func (i nodeInfo) Name() string { return i.name }

// Size implements fs.FileInfo.
func (i nodeInfo) Size() int64 { return int64(len(i.node.content)) }

// ModTime implements fs.FileInfo.
func (i nodeInfo) ModTime() time.Time { return time.Unix(0, i.node.modified) }

// IsDir implements fs.FileInfo.
func (i nodeInfo) IsDir() bool { return i.node.dir() }

// Sys implements fs.FileInfo.
func (i nodeInfo) Sys() any { return nil }

// Mode implements fs.FileInfo.
func (i nodeInfo) Mode() fs.FileMode {
	if i.node.dir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
