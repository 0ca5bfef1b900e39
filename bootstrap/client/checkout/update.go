package checkout

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/atelierhq/atelier/core/merge"
)

// Update is what Update did.
type Update struct {
	// Version is the project's newest version, which the folder has now.
	Version string   `json:"version"`
	Changes []Change `json:"changes"`
	// Conflicts are the files that hold both texts with markers, or one of two versions.
	Conflicts []string `json:"conflicts"`
	// Merging says that the folder's own commits and the project's become one version with the
	// next push.
	Merging bool `json:"merging"`
}

// Update brings the project's newest version into the folder. With conflicts it returns a
// *Conflict and changes nothing, unless mark is true: then both texts are in the file with
// markers. Of a file that one side removed, the other's version stays; of other files, the
// project's version is beside the folder's, with ".theirs" in its name.
func (f *Folder) Update(ctx context.Context, from Service, mark bool) (Update, error) {
	release, err := f.lock()
	if err != nil {
		return Update{}, err
	}
	defer release()
	head, err := f.head()
	if err != nil {
		return Update{}, err
	}
	tip, err := f.fetch(ctx, from)
	if err != nil {
		return Update{}, err
	}
	base, merging, err := f.base(head, tip)
	if err != nil {
		return Update{}, err
	}
	done := Update{Version: tip.String(), Changes: []Change{}, Conflicts: []string{}, Merging: merging}
	if base == tip {
		return done, nil
	}
	plan, err := f.plan(base, tip)
	if err != nil {
		return Update{}, err
	}
	if len(plan.blocked) > 0 {
		return Update{}, &Conflict{Message: "something is in the way of files that the project has", Next: "move it away, then pull again", Files: plan.blocked}
	}
	if len(plan.conflicts) > 0 && !mark {
		return Update{}, &Conflict{
			Message: "these files were changed both here and in the project, so nothing was pulled", Files: plan.conflicts,
			Next: "atelier pull --merge writes both versions into them, for you to choose",
		}
	}
	if err := plan.carryOut(); err != nil {
		return Update{}, err
	}
	done.Changes, done.Conflicts = plan.changes, append(done.Conflicts, plan.conflicts...)
	if merging {
		return done, f.setMergeHead(tip)
	}
	return done, f.move(tip)
}

// base is the version that both sides began with, and whether the folder has commits of its
// own. It is tip if the folder has all that the project has.
func (f *Folder) base(head, tip plumbing.Hash) (plumbing.Hash, bool, error) {
	merged, err := f.mergeHead()
	if err != nil || !merged.IsZero() {
		return merged, true, err
	}
	if head.IsZero() || head == tip {
		return head, false, nil
	}
	ours, err := object.GetCommit(f.store, head)
	if err != nil {
		return plumbing.ZeroHash, false, err
	}
	theirs, err := object.GetCommit(f.store, tip)
	if err != nil {
		return plumbing.ZeroHash, false, err
	}
	common, err := ours.MergeBase(theirs)
	if err != nil {
		return plumbing.ZeroHash, false, err
	}
	if len(common) == 0 {
		return plumbing.ZeroHash, false, &Conflict{Message: "the folder and the project have no version in common", Next: "pull the project into another folder"}
	}
	return common[0].Hash, common[0].Hash != head && common[0].Hash != tip, nil
}

// updatePlan is what an update changes.
type updatePlan struct {
	folder    *Folder
	steps     []step
	changes   []Change
	conflicts []string
	blocked   []string
}

// step replaces a file, or removes it if it has no mode.
type step struct {
	path    string
	content []byte
	mode    filemode.FileMode
	// expected is the file that it replaces.
	expected file
}

// plan compares three states of every file that the project has changed.
func (f *Folder) plan(base, tip plumbing.Hash) (*updatePlan, error) {
	before, err := f.filesOf(base)
	if err != nil {
		return nil, err
	}
	after, err := f.filesOf(tip)
	if err != nil {
		return nil, err
	}
	plan := &updatePlan{folder: f, changes: []Change{}}
	for _, change := range differences(before, after) {
		if err := plan.add(change.Path, before[change.Path], after[change.Path]); err != nil {
			return nil, err
		}
	}
	plan.findBlocked(after)
	return plan, nil
}

// add decides what becomes of one file that the project has changed.
func (p *updatePlan) add(name string, base, theirs file) error {
	mine, text, _, err := p.folder.present(name)
	if err != nil || mine == theirs {
		return err
	}
	content, err := p.folder.content(theirs)
	if err != nil {
		return err
	}
	switch {
	case mine == base:
		p.steps = append(p.steps, step{name, content, theirs.mode, mine})
		p.changes = append(p.changes, changeOf(name, base, theirs))
	case !mine.exists():
		p.steps = append(p.steps, step{name, content, theirs.mode, mine})
		p.conflicts = append(p.conflicts, name)
	case !theirs.exists():
		p.conflicts = append(p.conflicts, name)
	default:
		return p.merge(name, [3]file{base, mine, theirs}, text, content)
	}
	return nil
}

