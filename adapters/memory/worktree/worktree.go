// Package worktree is a worktree.Trees in memory. Package memory makes one.
package worktree

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/worktree"
)

var _ worktree.Trees = (*Trees)(nil)

// Trees holds the projects' files in memory. The zero value is not usable: call New. It is
// safe for concurrent use.
type Trees struct {
	mu      sync.RWMutex
	trees   map[core.ID]*Tree
	missing bool
}

// New returns empty trees.
func New() *Trees { return &Trees{trees: make(map[core.ID]*Tree)} }

// SetMissing makes the trees behave like an unmounted disk, or undoes that: every call answers
// core.CodeUnavailable meanwhile. The trees keep their content.
func (t *Trees) SetMissing(missing bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.missing = missing
}

// Create implements worktree.Trees.
func (t *Trees) Create(ctx context.Context, project core.ID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.usable(ctx); err != nil {
		return err
	}
	if t.trees[project] != nil {
		return core.Errorf(core.CodeConflict, "the project already has files")
	}
	t.trees[project] = newTree()
	return nil
}

// Open implements worktree.Trees.
func (t *Trees) Open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	return t.Find(ctx, project)
}

// Remove implements worktree.Trees.
func (t *Trees) Remove(ctx context.Context, project core.ID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.usable(ctx); err != nil {
		return err
	}
	if err := locks.Check(ctx); err != nil {
		return err
	}
	if gone := t.trees[project]; gone != nil {
		gone.remove()
	}
	delete(t.trees, project)
	return nil
}

// Repair implements worktree.Trees. Nothing is unfinished in memory.
func (t *Trees) Repair(ctx context.Context, _ core.ID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.usable(ctx); err != nil {
		return err
	}
	return locks.Check(ctx)
}

// Check implements worktree.Trees.
func (t *Trees) Check(ctx context.Context) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.usable(ctx)
}

// Find is Open, with the concrete type of the tree.
func (t *Trees) Find(ctx context.Context, project core.ID) (*Tree, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	if found := t.trees[project]; found != nil {
		return found, nil
	}
	return nil, core.NotFound("project directory")
}

func (t *Trees) usable(ctx context.Context) error {
	if t.missing {
		return core.Errorf(core.CodeUnavailable, "the projects' disk is missing")
	}
	return ctx.Err()
}

// node is a file, or a directory if content is nil. Nodes in a tree are immutable: a write
// puts a new one.
type node struct {
	content    []byte
	modified   int64
	executable bool
}

func (n *node) dir() bool { return n.content == nil }

// nodes are a tree's files and directories by their paths below its root, which is "".
type nodes map[string]*node

// below returns the names of everything under dir, in no particular order.
func (all nodes) below(dir string) []string {
	var names []string
	for name := range all {
		if strings.HasPrefix(name, dir+"/") {
			names = append(names, name)
		}
	}
	return names
}

// Tree is one project's files. Its root exists until the tree is removed.
type Tree struct {
	mu    sync.RWMutex
	nodes nodes
	last  int64
	// attached is the value that Attach keeps.
	attached any
}

// File is a file of a tree in memory. Its Content is immutable.
type File struct {
	Content    []byte
	Modified   int64 // nanoseconds since the Unix epoch
	Executable bool
}

// File returns the file at a path below the root, and false if there is no file.
func (t *Tree) File(name string) (File, bool) {
	found := t.node(name)
	if found == nil || found.dir() {
		return File{}, false
	}
	return File{found.content, found.modified, found.executable}, true
}

// Attach stores the result of made with the tree, unless something is stored already. It is
// removed with the tree. A project's repository is stored this way.
func (t *Tree) Attach(made func() any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.attached == nil {
		t.attached = made()
	}
}

// Attached returns the value of Attach, nil before.
func (t *Tree) Attached() any {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.attached
}

func newTree() *Tree {
	t := &Tree{nodes: make(nodes)}
	t.nodes[""] = &node{modified: t.now()}
	return t
}

// now is the clock of the tree in nanoseconds since the Unix epoch. It never returns a value
// twice.
func (t *Tree) now() int64 {
	t.last = max(t.last+1, time.Now().UnixNano())
	return t.last
}

func (t *Tree) remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.nodes)
}

// Open implements worktree.Tree.
func (t *Tree) Open(ctx context.Context, path core.ProjectPath) (worktree.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := t.node(path.String())
	if found == nil || found.dir() {
		return nil, core.NotFound("file")
	}
	return &openFile{Reader: bytes.NewReader(found.content), info: found.info(path)}, nil
}

// Stat implements worktree.Tree.
func (t *Tree) Stat(ctx context.Context, path core.ProjectPath) (worktree.Info, error) {
	if err := ctx.Err(); err != nil {
		return worktree.Info{}, err
	}
	found := t.node(path.String())
	if found == nil {
		return worktree.Info{}, core.NotFound("file")
	}
	return found.info(path), nil
}

// Walk implements worktree.Tree.
func (t *Tree) Walk(ctx context.Context, visit func(worktree.Info) error) error {
	infos, err := t.listed()
	if err != nil {
		return err
	}
	for _, info := range infos {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(info); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Size implements worktree.Tree.
func (t *Tree) Size(ctx context.Context) (int64, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.nodes[""] == nil {
		return 0, core.NotFound("project directory")
	}
	var size int64
	for _, n := range t.nodes {
		size += int64(len(n.content))
	}
	return size, ctx.Err()
}

// listed returns what Walk visits, so that visit runs without the lock.
func (t *Tree) listed() ([]worktree.Info, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.nodes[""] == nil {
		return nil, core.NotFound("project directory")
	}
	var infos []worktree.Info
	for name, n := range t.nodes {
		if n.dir() {
			continue
		}
		path, err := core.ParsePath(name)
		if err == nil && !path.Generated() {
			infos = append(infos, n.info(path))
		}
	}
	slices.SortFunc(infos, func(a, b worktree.Info) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	return infos, nil
}

func (t *Tree) node(name string) *node {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.nodes[name]
}

func (n *node) info(path core.ProjectPath) worktree.Info {
	return worktree.Info{
		Path:         path,
		Size:         int64(len(n.content)),
		Modified:     core.At(time.Unix(0, n.modified)),
		ModifiedNano: n.modified,
		Dir:          n.dir(),
	}
}

// openFile is a file as it was when it was opened.
type openFile struct {
	*bytes.Reader
	info worktree.Info
}

// Info implements worktree.File.
func (f *openFile) Info() worktree.Info { return f.info }

// Close implements worktree.File.
func (f *openFile) Close() error { return nil }
