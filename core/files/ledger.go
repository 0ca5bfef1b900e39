package files

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/worktree"
)

// ledger collects the effects of one call's changes, so that the repository and the
// cache are each updated once.
type ledger struct {
	locked *lockedProject
	tree   worktree.Tree
	// base has the cache's rows from before the changes, once they were needed.
	base []core.FileEntry

	deleted pathSet
	put     map[core.ProjectPath]core.FileEntry
	staged  []core.FileChange
	notices []core.FileNotice
	// movedTree says that a directory moved: it may hold files that the cache
	// never knew, so the project has to be reconciled.
	movedTree bool
}

func newLedger(locked *lockedProject, tree worktree.Tree) *ledger {
	return &ledger{locked: locked, tree: tree, deleted: pathSet{}, put: map[core.ProjectPath]core.FileEntry{}}
}

// enter books every change that worked and returns the results of all changes.
func (l *ledger) enter(changes []core.FileChange, done []worktree.Result) ([]Result, error) {
	results := make([]Result, len(changes))
	for i := range results {
		results[i].Err = done[i].Err
	}
	for i, change := range changes {
		if done[i].Err != nil {
			continue
		}
		entry, err := l.book(change, done[i])
		if err != nil {
			return results, err
		}
		results[i].Entry, results[i].Created = entry, done[i].Created
	}
	return results, nil
}

func (l *ledger) book(change core.FileChange, done worktree.Result) (*core.FileEntry, error) {
	switch change.Op {
	case core.OpWrite:
		return l.bookWrite(change, done), nil
	case core.OpDelete:
		l.remove(change.Path)
		l.staged = append(l.staged, change)
		l.notices = append(l.notices, core.FileNotice{Action: core.FileDeleted, Path: change.Path})
		return nil, nil
	case core.OpRename:
		if change.Path == change.To {
			return nil, nil
		}
		if done.Info.Dir {
			return nil, l.bookMovedTree(change)
		}
		return l.bookRename(change, done.Info)
	}
	return nil, core.Errorf(core.CodeInternal, "a change has the unknown operation %q", change.Op)
}

func (l *ledger) bookWrite(change core.FileChange, done worktree.Result) *core.FileEntry {
	entry := core.FileEntry{Path: change.Path, Size: done.Info.Size, UpdatedAt: done.Info.Modified, ETag: ETag(change.Content)}
	l.put[entry.Path] = entry
	l.staged = append(l.staged, change)
	action := core.FileModified
	if done.Created {
		action = core.FileCreated
	}
	l.notices = append(l.notices, core.FileNotice{Action: action, Path: entry.Path, Entry: &entry})
	return &entry
}

// bookRename moves the row of a file. A file that is not in the cache, such as
// build output, is not in the repository either, so it is staged as new.
func (l *ledger) bookRename(change core.FileChange, info worktree.Info) (*core.FileEntry, error) {
	row, err := l.row(change.Path)
	if err != nil {
		return nil, err
	}
	if row != nil && sameContent(*row, info) {
		l.staged = append(l.staged, change)
		l.remove(change.Path)
		return l.moved(change, *row), nil
	}
	content, err := l.read(change.To)
	if err != nil {
		return nil, err
	}
	l.staged = append(l.staged,
		core.FileChange{Op: core.OpDelete, Path: change.Path},
		core.FileChange{Op: core.OpWrite, Path: change.To, Content: content})
	l.remove(change.Path)
	return l.moved(change, core.FileEntry{Size: info.Size, UpdatedAt: info.Modified, ETag: ETag(content)}), nil
}

// moved books a row under its new path.
func (l *ledger) moved(change core.FileChange, entry core.FileEntry) *core.FileEntry {
	entry.Path = change.To
	l.put[entry.Path] = entry
	l.notices = append(l.notices, core.FileNotice{Action: core.FileRenamed, Path: change.To, From: &change.Path, Entry: &entry})
	return &entry
}

// bookMovedTree moves the rows of all files below a directory.
func (l *ledger) bookMovedTree(change core.FileChange) error {
	rows, err := l.below(change.Path)
	if err != nil {
		return err
	}
	l.movedTree = true
	l.staged = append(l.staged, change)
	l.remove(change.Path)
	for _, row := range rows {
		to, err := core.ParsePath(change.To.String() + strings.TrimPrefix(row.Path.String(), change.Path.String()))
		if err != nil {
			// The path is now too long for a project; no walk finds it either.
			l.notices = append(l.notices, core.FileNotice{Action: core.FileDeleted, Path: row.Path})
			continue
		}
		l.moved(core.FileChange{Path: row.Path, To: to}, row)
	}
	return nil
}