// merge merges a file that both sides have changed.
func (p *updatePlan) merge(name string, sides [3]file, mine, theirs []byte) error {
	base, err := p.folder.content(sides[0])
	if err != nil {
		return err
	}
	mode := sides[1].mode
	if mode == sides[0].mode {
		mode = sides[2].mode
	}
	if isBinary(base) || isBinary(mine) || isBinary(theirs) {
		beside := p.folder.freeName(name)
		p.conflicts = append(p.conflicts, name)
		p.changes = append(p.changes, Change{beside, "added"})
		p.steps = append(p.steps, step{beside, theirs, sides[2].mode, file{}})
		return nil
	}
	merged, conflicts := merge.Marked(base, mine, theirs, merge.Labels{Ours: "this folder", Theirs: "the project"})
	if conflicts > 0 {
		p.conflicts = append(p.conflicts, name)
	} else {
		p.changes = append(p.changes, Change{name, "merged"})
	}
	p.steps = append(p.steps, step{name, merged, mode, sides[1]})
	return nil
}

func isBinary(content []byte) bool { return bytes.IndexByte(content, 0) >= 0 }

// freeName is where the project's version of a file goes beside the folder's.
func (f disk) freeName(name string) string {
	ending := path.Ext(name)
	for i := 1; ; i++ {
		made := strings.TrimSuffix(name, ending) + ".theirs" + ending
		if i > 1 {
			made = fmt.Sprintf("%s.theirs%d%s", strings.TrimSuffix(name, ending), i, ending)
		}
		if _, err := f.root.Lstat(made); errors.Is(err, fs.ErrNotExist) {
			return made
		}
	}
}

// findBlocked looks for files and folders of the person in the place of the project's.
func (p *updatePlan) findBlocked(after map[string]file) {
	removed := map[string]bool{}
	for _, one := range p.steps {
		removed[one.path] = one.mode == 0
	}
	for _, one := range p.steps {
		if one.mode != 0 && p.isInTheWay(one.path, removed) {
			p.blocked = append(p.blocked, one.path)
		}
	}
}

// isInTheWay reports whether something that the update does not remove is in the place of a file
// or above it.
func (p *updatePlan) isInTheWay(name string, removed map[string]bool) bool {
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		if info, err := p.folder.root.Lstat(above); err == nil && !info.IsDir() && !removed[above] {
			return true
		}
	}
	info, err := p.folder.root.Lstat(name)
	if err != nil || info.Mode().IsRegular() {
		return false
	}
	if !info.IsDir() {
		return true
	}
	blocked := false
	_ = fs.WalkDir(p.folder.root.FS(), name, func(at string, entry fs.DirEntry, err error) error {
		blocked = blocked || err != nil || !entry.IsDir() && !removed[at]
		return err
	})
	return blocked
}

// carryOut removes what is to be removed, then writes.
func (p *updatePlan) carryOut() error {
	slices.SortStableFunc(p.steps, func(a, b step) int { return boolToInt(a.mode != 0) - boolToInt(b.mode != 0) })
	for _, one := range p.steps {
		now, _, _, err := p.folder.present(one.path)
		if err != nil {
			return err
		}
		if now != one.expected {
			return &Conflict{Message: one.path + " was changed while the project's version was brought here", Next: "pull again: what is here already stays", Files: []string{one.path}}
		}
		if one.mode == 0 {
			err = p.folder.remove(one.path)
		} else {
			err = p.folder.replace(one.path, one.content, one.mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// remove removes a file, and the folders that are then empty.
func (f disk) remove(name string) error {
	if err := f.root.Remove(name); err != nil {
		return err
	}
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		if f.root.Remove(above) != nil {
			break // it is not empty
		}
	}
	return nil
}

// replace writes a file beside and moves it into its place.
func (f disk) replace(name string, content []byte, mode filemode.FileMode) error {
	if above := path.Dir(name); above != "." {
		if err := f.root.MkdirAll(above, 0o755); err != nil {
			return err
		}
	}
	if err := f.removeEmpty(name); err != nil {
		return err
	}
	permissions := fs.FileMode(0o644)
	if mode == filemode.Executable {
		permissions = 0o755
	}
	beside := ".git/atelier-" + rand.Text()
	made, err := f.root.OpenFile(beside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, permissions)
	if err != nil {
		return err
	}
	_, err = made.Write(content)
	if err == nil {
		err = made.Sync()
	}
	err = errors.Join(err, made.Close())
	if err == nil {
		err = f.root.Rename(beside, name)
	}
	if err != nil {
		_ = f.root.Remove(beside)
	}
	return err
}

// removeEmpty removes a folder in the place of a file. It fails and removes nothing if there is
// anything but folders in it.
func (f disk) removeEmpty(name string) error {
	info, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil
	}
	if err != nil {
		return err
	}
	var folders []string
	err = fs.WalkDir(f.root.FS(), name, func(at string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			err = fmt.Errorf("%s is in the way", at)
		}
		folders = append(folders, at)
		return err
	})
	if err != nil {
		return err
	}
	for _, at := range slices.Backward(folders) {
		if err := f.root.Remove(at); err != nil {
			return err
		}
	}
	return nil
}
