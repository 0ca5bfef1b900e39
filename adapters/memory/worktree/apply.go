package worktree

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Apply implements worktree.Tree.
func (t *Tree) Apply(ctx context.Context, changes []core.FileChange) []worktree.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	results := make([]worktree.Result, len(changes))
	for i, change := range changes {
		results[i] = t.apply(ctx, change)
	}
	return results
}

func (t *Tree) apply(ctx context.Context, change core.FileChange) worktree.Result {
	var created bool
	err := ctx.Err()
	if err == nil {
		err = locks.Check(ctx)
	}
	if err == nil && t.nodes[""] == nil {
		err = core.NotFound("project directory")
	}
	if err != nil {
		return worktree.Result{Err: err}
	}
	at := change.Path
	switch change.Op {
	case core.OpWrite:
		created, err = t.write(change)
	case core.OpRename:
		at = change.To
		created, err = t.rename(change.Path, change.To)
	case core.OpDelete:
		return worktree.Result{Err: t.delete(change.Path)}
	default:
		err = core.Errorf(core.CodeInvalidRequest, "no such operation on a file")
	}
	if err != nil {
		return worktree.Result{Err: err}
	}
	return worktree.Result{Info: t.nodes[at.String()].info(at), Created: created}
}

func (t *Tree) write(change core.FileChange) (created bool, err error) {
	path := change.Path
	if path.IsRoot() {
		return false, errRoot()
	}
	old := t.nodes[path.String()]
	if old != nil && old.dir() {
		return false, core.Errorf(core.CodeConflict, "a directory already has this path")
	}
	if err := t.makeParents(path); err != nil {
		return false, err
	}
	written := &node{content: append([]byte{}, change.Content...), modified: t.now(), executable: old != nil && old.executable}
	if change.Executable != nil {
		written.executable = *change.Executable
	}
	t.nodes[path.String()] = written
	return old == nil, nil
}

func (t *Tree) rename(from, to core.ProjectPath) (created bool, err error) {
	if from.IsRoot() || to.IsRoot() {
		return false, errRoot()
	}
	source, target := t.nodes[from.String()], t.nodes[to.String()]
	switch {
	case source == nil:
		return false, core.NotFound("file")
	case target != nil && (source.dir() || target.dir()):
		return false, core.Errorf(core.CodeConflict, "the new path already exists")
	case source.dir() && from.Contains(to):
		return false, core.Errorf(core.CodeConflict, "a directory cannot be moved into itself")
	}
	if err := t.makeParents(to); err != nil {
		return false, err
	}
	for _, name := range t.nodes.below(from.String()) {
		t.move(name, to.String()+name[len(from.String()):])
	}
	t.move(from.String(), to.String())
	return target == nil, nil
}

func (t *Tree) move(from, to string) {
	moved := t.nodes[from]
	delete(t.nodes, from)
	t.nodes[to] = moved
}

func (t *Tree) delete(path core.ProjectPath) error {
	if path.IsRoot() {
		return errRoot()
	}
	if t.nodes[path.String()] == nil {
		return core.NotFound("file")
	}
	for _, name := range t.nodes.below(path.String()) {
		delete(t.nodes, name)
	}
	delete(t.nodes, path.String())
	return nil
}

// makeParents creates the directories above path, or none of them if a file is in the
// way.
func (t *Tree) makeParents(path core.ProjectPath) error {
	var absent []core.ProjectPath
	for dir := path.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		switch found := t.nodes[dir.String()]; {
		case found == nil:
			absent = append(absent, dir)
		case !found.dir():
			return core.Errorf(core.CodeConflict, "%s is a file, not a directory", dir)
		}
	}
	for _, dir := range absent {
		t.nodes[dir.String()] = &node{modified: t.now()}
	}
	return nil
}

func errRoot() error {
	return core.Errorf(core.CodeInvalidPath, "the project's root cannot be changed")
}
