package files

import (
	"context"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// maxStagedBytes is the largest file that reconciling puts into the repository.
// Larger ones, which no upload can make, are listed only.
const maxStagedBytes = 100 << 20

// Report says what reconciling found.
type Report struct {
	// Files is how many files the project has.
	Files int
	// Changes are the differences between the cache and the disk, sorted by path.
	Changes []core.FileNotice
	// Staged is how many paths the repository learned of.
	Staged int
	// Rebuilt says that the repository's index or the whole repository was rebuilt.
	Rebuilt bool
}

// Reconciler brings cache and repository in step with the disk.
type Reconciler struct{ projects projects }

// Reconcile makes cache and repository agree with the disk, which is the truth, and
// tells the project's followers what it found. It does not read files again whose
// size and time match their rows.
//
// It never treats a missing disk as an empty one. If a tree is missing, or lost its
// repository and every file, it returns CodeUnavailable and leaves the cache
// unchanged.
func (r Reconciler) Reconcile(ctx context.Context, project core.ID) (Report, error) {
	r.projects.saveEdits(ctx, project)
	locked, err := r.projects.lock(ctx, project)
	if err != nil {
		return Report{}, err
	}
	defer locked.release()
	return locked.reconcile()
}

// ReconcileAll reconciles every project that has a tree and a record, and hands
// each outcome to report. It stops only when ctx ends or the trees cannot be
// listed at all.
func (r Reconciler) ReconcileAll(ctx context.Context, report func(core.ID, Report, error)) error {
	projects, err := r.projects.deps.Trees.List(ctx)
	if err != nil {
		return err
	}
	for _, project := range projects {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := r.projects.deps.Store.Tables().Projects.ByID(ctx, project)
		if core.IsCode(err, core.CodeNotFound) {
			continue
		}
		var found Report
		if err == nil {
			found, err = r.Reconcile(ctx, project)
		}
		report(project, found, err)
	}
	return nil
}

// reconcile is Reconciler.Reconcile. After a failure the next touch tries again.
func (l *lockedProject) reconcile() (Report, error) {
	inStep := false
	defer func() {
		if !inStep {
			l.fresh.drop(l.id)
		}
	}()
	if _, err := l.inherit(); err != nil {
		return Report{}, err
	}
	r := &reconciliation{locked: l}
	if err := r.look(); err != nil {
		return Report{}, err
	}
	r.compare()
	if err := r.settle(); err != nil {
		return Report{}, err
	}
	l.fresh.add(l.id)
	l.budget.forget(l.id)
	l.publish(core.Author{Kind: core.AuthorUser, Name: "file system"}, r.report.Changes)
	if err := l.resumeArrival(); err != nil {
		return Report{}, err
	}
	inStep = true
	return r.report, nil
}

// reconciliation is one comparison of disk, cache and index. All three are sorted by
// path.
type reconciliation struct {
	locked *lockedProject
	tree   worktree.Tree

	disk  []worktree.Info
	rows  []core.FileEntry
	index []vcs.StagedFile

	// reread are the files whose state differs from the cache or the index.
	reread []staleFile
	delta  storage.FileDelta
	// buffer has the changes to stage.
	buffer changeBuffer
	report Report
}

// staleFile is a file to read again.
type staleFile struct {
	info worktree.Info
	// cached says that the file belongs in the cache; row is the cache's row, nil if
	// it has none.
	cached bool
	row    *core.FileEntry
	// unstaged says that the content must be staged.
	unstaged bool
}

// look reads the state of all three.
func (r *reconciliation) look() error {
	ctx, project, deps := r.locked.ctx, r.locked.id, r.locked.deps
	var err error
	if r.tree, err = r.locked.openTree(); err != nil {
		return err
	}
	if err := deps.Trees.Repair(ctx, project); err != nil {
		return err
	}
	if err := r.tree.Walk(ctx, func(info worktree.Info) error { r.disk = append(r.disk, info); return nil }); err != nil {
		return err
	}
	if r.rows, err = deps.Store.Tables().Files.List(ctx, project); err != nil {
		return err
	}
	r.report.Files = len(r.disk)
	r.report.Rebuilt, err = deps.Repositories.Repair(ctx, project)
	if core.IsCode(err, core.CodeNotFound) {
		if len(r.disk) == 0 && len(r.rows) > 0 {
			return r.locked.missing(ctx, project, err)
		}
		r.report.Rebuilt, err = true, deps.Repositories.Init(ctx, project)
	}
	if err != nil {
		return err
	}
	r.index, err = deps.Repositories.Staged(ctx, project)
	return err
}

// compare finds where the cache or the index is missing something or wrong.
func (r *reconciliation) compare() {
	row, staged := 0, 0
	for _, info := range r.disk {
		found := staleFile{info: info, cached: true, unstaged: info.Size <= maxStagedBytes}
		for row < len(r.rows) && r.rows[row].Path.String() < info.Path.String() {
			r.unlist(r.rows[row].Path)
			row++
		}
		if row < len(r.rows) && r.rows[row].Path == info.Path {
			found.row = &r.rows[row]
			row++
		}
		for staged < len(r.index) && r.index[staged].Path.String() < info.Path.String() {
			staged++
		}
		if staged < len(r.index) && r.index[staged].Path == info.Path && isStaged(r.index[staged], info) {
			found.unstaged = false
		}
		if found.unstaged || found.row == nil || !sameContent(*found.row, info) {
			r.reread = append(r.reread, found)
		}
	}
	for ; row < len(r.rows); row++ {
		r.unlist(r.rows[row].Path)
	}
	r.relist()
}

func isStaged(staged vcs.StagedFile, info worktree.Info) bool {
	return staged.Size == info.Size && staged.ModifiedNano == info.ModifiedNano
}

func (r *reconciliation) unlist(path core.ProjectPath) {
	r.delta.Delete = append(r.delta.Delete, path)
	r.report.Changes = append(r.report.Changes, core.FileNotice{Action: core.FileDeleted, Path: path})
}

// relist keeps rows that would be removed with a path above them: if a file has
// become a directory, the row of the file goes and those of the files below stay.
func (r *reconciliation) relist() {
	gone := setOf(r.delta.Delete)
	if len(gone) == 0 {
		return
	}
	for _, row := range r.rows {
		if !gone[row.Path] && gone.coversAbove(row.Path) {
			r.delta.Put = append(r.delta.Put, row)
		}
	}
}

// settle fixes what compare found. If anything differs, it marks the project first,
// so that another process finds out if this one dies.
func (r *reconciliation) settle() error {
	if len(r.reread) > 0 || len(r.delta.Delete) > 0 {
		if err := r.locked.markToEnd(); err != nil {
			return err
		}
	}
	if err := r.unstage(); err != nil {
		return err
	}
	for _, file := range r.reread {
		if err := r.read(file); err != nil {
			return err
		}
	}
	if err := r.stage(); err != nil {
		return err
	}
	slices.SortFunc(r.report.Changes, func(a, b core.FileNotice) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return r.locked.store(r.delta)
}

// unstage removes files from the index that are not on the disk. Files that the walk
// skips, such as build output, are in the index only if somebody wrote them through
// the service, so it looks for them by name.
func (r *reconciliation) unstage() error {
	onDisk := make(map[core.ProjectPath]bool, len(r.disk))
	for _, info := range r.disk {
		onDisk[info.Path] = true
	}
	for _, staged := range r.index {
		if onDisk[staged.Path] {
			continue
		}
		info, err := r.tree.Stat(r.locked.ctx, staged.Path)
		if err == nil && !info.Dir {
			if !isStaged(staged, info) && info.Size <= maxStagedBytes {
				r.reread = append(r.reread, staleFile{info: info, unstaged: true})
			}
			continue
		}
		if err != nil && !core.IsCode(err, core.CodeNotFound) && !core.IsCode(err, core.CodePathTraversal) {
			return err
		}
		if err := r.add(core.FileChange{Op: core.OpDelete, Path: staged.Path}); err != nil {
			return err
		}
	}
	return nil
}

// read reads one file and books it. It skips a file that has disappeared meanwhile,
// until the next time.
func (r *reconciliation) read(file staleFile) error {
	entry, content, err := r.load(file)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if file.cached && (file.row == nil || *file.row != entry) {
		r.list(file.row, entry)
	}
	if !file.unstaged {
		return nil
	}
	return r.add(core.FileChange{Op: core.OpWrite, Path: entry.Path, Content: content})
}

// load returns a file's entry and, when it is to be staged, its content.
func (r *reconciliation) load(file staleFile) (core.FileEntry, []byte, error) {
	open, err := r.tree.Open(r.locked.ctx, file.info.Path)
	if err != nil {
		return core.FileEntry{}, nil, err
	}
	defer open.Close()
	if !file.unstaged {
		entry, err := entryOf(open, nil)
		return entry, nil, err
	}
	content, err := readAtMost(open, maxStagedBytes)
	if err != nil {
		return core.FileEntry{}, nil, err
	}
	info := open.Info()
	return core.FileEntry{Path: info.Path, Size: int64(len(content)), UpdatedAt: info.Modified, ETag: ETag(content)}, content, nil
}

func (r *reconciliation) list(row *core.FileEntry, entry core.FileEntry) {
	r.delta.Put = append(r.delta.Put, entry)
	notice := core.FileNotice{Action: core.FileCreated, Path: entry.Path, Entry: &entry}
	if row != nil {
		if row.ETag == entry.ETag {
			return
		}
		notice.Action = core.FileModified
	}
	r.report.Changes = append(r.report.Changes, notice)
}

// add stages a change with others, so that the index is written once for many.
func (r *reconciliation) add(change core.FileChange) error {
	if !r.buffer.add(change) {
		return nil
	}
	return r.stage()
}

func (r *reconciliation) stage() error {
	if len(r.buffer.changes) == 0 {
		return nil
	}
	if err := r.locked.deps.Repositories.Stage(r.locked.ctx, r.locked.id, r.buffer.changes); err != nil {
		return err
	}
	r.report.Staged += len(r.buffer.changes)
	r.buffer = changeBuffer{}
	return nil
}
