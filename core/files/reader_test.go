package files_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// contextCancelledByStage returns a context that ends while the repository is
// being told of a change.
func contextCancelledByStage(f *fixture) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(f.ctx)
	f.deps.Repositories = cancellingStage{f.deps.Repositories, cancel}
	f.restart()
	return ctx, cancel
}

type cancellingStage struct {
	vcs.Repositories
	cancel func()
}

func (c cancellingStage) Stage(ctx context.Context, project core.ID, changes []core.FileChange) error {
	c.cancel()
	return c.Repositories.Stage(ctx, project, changes)
}

func TestListKeepsWhatItReadUntilTheRevisionChanges(t *testing.T) {
	f := newFixture(t)
	first, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	second, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	if first != second {
		t.Error("an unchanged project was listed anew")
	}
	other := storage.FileDelta{Put: []core.FileEntry{{Path: core.MustPath("other-process"), ETag: `"x"`}}}
	_, err = f.deps.Store.Tables().Files.Apply(f.ctx, f.project, other)
	f.must(err)
	third, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	if len(third.Entries) != 3 {
		t.Errorf("got %d entries, want the other process's too", len(third.Entries))
	}
	if len(first.Entries) != 2 {
		t.Error("a listing that was handed out has changed")
	}
}

func TestListCarriesItsCopyAlongWithWrites(t *testing.T) {
	f := newFixture(t)
	counter := newCountingStore(f.deps.Store)
	f.deps.Store = counter
	f.restart()
	f.wantPaths("README.md", "src/main.js")
	before := len(counter.files.ListCalls())
	f.apply(write("a", "1"), remove("src"))
	f.wantPaths("README.md", "a")
	if reads := len(counter.files.ListCalls()) - before; reads != 0 {
		t.Errorf("the rows were read %d times for a write, want 0", reads)
	}
}

func TestListingAsJSON(t *testing.T) {
	f := newFixture(t)
	f.apply(write("src-2/x.js", "1"), write("src/été & Co.js", "22"), write("a/b/c", ""), remove("src/main.js"))
	listing, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)

	want, err := json.Marshal(listing.Entries)
	f.must(err)
	var flat, entries any
	f.must(json.Unmarshal(listing.Flat().JSON, &flat))
	f.must(json.Unmarshal(want, &entries))
	if got, want := canonical(t, flat), canonical(t, entries); got != want {
		t.Errorf("flat: got %s, want %s", got, want)
	}

	type node struct {
		Name, Path, Type string
		Children         []node
	}
	var root node
	f.must(json.Unmarshal(listing.Tree().JSON, &root))
	var got []string
	var visit func(node)
	visit = func(n node) {
		got = append(got, n.Type[:1]+" "+n.Path+" "+n.Name)
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(root)
	names := []string{"d  ", "d a a", "d a/b b", "f a/b/c c", "d src src", "f src/été & Co.js été & Co.js", "d src-2 src-2", "f src-2/x.js x.js", "f README.md README.md"}
	if canonical(t, got) != canonical(t, names) {
		t.Errorf("tree: got %q, want %q", got, names)
	}
	if listing.Flat().ETag == listing.Tree().ETag || len(listing.Flat().ETag) != 34 {
		t.Errorf("tags: got %s and %s, want two different ones", listing.Flat().ETag, listing.Tree().ETag)
	}
}

func TestAnEmptyProjectListsAsAnEmptyArray(t *testing.T) {
	f := newFixture(t)
	f.apply(remove("src"), remove("README.md"))
	listing, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	if got := string(listing.Flat().JSON); got != "[]" {
		t.Errorf("flat: got %s, want []", got)
	}
	if got := string(listing.Tree().JSON); got != `{"name":"","path":"","type":"directory","children":[]}` {
		t.Errorf("tree: got %s", got)
	}
}

func canonical(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOpenDescribesWhatItReads(t *testing.T) {
	f := newFixture(t)
	f.apply()
	for _, content := range []string{"hello", "changed outside", "changed outsidf"} {
		f.outside(write("README.md", content))
		file, err := f.pipeline.Open(f.ctx, f.at("README.md"))
		f.must(err)
		got, err := io.ReadAll(file)
		f.must(err)
		if string(got) != content || file.Entry.ETag != files.ETag(got) || file.Entry.Size != int64(len(got)) {
			t.Errorf("got %q with the entry %+v", got, file.Entry)
		}
	}
	_, err := f.pipeline.Open(f.ctx, f.at("src"))
	f.wantCode(err, core.CodeNotFound)
	_, err = f.pipeline.Stat(f.ctx, f.at("none"))
	f.wantCode(err, core.CodeNotFound)
}

func TestATreeThatIsGoneIsAFaultNotAMissingFile(t *testing.T) {
	f := newFixture(t)
	f.must(f.trees.Remove(f.ctx, f.project))
	_, err := f.pipeline.Open(f.ctx, f.at("README.md"))
	f.wantCode(err, core.CodeUnavailable)
	_, err = f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{write("a", "1")}, nil)
	f.wantCode(err, core.CodeUnavailable)
}

func TestATreeThatGoesWithItsProjectIsNotFound(t *testing.T) {
	for name, remove := range map[string]func(f *fixture) error{
		"while the project is being deleted": func(f *fixture) error {
			_, err := f.deps.Store.Tables().Projects.Update(f.ctx, f.project, func(stored *core.Project) error {
				stored.Purging = true
				return nil
			})
			return err
		},
		"once the project is deleted": func(f *fixture) error { return f.deps.Store.Tables().Projects.Delete(f.ctx, f.project) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.must(f.trees.Remove(f.ctx, f.project))
			f.must(remove(f))
			_, err := f.pipeline.Open(f.ctx, f.at("README.md"))
			f.wantCode(err, core.CodeNotFound)
			_, err = f.pipeline.Unversioned(f.ctx, f.project)
			f.wantCode(err, core.CodeNotFound)
		})
	}
}
