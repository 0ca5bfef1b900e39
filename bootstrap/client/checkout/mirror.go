package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/atelierhq/atelier/core/merge"
)

// What a Project says of a file.
var (
	// ErrMissing says that the project does not have it.
	ErrMissing = errors.New("the project has no such file")
	// ErrMoved says that it no longer has the tag that the caller knows.
	ErrMoved = errors.New("the file has changed in the project")
)

// RefusedError says that the project does not take a file, and why.
type RefusedError struct{ Message string }

// Error implements error.
func (e *RefusedError) Error() string { return e.Message }

// Project is the project's side of a Mirror. Other errors than those of this package mean that
// it cannot be reached, or not by this caller.
type Project interface {
	// List returns the tags of the project's files by their paths. It may leave out folders that
	// tools write.
	List(ctx context.Context) (map[string]string, error)
	// Read returns a file and its tag, or ErrMissing.
	Read(ctx context.Context, path string) ([]byte, string, error)
	// Write replaces the file that has the tag, or creates one for "", and returns the new tag.
	// It returns ErrMoved if another is there, and *RefusedError for a file that the project
	// cannot have.
	Write(ctx context.Context, path string, content []byte, tag string) (string, error)
	// Remove removes the file that has the tag, or returns ErrMoved or ErrMissing.
	Remove(ctx context.Context, path, tag string) error
}

// unknownTag is of a file that the folder has from git: whether the project still has it is to
// be found out.
const unknownTag = "?"

// twin is a file as both sides had it last.
type twin struct {
	content plumbing.Hash
	tag     string
	// isHidden says that the project has it, but does not list it.
	isHidden bool
}

// Mirror keeps a folder and the present files of a project alike. It is not safe for concurrent
// use.
//
// What one side changed is carried to the other, texts that both changed are merged line by
// line. Where they conflict, both sides stay as they are, and the project's version is written
// beside the folder's, with ".theirs" in its name: removing that file chooses what the
// folder's then says. A change wins over a removal. A file is replaced only if it still is what was
// compared, on both sides, and every state that was once alike stays in the folder's repository.
type Mirror struct {
	folder  *Folder
	project Project
	// report is called for everything that Sync did.
	report func(Change)

	known map[string]twin
	// beside has where the project's version of each file that conflicts is, by that file's path.
	beside  map[string]string
	refused map[string]plumbing.Hash
	cache   map[string]stamp
}

// NewMirror returns a mirror of a folder, which Update has filled. report is told of changes of
// the kinds "sent", "received", "merged", "conflict" and "refused", with "removed" for both sides.
func (f *Folder) NewMirror(project Project, report func(Change)) (*Mirror, error) {
	head, err := f.head()
	if err != nil {
		return nil, err
	}
	files, err := f.filesOf(head)
	if err != nil {
		return nil, err
	}
	m := &Mirror{
		folder: f, project: project, report: report,
		known: map[string]twin{}, beside: map[string]string{}, refused: map[string]plumbing.Hash{}, cache: map[string]stamp{},
	}
	for path, one := range files {
		m.known[path] = twin{content: one.hash, tag: unknownTag}
	}
	return m, m.restoreConflicts()
}

// conflictsFile keeps conflicts from one Mirror to the next.
const conflictsFile = ".git/atelier-conflicts"

// openConflict is a conflict that nobody has settled.
type openConflict struct{ Path, Beside, Content, Tag string }

