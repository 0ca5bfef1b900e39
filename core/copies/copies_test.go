package copies_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

var agent = core.Author{Kind: core.AuthorAgent, Name: "Atelier"}

// pair is a project and a copy of it.
type pair struct {
	t             *testing.T
	pipeline      *files.Pipeline
	service       *copies.Service
	project, made core.ID
	base          string
}

func newPair(t *testing.T, content map[string]string) *pair {
	t.Helper()
	trees, store := memory.NewTrees(), memory.NewStore()
	p := &pair{t: t, project: core.NewID(), made: core.NewID()}
	p.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true, Trees: trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: memory.NewBus(),
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	p.service = copies.New(p.pipeline)
	first := fstest.MapFS{}
	for path, text := range content {
		first[path] = &fstest.MapFile{Data: []byte(text)}
	}
	space := core.NewID()
	p.must(store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: space, Name: "Space", Slug: "space"}))
	record := func(id core.ID, rows []core.FileEntry) {
		p.must(store.Tables().Projects.Create(t.Context(), core.Project{ID: id, WorkspaceID: space, Slug: string(id), Name: "Shop", Visibility: core.VisibilityWorkspace}))
		_, err := store.Tables().Files.Apply(t.Context(), id, storage.FileDelta{Put: rows})
		p.must(err)
	}
	rows, err := p.pipeline.Create(t.Context(), p.project, first, vcs.Commit{Message: "First", Author: agent})
	p.must(err)
	record(p.project, rows)
	p.must(p.pipeline.Duplicate(t.Context(), p.project, p.made, func(_ context.Context, rows []core.FileEntry) error {
		record(p.made, rows)
		return nil
	}))
	p.base, err = p.service.Keep(t.Context(), p.made)
	p.must(err)
	return p
}

func (p *pair) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// become changes files; "" deletes one.
func (p *pair) become(id core.ID, content map[string]string) {
	p.t.Helper()
	for _, path := range slices.Sorted(maps.Keys(content)) {
		change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content[path])}
		if content[path] == "" {
			change = core.FileChange{Op: core.OpDelete, Path: core.MustPath(path)}
		}
		results, err := p.pipeline.Apply(p.t.Context(), id, core.Author{Kind: core.AuthorUser, Name: "Ann"}, []core.FileChange{change}, nil)
		p.must(err)
		p.must(results[0].Err)
	}
}

func (p *pair) merge() (core.Version, bool, error) {
	p.t.Helper()
	work, err := p.service.Keep(p.t.Context(), p.made)
	p.must(err)
	return p.service.Merge(p.t.Context(), copies.MergeRequest{
		Copy: p.made, Base: p.base, Work: work, Project: p.project, Commit: vcs.Commit{Message: "Task", Author: agent},
		Into: p.pipeline.Committer, Check: func(context.Context) error { return nil },
	})
}

func (p *pair) files(id core.ID) map[string]string {
	p.t.Helper()
	listing, err := p.pipeline.List(p.t.Context(), id)
	p.must(err)
	found := map[string]string{}
	for _, entry := range listing.Entries {
		file, err := p.pipeline.Open(p.t.Context(), core.FileAt{Project: id, Path: entry.Path})
		p.must(err)
		content := make([]byte, entry.Size)
		_, err = file.Read(content)
		if entry.Size > 0 {
			p.must(err)
		}
		file.Close()
		found[entry.Path.String()] = string(content)
	}
	return found
}

func conflictsOf(err error) map[string]string {
	var failure *core.Error
	found := map[string]string{}
	if errors.As(err, &failure) && failure.Code == core.CodeConflict {
		for _, conflict := range failure.Conflicts {
			found[conflict.Path] = conflict.Message
		}
	}
	return found
}

const five = "a\nb\nc\nd\ne\n"

