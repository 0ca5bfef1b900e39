package vcstest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func historyClauses() []clause {
	return []clause{
		{"a version is found by its id alone", findsVersion},
		{"two versions are compared file by file", compares},
		{"staged changes are compared with the newest version", unversioned},
		{"what may be executed is known of every version", comparesModes},
		{"a content is read up to a limit", readsContent},
		{"a content is compared with a blob", comparesContent},
		{"an earlier version's files are committed again", recommits},
		{"a duplicate has all versions and what is staged", duplicates},
		{"a duplicate leaves what no version names behind", duplicatesOnlyWhatIsNamed},
		{"a duplicate of nothing is empty", duplicatesNothing},
		{"only a repository without versions becomes a duplicate", duplicatesOnce},
		{"a duplicate and its source go ways of their own", duplicatesPart},
		{"an ended context ends every look at the history", historyEndedContext},
	}
}

func findsVersion(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("b", "1"))
	first := p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"))
	second := p.commit(t, "two")
	for _, want := range []core.Version{first, second} {
		if got, err := p.repo.Version(t.Context(), p.id, want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	differences, err := p.repo.Compare(t.Context(), p.id, "", first.ID)
	conformance.Must(t, err)
	for _, id := range []string{
		"", "HEAD", "main", "refs/heads/main", "..", "../../HEAD", first.ID[:3], first.ID[:39], first.ID + "0", first.ID + "^",
		strings.Repeat("0", 40), strings.Repeat("g", 40), strings.Repeat("é", 20), differences[0].After.ID, "-" + first.ID[:39],
	} {
		if _, err := p.repo.Version(t.Context(), p.id, id); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%q: got %v, want not_found", id, err)
		}
		if _, err := p.repo.Compare(t.Context(), p.id, first.ID, id); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("comparison with %q: got %v, want not_found", id, err)
		}
	}
}

// different names differences: + for what came, - for what went, * for the rest.
func different(differences []vcs.Difference) string {
	var names []string
	for _, d := range differences {
		sign := "*"
		if d.Before == nil {
			sign = "+"
		} else if d.After == nil {
			sign = "-"
		}
		names = append(names, sign+d.Path.String())
	}
	return strings.Join(names, " ")
}

func (p *project) wantDifferent(t *testing.T, from, to, want string) []vcs.Difference {
	t.Helper()
	differences, err := p.repo.Compare(t.Context(), p.id, from, to)
	if got := different(differences); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	return differences
}

func compares(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/c", "1"), worktreetest.Writing("d-e", "1"))
	first := p.commit(t, "one").ID
	p.save(t, worktreetest.Deleting("a"), worktreetest.Writing("a/x", "1"), worktreetest.Renaming("d/c", "c"), worktreetest.Writing("d/b", "2"), worktreetest.Writing("é/empty", ""))
	second := p.commit(t, "two").ID
	p.wantDifferent(t, "", first, "+a +d-e +d/b +d/c")
	p.wantDifferent(t, first, second, "-a +a/x +c *d/b -d/c +é/empty")
	p.wantDifferent(t, second, first, "+a -a/x -c *d/b +d/c -é/empty")
	p.wantDifferent(t, first, first, "")
	changed := p.wantDifferent(t, "", second, "+a/x +c +d-e +d/b +é/empty")
	if got := changed[4].After.ID; got != "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" {
		t.Errorf("got the id %s of an empty file, want git's", got)
	}
}

func unversioned(t *testing.T, p *project) {
	want := func(names string) {
		t.Helper()
		differences, err := p.repo.Unversioned(t.Context(), p.id)
		if got := different(differences); err != nil || got != names {
			t.Errorf("got %q, %v, want %q", got, err, names)
		}
	}
	want("")
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/c", "1"))
	want("+a +d/b +d/c")
	p.commit(t, "one")
	want("")
	p.save(t, worktreetest.Deleting("a"), worktreetest.Renaming("d/c", "c"), worktreetest.Writing("d/b", "2"))
	want("-a +c *d/b -d/c")
	p.save(t, worktreetest.Writing("d/b", "1"))
	want("-a +c -d/c")
	p.commit(t, "two")
	want("")
}