// remove books the removal of path and everything below it.
func (l *ledger) remove(path core.ProjectPath) {
	for known := range l.put {
		if path.Contains(known) {
			delete(l.put, known)
		}
	}
	l.deleted[path] = true
}

// row returns the row of a file after the changes booked so far.
func (l *ledger) row(path core.ProjectPath) (*core.FileEntry, error) {
	rows, err := l.below(path)
	if err != nil || len(rows) == 0 || rows[0].Path != path {
		return nil, err
	}
	return &rows[0], nil
}

// below returns the rows of path and of everything below it, sorted, after the
// changes booked so far.
func (l *ledger) below(path core.ProjectPath) ([]core.FileEntry, error) {
	if l.base == nil {
		base, err := l.locked.cache.rows(l.locked.ctx, l.locked.id)
		if err != nil {
			return nil, err
		}
		l.base = base
	}
	var rows []core.FileEntry
	for _, row := range rowsBelow(l.base, path) {
		if _, replaced := l.put[row.Path]; !replaced && !l.deleted.covers(row.Path) {
			rows = append(rows, row)
		}
	}
	for known, row := range l.put {
		if path.Contains(known) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, byPath)
	return rows, nil
}

// rowsBelow returns the rows of path and of everything below it from rows sorted by
// path. These are not contiguous: "a-b" sorts between "a" and "a/b".
func rowsBelow(rows []core.FileEntry, path core.ProjectPath) []core.FileEntry {
	at, found := slices.BinarySearchFunc(rows, path.String(), comparePath)
	if found {
		return rows[at : at+1]
	}
	from, _ := slices.BinarySearchFunc(rows, path.String()+"/", comparePath)
	to, _ := slices.BinarySearchFunc(rows, path.String()+"0", comparePath)
	return rows[from:to]
}

func comparePath(row core.FileEntry, path string) int {
	return strings.Compare(row.Path.String(), path)
}

func (l *ledger) read(path core.ProjectPath) ([]byte, error) {
	file, err := l.tree.Open(l.locked.ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAtMost(file, maxStagedBytes)
}

// delta is the change of the cache's rows. Files that are not listed have no rows.
func (l *ledger) delta() storage.FileDelta {
	delta := storage.FileDelta{Delete: l.deleted.sorted()}
	for _, entry := range l.put {
		if !entry.Path.Generated() {
			delta.Put = append(delta.Put, entry)
		}
	}
	slices.SortFunc(delta.Put, byPath)
	return delta
}

// settle brings repository and cache in step with the ledger. delta is the ledger's.
func (l *ledger) settle(delta storage.FileDelta) error {
	err := l.settleBoth(delta)
	if err == nil && l.movedTree {
		_, err = l.locked.reconcile()
	}
	return err
}

// settleBoth changes repository and cache concurrently, since each waits for its own
// disk. It changes the cache last if that also removes the mark, because the missing
// mark means that everything is done.
func (l *ledger) settleBoth(delta storage.FileDelta) error {
	if !l.locked.deps.Exclusive {
		if err := l.stage(); err != nil {
			return err
		}
		return l.locked.store(delta)
	}
	stored := make(chan error, 1)
	go func() { stored <- l.locked.store(delta) }()
	err := l.stage()
	if unstored := <-stored; err == nil {
		err = unstored
	}
	return err
}

func (l *ledger) stage() error {
	if len(l.staged) == 0 {
		return nil
	}
	return l.locked.deps.Repositories.Stage(l.locked.ctx, l.locked.id, l.staged)
}

func byPath(a, b core.FileEntry) int { return strings.Compare(a.Path.String(), b.Path.String()) }

// pathSet is a set of paths, each with everything below it.
type pathSet map[core.ProjectPath]bool

// covers reports whether path is in the set or below a path in it.
func (s pathSet) covers(path core.ProjectPath) bool { return s[path] || s.coversAbove(path) }

// coversAbove reports whether path is below a path in the set.
func (s pathSet) coversAbove(path core.ProjectPath) bool {
	for !path.IsRoot() {
		if path = path.Dir(); s[path] {
			return true
		}
	}
	return false
}

func (s pathSet) sorted() []core.ProjectPath {
	return slices.SortedFunc(maps.Keys(s), func(a, b core.ProjectPath) int { return strings.Compare(a.String(), b.String()) })
}

func setOf(paths []core.ProjectPath) pathSet {
	set := make(pathSet, len(paths))
	for _, path := range paths {
		set[path] = true
	}
	return set
}