func (m *Mirror) restoreConflicts() error {
	text, err := m.folder.root.ReadFile(conflictsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var all []openConflict
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	for _, one := range all {
		m.beside[one.Path] = one.Beside
		m.known[one.Path] = twin{content: plumbing.NewHash(one.Content), tag: one.Tag}
	}
	return err
}

func (m *Mirror) keepConflicts() error {
	all := []openConflict{}
	for _, path := range slices.Sorted(maps.Keys(m.beside)) {
		all = append(all, openConflict{path, m.beside[path], m.known[path].content.String(), m.known[path].tag})
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return m.folder.root.WriteFile(conflictsFile, text, 0o644)
}

// Sync carries changes over once.
func (m *Mirror) Sync(ctx context.Context) error {
	release, err := m.folder.lock()
	if err != nil {
		return err
	}
	defer release()
	tags, err := m.project.List(ctx)
	if err != nil {
		return err
	}
	tracked := map[string]file{}
	for path, known := range m.known {
		tracked[path] = file{hash: known.content}
	}
	files, _, err := m.folder.scanCached(tracked, m.cache)
	if err != nil {
		return err
	}
	if err := m.settle(files); err != nil {
		return err
	}
	all := map[string]bool{}
	for _, paths := range []func(func(string) bool){maps.Keys(m.known), maps.Keys(files), maps.Keys(tags)} {
		for path := range paths {
			all[path] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if err := m.file(ctx, path, files[path], tags[path]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// settle forgets conflicts whose second file somebody removed, and leaves the others out.
func (m *Mirror) settle(files map[string]file) error {
	before := len(m.beside)
	for path, beside := range m.beside {
		if !files[beside].exists() {
			delete(m.beside, path)
		}
		delete(files, beside)
	}
	if before == len(m.beside) {
		return nil
	}
	return m.keepConflicts()
}

// file carries one file over. It hides errors that the next Sync resolves.
func (m *Mirror) file(ctx context.Context, path string, mine file, tag string) error {
	known := m.known[path]
	if known.isHidden && tag == "" {
		tag = known.tag
	}
	changedHere, changedThere := mine.hash != known.content, tag != known.tag
	if !changedHere && !changedThere || m.beside[path] != "" || m.refused[path] == mine.hash && mine.exists() {
		return nil
	}
	err := m.carry(ctx, path, mine, tag, changedHere, changedThere)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		m.refused[path] = mine.hash
		m.report(Change{path + ": " + refused.Message, "refused"})
		return nil
	case errors.Is(err, ErrMoved) || errors.Is(err, ErrMissing):
		return nil
	}
	return err
}

func (m *Mirror) carry(ctx context.Context, path string, mine file, tag string, changedHere, changedThere bool) error {
	if !changedThere {
		err := m.sendOrRemove(ctx, path, mine, tag)
		if !errors.Is(err, ErrMoved) {
			return err
		}
	}
	theirs, newTag, err := m.project.Read(ctx, path)
	switch {
	case errors.Is(err, ErrMissing) && (!mine.exists() || !changedHere):
		return m.removeHere(path, mine)
	case errors.Is(err, ErrMissing):
		return m.send(ctx, path, mine, "", "sent")
	case err != nil:
		return err
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, theirs)
	if mine.exists() && mine.hash == hash {
		return m.learn(path, theirs, newTag, tag == "")
	}
	if known := m.known[path]; changedHere && hash == known.content {
		// The project has what both had: only the folder has changed.
		m.known[path] = twin{known.content, newTag, tag == ""}
		return m.sendOrRemove(ctx, path, mine, newTag)
	}
	if !changedHere || !mine.exists() {
		return m.receive(path, mine, theirs, newTag, tag == "")
	}
	return m.merge(ctx, path, mine, theirs, newTag)
}

// sendOrRemove carries to the project what changed here alone.
func (m *Mirror) sendOrRemove(ctx context.Context, path string, mine file, tag string) error {
	if !mine.exists() {
		return m.removeThere(ctx, path, tag)
	}
	return m.send(ctx, path, mine, tag, "sent")
}

// learn notes what both sides have.
func (m *Mirror) learn(path string, content []byte, tag string, isHidden bool) error {
	hash, err := m.folder.writeBlob(content)
	m.known[path] = twin{hash, tag, isHidden}
	return err
}

// send replaces the project's file by the folder's.
func (m *Mirror) send(ctx context.Context, path string, mine file, tag, kind string) error {
	now, content, _, err := m.folder.present(path)
	if err != nil || now.hash != mine.hash {
		return err // it is being written: the next Sync takes it
	}
	newTag, err := m.project.Write(ctx, path, content, tag)
	if err != nil {
		return err
	}
	delete(m.refused, path)
	m.report(Change{path, kind})
	return m.learn(path, content, newTag, m.known[path].isHidden)
}

// receive replaces the folder's file by the project's.
func (m *Mirror) receive(path string, mine file, theirs []byte, tag string, isHidden bool) error {
	now, _, blocked, err := m.folder.present(path)
	if err != nil || now.hash != mine.hash {
		return err
	}
	if blocked {
		m.refused[path] = mine.hash
		m.report(Change{path + ": something is in its place here", "refused"})
		return nil
	}
	mode := mine.mode
	if !mine.exists() {
		mode = filemode.Regular
	}
	if err := m.folder.replace(path, theirs, mode); err != nil {
		return err
	}
	m.report(Change{path, "received"})
	return m.learn(path, theirs, tag, isHidden)
}

// removeThere removes a file of the project that was removed here.
func (m *Mirror) removeThere(ctx context.Context, path, tag string) error {
	if err := m.project.Remove(ctx, path, tag); err != nil && !errors.Is(err, ErrMissing) {
		return err
	}
	delete(m.known, path)
	m.report(Change{path, "removed"})
	return nil
}

// removeHere removes a file that the project no longer has and that was not changed here.
func (m *Mirror) removeHere(path string, mine file) error {
	now, _, _, err := m.folder.present(path)
	if err != nil || now.hash != mine.hash {
		return err
	}
	delete(m.known, path)
	if !now.exists() {
		return nil
	}
	m.report(Change{path, "removed"})
	return m.folder.remove(path)
}

// merge brings the two versions of a file together, or puts them beside each other.
func (m *Mirror) merge(ctx context.Context, path string, mine file, theirs []byte, tag string) error {
	now, content, _, err := m.folder.present(path)
	if err != nil || now.hash != mine.hash {
		return err
	}
	base, err := m.folder.content(file{hash: m.known[path].content})
	if err != nil {
		return err
	}
	merged, conflicts := merge.Merge(base, content, theirs)
	if len(conflicts) > 0 || isBinary(base) || isBinary(content) || isBinary(theirs) {
		beside := m.folder.freeName(path)
		if err := m.folder.replace(beside, theirs, filemode.Regular); err != nil {
			return err
		}
		m.beside[path] = beside
		m.report(Change{path + ", the project's version is in " + beside, "conflict"})
		return errors.Join(m.learn(path, theirs, tag, false), m.keepConflicts())
	}
	// The folder first: if the project does not take it, the next Sync compares again.
	if err := m.folder.replace(path, merged, mine.mode); err != nil {
		return err
	}
	if err := m.learn(path, theirs, tag, false); err != nil {
		return err
	}
	now, _, _, err = m.folder.present(path)
	if err != nil {
		return err
	}
	return m.send(ctx, path, now, tag, "merged")
}