func comparesModes(t *testing.T, p *project) {
	yes, no := true, false
	with := func(change core.FileChange, executable *bool) core.FileChange {
		change.Executable = executable
		return change
	}
	steps := []struct {
		change core.FileChange
		want   bool
	}{
		{worktreetest.Writing("run", "1"), false},
		{with(worktreetest.Writing("run", "1"), &yes), true},
		{worktreetest.Writing("run", "2"), true},
		{with(worktreetest.Writing("run", "3"), &no), false},
		{with(worktreetest.Writing("new", "3"), &yes), true},
	}
	last := ""
	for i, step := range steps {
		p.save(t, step.change)
		made := p.commit(t, "step").ID
		differences, err := p.repo.Compare(t.Context(), p.id, last, made)
		if err != nil || len(differences) != 1 || differences[0].After.Executable != step.want {
			t.Errorf("step %d: got %+v, %v, want one file, executable %t", i, differences, err, step.want)
		}
		last = made
	}
}

func readsContent(t *testing.T, p *project) {
	var changes []core.FileChange
	contents := map[string]string{"empty": "", "short": "short", "long": strings.Repeat("x", 100_000), "binary": "\x00\xff\r\n"}
	for name, content := range contents {
		changes = append(changes, worktreetest.Writing(name, content))
	}
	p.save(t, changes...)
	differences, err := p.repo.Compare(t.Context(), p.id, "", p.commit(t, "all").ID)
	conformance.Must(t, err)
	for _, d := range differences {
		want := contents[d.Path.String()]
		got, err := p.repo.Content(t.Context(), p.id, *d.After, int64(len(want)))
		if err != nil || string(got) != want || got == nil {
			t.Errorf("%s: got %.20q, %v, want %.20q", d.Path, got, err, want)
		}
		if _, err := p.repo.Content(t.Context(), p.id, *d.After, int64(len(want))-1); !core.IsCode(err, core.CodePayloadTooLarge) {
			t.Errorf("%s, with a limit: got %v, want payload_too_large", d.Path, err)
		}
	}
	for _, id := range []string{"", "x", strings.Repeat("1", 40), strings.Repeat("1", 39), strings.Repeat("1", 42)} {
		if _, err := p.repo.Content(t.Context(), p.id, vcs.Blob{ID: id}, 100); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("content %q: got %v, want not_found", id, err)
		}
	}
}

func comparesContent(t *testing.T, p *project) {
	contents := map[string]string{"empty": "", "short": "short", "long": strings.Repeat("x", 100_000), "binary": "\x00\xff\r\n", "header": "blob 5\x00short"}
	var changes []core.FileChange
	for name, content := range contents {
		changes = append(changes, worktreetest.Writing(name, content))
	}
	p.save(t, changes...)
	differences, err := p.repo.Compare(t.Context(), p.id, "", p.commit(t, "all").ID)
	conformance.Must(t, err)
	for _, d := range differences {
		executable := vcs.Blob{ID: d.After.ID, Executable: true}
		for name, content := range contents {
			want := name == d.Path.String()
			if got := p.repo.Holds(*d.After, []byte(content)); got != want {
				t.Errorf("%s with the content of %s: got %t, want %t", d.Path, name, got, want)
			}
			if got := p.repo.Holds(executable, []byte(content)); got != want {
				t.Errorf("%s, executable, with the content of %s: got %t, want %t", d.Path, name, got, want)
			}
		}
	}
	for _, id := range []string{"", "x", strings.Repeat("0", 40), strings.ToUpper(differences[0].After.ID)[:39]} {
		if p.repo.Holds(vcs.Blob{ID: id}, nil) {
			t.Errorf("the blob %q: got true for an empty content, want false", id)
		}
	}
}

