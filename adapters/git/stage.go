package git

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
	"github.com/atelierhq/atelier/core"
)

// stage records changes in the index. It plans each name's new content, then writes
// the new blobs and the new index.
func (r *repository) stage(ctx context.Context, changes []core.FileChange) error {
	lock, err := r.dir.LockIndex(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	before, err := lock.Index()
	if err != nil {
		return err
	}
	s := stagePlan{tree: r.tree, before: before, names: make(map[string]*entryPlan)}
	for _, change := range changes {
		if err := s.plan(change); err != nil {
			return err
		}
	}
	edits, blobs, err := s.edits()
	if err != nil || len(edits) == 0 {
		return err
	}
	batch := r.dir.NewBatch()
	if err := batch.AddObjects(blobs); err != nil {
		return err
	}
	lock.Replace(batch, before.Encode(edits))
	return batch.Write()
}

// stagePlan is what a list of changes makes of an index, by name.
type stagePlan struct {
	tree   workTree
	before *index.File
	names  map[string]*entryPlan
}

// entryPlan is what a name of the index will hold: nothing if it is removed, else the
// content, else the entry of another name that was renamed, else the file in the tree.
type entryPlan struct {
	removed bool
	content []byte
	renamed index.Entry
}

func (s *stagePlan) plan(change core.FileChange) error {
	path := change.Path.String()
	if change.Path.IsRoot() || change.Op == core.OpRename && change.To.IsRoot() {
		return core.Errorf(core.CodeInvalidPath, "the project's root cannot be staged")
	}
	switch change.Op {
	case core.OpWrite:
		s.put(path, entryPlan{content: append([]byte{}, change.Content...)})
	case core.OpDelete:
		s.drop(path)
	case core.OpRename:
		s.rename(path, change.To.String())
	default:
		return core.Errorf(core.CodeInvalidRequest, "no such operation on a file")
	}
	return nil
}

// put plans what name will hold. A file and a directory cannot share a name, so entries
// that conflict with it leave the index.
func (s *stagePlan) put(name string, what entryPlan) {
	s.drop(name)
	for i, c := range name {
		if c == '/' && s.holds(name[:i]) {
			s.names[name[:i]] = &entryPlan{removed: true}
		}
	}
	s.names[name] = &what
}

// rename plans that everything below from moves below to. If the index has nothing below
// from, to holds what the tree holds.
func (s *stagePlan) rename(from, to string) {
	names := s.below(from)
	if len(names) == 0 {
		s.put(to, entryPlan{})
		return
	}
	moved := make([]entryPlan, len(names))
	for i, name := range names {
		if what, known := s.names[name]; known {
			moved[i] = *what
		} else {
			moved[i].renamed = s.before.Entry(s.before.Find(name))
		}
	}
	s.drop(from)
	for i, name := range names {
		s.put(to+name[len(from):], moved[i])
	}
}

func (s *stagePlan) drop(name string) {
	for _, dropped := range s.below(name) {
		s.names[dropped] = &entryPlan{removed: true}
	}
}

// holds reports whether the index will hold name.
func (s *stagePlan) holds(name string) bool {
	if what, known := s.names[name]; known {
		return !what.removed
	}
	at := s.before.Find(name)
	return at < s.before.Len() && string(s.before.Entry(at).Name()) == name
}

// below returns the names that the index will hold at and below name.
func (s *stagePlan) below(name string) []string {
	var names []string
	if s.holds(name) {
		names = append(names, name)
	}
	prefix := name + "/"
	for i := s.before.Find(prefix); i < s.before.Len(); i++ {
		found := string(s.before.Entry(i).Name())
		if !strings.HasPrefix(found, prefix) {
			break
		}
		if _, known := s.names[found]; !known {
			names = append(names, found)
		}
	}
	for known, what := range s.names {
		if !what.removed && strings.HasPrefix(known, prefix) {
			names = append(names, known)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// edits turns the plan into edits of the index, sorted by name, and new blobs.
func (s *stagePlan) edits() (edits []index.Edit, blobs []objects.Object, err error) {
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		made, blob, err := s.edit(name, s.names[name])
		if err != nil {
			return nil, nil, err
		}
		edits = append(edits, made)
		if blob != nil {
			blobs = append(blobs, *blob)
		}
	}
	edits = append(edits, s.racyEdits()...)
	slices.SortFunc(edits, func(a, b index.Edit) int { return cmp.Compare(a.Name, b.Name) })
	return edits, blobs, nil
}

func (s *stagePlan) edit(name string, what *entryPlan) (index.Edit, *objects.Object, error) {
	if what.removed {
		return index.Edit{Name: name}, nil, nil
	}
	content, mode := what.content, uint32(objects.ModeFile)
	var stat unix.Stat_t
	var err error
	if content != nil {
		stat, err = s.tree.statIfSame(name, content)
	} else {
		content, stat, err = s.tree.read(name)
	}
	if err != nil && !nofollow.IsAbsence(err) && !core.IsCode(err, core.CodePathTraversal) {
		return index.Edit{}, nil, err
	}
	if stat.Mode&0o100 != 0 {
		mode = objects.ModeExecutable
	}
	if content == nil {
		return s.editAbsent(name, what), nil, nil
	}
	blob := objects.New(plumbing.BlobObject, content)
	made := index.Edit{Name: name, Entry: index.NewEntry(name, blob.Hash, mode, stat)}
	if what.renamed != nil && what.renamed.Hash() == blob.Hash {
		return made, nil, nil
	}
	return made, &blob, nil
}

// editAbsent returns the edit for a renamed file that the tree does not hold.
func (s *stagePlan) editAbsent(name string, what *entryPlan) index.Edit {
	if what.renamed == nil {
		return index.Edit{Name: name}
	}
	return index.Edit{Name: name, Entry: index.NewEntry(name, what.renamed.Hash(), what.renamed.Mode(), unix.Stat_t{})}
}

// racyEdits returns edits for the entries that git calls racily clean: their files are not
// older than the index, so a change may have left the time the same. git compares the
// contents of such files with this index, but not with the next one, which is newer and
// would hide a change. So an entry whose file did change loses its size. Times in the
// future hide nothing: the next change leaves an earlier time.
func (s *stagePlan) racyEdits() []index.Edit {
	var edits []index.Edit
	now := time.Now().UnixNano()
	for i := range s.before.Len() {
		e := s.before.Entry(i)
		modified := e.Modified()
		if modified < s.before.Modified || modified > now || e.Size() == 0 || e.Stage() != 0 || !e.IsFile() {
			continue
		}
		name := string(e.Name())
		if s.names[name] != nil {
			continue
		}
		content, _, err := s.tree.read(name)
		if err == nil && plumbing.ComputeHash(plumbing.BlobObject, content) == e.Hash() {
			continue
		}
		edits = append(edits, index.Edit{Name: name, Entry: e.WithoutSize()})
	}
	return edits
}