func TestMergesOfFiles(t *testing.T) {
	tests := []struct {
		name                        string
		before, project, made, want map[string]string
		conflicts                   []string
	}{
		{"one side each", map[string]string{"a": "1", "b": "1"}, map[string]string{"a": "2"}, map[string]string{"b": "2"}, map[string]string{"a": "2", "b": "2"}, nil},
		{"lines of one text", map[string]string{"a": five}, map[string]string{"a": "A\nb\nc\nd\ne\n"}, map[string]string{"a": "a\nb\nc\nd\nE\n"}, map[string]string{"a": "A\nb\nc\nd\nE\n"}, nil},
		{"added, deleted and moved", map[string]string{"a": "1", "b": "1"}, map[string]string{"mine": "x"}, map[string]string{"a": "", "d/a": "1", "new": "n"}, map[string]string{"b": "1", "mine": "x", "d/a": "1", "new": "n"}, nil},
		{"the same on both sides", map[string]string{"a": "1", "b": "1"}, map[string]string{"a": "2", "b": "", "c": "3"}, map[string]string{"a": "2", "b": "", "c": "3"}, map[string]string{"a": "2", "c": "3"}, nil},
		{"the same line", map[string]string{"a": five, "b": "1"}, map[string]string{"a": "X\nb\nc\nd\ne\n"}, map[string]string{"a": "Y\nb\nc\nd\ne\n", "b": "2"}, map[string]string{"a": "X\nb\nc\nd\ne\n", "b": "1"}, []string{"a"}},
		{"deleted and changed", map[string]string{"a": "1", "b": "1"}, map[string]string{"a": "", "b": "2"}, map[string]string{"a": "2", "b": ""}, map[string]string{"b": "2"}, []string{"a", "b"}},
		{"new on both sides", map[string]string{"z": "1"}, map[string]string{"a": "1\n"}, map[string]string{"a": "2\n"}, map[string]string{"z": "1", "a": "1\n"}, []string{"a"}},
		{"not text", map[string]string{"a": "\x00a"}, map[string]string{"a": "\x00b"}, map[string]string{"a": "\x00c"}, map[string]string{"a": "\x00b"}, []string{"a"}},
		{"a folder in the way of a file", map[string]string{"z": "1"}, map[string]string{"a/b": "1"}, map[string]string{"a": "2"}, map[string]string{"z": "1", "a/b": "1"}, []string{"a"}},
		{"a file in the way of a folder", map[string]string{"z": "1"}, map[string]string{"a": "1"}, map[string]string{"a/b": "2"}, map[string]string{"z": "1", "a": "1"}, []string{"a/b"}},
		{"types that the service writes", map[string]string{"z": "1"}, map[string]string{core.BackendTypesPath: core.BackendTypesNotice + "1"}, map[string]string{core.BackendTypesPath: core.BackendTypesNotice + "2", "z": "2"}, map[string]string{"z": "2", core.BackendTypesPath: core.BackendTypesNotice + "1"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPair(t, test.before)
			p.become(p.project, test.project)
			p.become(p.made, test.made)
			_, _, err := p.merge()
			if len(test.conflicts) == 0 {
				p.must(err)
			}
			if got := slices.Sorted(maps.Keys(conflictsOf(err))); !slices.Equal(got, test.conflicts) {
				t.Errorf("got the conflicts %v (%v), want %v", got, err, test.conflicts)
			}
			if got := p.files(p.project); !maps.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestARebaseMarksConflictsAndCanBeRepeated(t *testing.T) {
	p := newPair(t, map[string]string{"a": five, "b": "1\n", "gone": "1\n", "kept": "1\n"})
	p.become(p.project, map[string]string{"a": "X\nb\nc\nd\ne\n", "gone": "2\n", "kept": "", "new": "n\n"})
	p.become(p.made, map[string]string{"a": "Y\nb\nc\nd\nE\n", "b": "2\n", "gone": "", "kept": "2\n"})
	work, err := p.service.Keep(t.Context(), p.made)
	p.must(err)
	rebasing := copies.RebaseRequest{Copy: p.made, Base: p.base, Work: work, Project: p.project, Author: agent}
	var base string
	for range 2 {
		var conflicts []core.MergeConflict
		base, conflicts, err = p.service.Rebase(t.Context(), rebasing)
		p.must(err)
		if len(conflicts) != 3 {
			t.Errorf("got %+v, want conflicts in a, gone and kept", conflicts)
		}
		want := map[string]string{"a": "<<<<<<< this copy\nY\n=======\nX\n>>>>>>> the project\nb\nc\nd\nE\n", "b": "2\n", "gone": "2\n", "kept": "2\n", "new": "n\n"}
		if got := p.files(p.made); !maps.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	p.base = base
	_, _, err = p.merge()
	if got := conflictsOf(err); len(got) != 1 || got["a"] == "" {
		t.Errorf("got %v, want the markers refused", err)
	}
	p.become(p.made, map[string]string{"a": "XY\nb\nc\nd\nE\n", "kept": ""})
	_, changed, err := p.merge()
	p.must(err)
	want := map[string]string{"a": "XY\nb\nc\nd\nE\n", "b": "2\n", "gone": "2\n", "new": "n\n"}
	if got := p.files(p.project); !changed || !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, changed, err = p.merge(); err != nil || changed {
		t.Errorf("again: got %t, %v, want nothing left to merge", changed, err)
	}
}

func TestChangesOfACopyIncludeStagedOnes(t *testing.T) {
	p := newPair(t, map[string]string{"a": "1", "b": "1", "c": "1"})
	p.become(p.made, map[string]string{"a": "2", "b": ""})
	_, err := p.service.Keep(t.Context(), p.made)
	p.must(err)
	p.become(p.made, map[string]string{"a": "1", "c": "3", "d": "4"})
	got, err := p.service.Changes(t.Context(), p.made, p.base)
	want := []copies.FileDifference{{Path: "b", Change: "deleted"}, {Path: "c", Change: "modified"}, {Path: "d", Change: "added"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