func recommits(t *testing.T, p *project) {
	yes := true
	executable := worktreetest.Writing("run", "1")
	executable.Executable = &yes
	p.save(t, worktreetest.Writing("a", "1"), executable, worktreetest.Writing("d/b", "1"))
	first := p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Deleting("d"), worktreetest.Writing("c", "2"))
	second := p.commit(t, "two")
	p.save(t, worktreetest.Writing("staged", "3"))
	asked := vcs.Commit{Message: " again ", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: 1_700_000_000_999}
	made, changed, err := p.repo.Recommit(t.Context(), p.id, first.ID, asked)
	want := core.Version{ID: made.ID, Message: "again", Author: asked.Author, CreatedAt: 1_700_000_000_000, FilesChanged: 3}
	if err != nil || !changed || !reflect.DeepEqual(made, want) {
		t.Errorf("got %+v, %t, %v, want %+v", made, changed, err, want)
	}
	p.wantDifferent(t, first.ID, made.ID, "")
	p.wantDifferent(t, second.ID, made.ID, "*a -c +d/b")
	if log, err := p.repo.Log(t.Context(), p.id, "", 10); err != nil || len(log) != 2 {
		t.Errorf("got %+v, %v, want the two versions from before", log, err)
	}
	way := vcs.Arrival{From: second.ID, To: made.ID}
	conformance.Must(t, p.repo.Arrive(t.Context(), p.id, way))
	conformance.Must(t, p.repo.Settle(t.Context(), p.id, way))
	if log, err := p.repo.Log(t.Context(), p.id, "", 10); err != nil || len(log) != 3 || !reflect.DeepEqual(log[0], made) {
		t.Errorf("got %+v, %v, want the version in the log", log, err)
	}
	if got, changed, err := p.repo.Recommit(t.Context(), p.id, first.ID, asked); err != nil || changed || got != (core.Version{}) {
		t.Errorf("once more: got %+v, %t, %v, want none", got, changed, err)
	}
	if !slices.Contains(p.stagedPaths(t), "staged") {
		t.Error("got what was staged lost, want it staged")
	}
	for _, id := range []string{"", "HEAD", strings.Repeat("0", 40)} {
		if _, _, err := p.repo.Recommit(t.Context(), p.id, id, asked); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%q: got %v, want not_found", id, err)
		}
	}
}

// duplicate makes a project with the files and the repository of this one.
func (p *project) duplicate(t *testing.T) *project {
	t.Helper()
	copied := &project{h: p.h, id: core.NewID(), repo: p.repo}
	copied.tree = worktreetest.Create(t, worktreetest.Harness{Trees: p.h.Trees}, copied.id)
	conformance.Must(t, p.repo.Init(t.Context(), copied.id))
	var paths []core.ProjectPath
	for _, path := range p.stagedPaths(t) {
		paths = append(paths, core.MustPath(path))
	}
	conformance.Must(t, p.h.Trees.Copy(t.Context(), p.id, copied.id, paths))
	conformance.Must(t, p.repo.Duplicate(t.Context(), p.id, copied.id))
	if p.h.Verify != nil {
		p.h.Verify(t, copied.id)
	}
	return copied
}

func duplicates(t *testing.T, p *project) {
	yes := true
	for i := range 30 {
		change := worktreetest.Writing("d/"+strings.Repeat("x", i%7)+"a", strings.Repeat("line\n", i))
		change.Executable = &yes
		p.save(t, change, worktreetest.Writing("b", strings.Repeat("b", i)))
		p.commit(t, "step")
	}
	p.save(t, worktreetest.Writing("staged", "only"), worktreetest.Deleting("b"))
	copied := p.duplicate(t)
	want, err := p.repo.Log(t.Context(), p.id, "", 100)
	conformance.Must(t, err)
	got, err := p.repo.Log(t.Context(), copied.id, "", 100)
	if err != nil || len(got) != 30 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %d versions, %v, want the 30 of the source", len(got), err)
	}
	copied.wantStaged(t)
	for _, version := range want {
		if _, changes, err := p.repo.Changes(t.Context(), copied.id, version.ID); err != nil || len(changes) == 0 {
			t.Errorf("version %s: got %d changes, %v, want some", version.ID, len(changes), err)
		}
	}
	if duplicated, err := p.repo.Duplicated(t.Context(), copied.id); err != nil || !duplicated {
		t.Errorf("got %t, %v, want it known as a duplicate", duplicated, err)
	}
	if _, err := p.repo.Repair(t.Context(), copied.id); err != nil {
		t.Fatal(err)
	}
	for _, project := range []core.ID{p.id, copied.id} {
		if duplicated, err := p.repo.Duplicated(t.Context(), project); err != nil || duplicated {
			t.Errorf("got %t, %v, want none once somebody works with it", duplicated, err)
		}
	}
	made := copied.commit(t, "what was staged")
	copied.wantDifferent(t, want[0].ID, made.ID, "-b +staged")
}

func duplicatesOnlyWhatIsNamed(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "secret"))
	p.save(t, worktreetest.Writing("a", "1"))
	p.commit(t, "one")
	copied := p.duplicate(t)
	// The id of "secret" as a blob.
	secret := vcs.Blob{ID: "536aca34dbae6b2b8af26bebdcba83543c9546f0"}
	if _, err := p.repo.Content(t.Context(), p.id, secret, 100); err != nil {
		t.Errorf("the source: got %v, want what was staged", err)
	}
	if _, err := p.repo.Content(t.Context(), copied.id, secret, 100); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("the copy: got %v, want not_found", err)
	}
}

func duplicatesNothing(t *testing.T, p *project) {
	copied := p.duplicate(t)
	if log, err := p.repo.Log(t.Context(), copied.id, "", 10); err != nil || len(log) != 0 {
		t.Errorf("got %v, %v, want no version", log, err)
	}
	copied.save(t, worktreetest.Writing("a", "1"))
	copied.commit(t, "one")
}

func duplicatesOnce(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"))
	p.commit(t, "one")
	copied := p.duplicate(t)
	if err := p.repo.Duplicate(t.Context(), p.id, copied.id); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("again: got %v, want conflict", err)
	}
	for _, project := range []core.ID{core.NewID(), "..", ""} {
		if err := p.repo.Duplicate(t.Context(), p.id, project); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("into %q: got %v, want not_found", project, err)
		}
		if err := p.repo.Duplicate(t.Context(), project, copied.id); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("of %q: got %v, want not_found", project, err)
		}
	}
}

func duplicatesPart(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"))
	first := p.commit(t, "one")
	copied := p.duplicate(t)
	p.save(t, worktreetest.Writing("a", "2"))
	p.commit(t, "of the source")
	copied.save(t, worktreetest.Writing("b", "2"))
	made := copied.commit(t, "of the copy")
	if _, err := p.repo.Version(t.Context(), p.id, made.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want the copy's version unknown to the source", err)
	}
	copied.wantDifferent(t, first.ID, made.ID, "+b")
	conformance.Must(t, p.h.Trees.Remove(t.Context(), p.id))
	copied.wantDifferent(t, "", made.ID, "+a +b")
	copied.wantStaged(t)
	// The clause's own project has to be there in the end.
	conformance.Must(t, p.h.Trees.Create(t.Context(), p.id))
	conformance.Must(t, p.repo.Init(t.Context(), p.id))
}

func historyEndedContext(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"))
	made := p.commit(t, "one")
	other := &project{h: p.h, id: core.NewID(), repo: p.repo}
	other.tree = worktreetest.Create(t, worktreetest.Harness{Trees: p.h.Trees}, other.id)
	conformance.Must(t, p.repo.Init(t.Context(), other.id))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.repo.Version(ended, p.id, made.ID)
	failed := []error{err}
	_, err = p.repo.Compare(ended, p.id, "", made.ID)
	failed = append(failed, err)
	_, err = p.repo.Content(ended, p.id, vcs.Blob{ID: made.ID}, 1)
	failed = append(failed, err)
	_, _, err = p.repo.Recommit(ended, p.id, made.ID, vcs.Commit{})
	failed = append(failed, err, p.repo.Duplicate(ended, p.id, other.id))
	_, err = p.repo.Duplicated(ended, p.id)
	if failed = append(failed, err); slices.Contains(failed, nil) {
		t.Errorf("got %v, want an error from each", failed)
	}
}
