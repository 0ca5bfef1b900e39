package files_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

func TestASecondSpellingOfAPathIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		changes []core.FileChange
		// refused are the two spellings, in the error of the last change.
		refused []string
		want    []string
	}{
		"a file":                      {[]core.FileChange{write("readme.md", "x")}, []string{"readme.md", "README.md"}, []string{"README.md", "src/main.js"}},
		"a folder":                    {[]core.FileChange{write("Src/new.js", "x")}, []string{"Src", "src"}, []string{"README.md", "src/main.js"}},
		"a file like a folder":        {[]core.FileChange{write("SRC", "x")}, []string{"SRC", "src"}, []string{"README.md", "src/main.js"}},
		"other letters":               {[]core.FileChange{write("É", "x"), write("é", "x")}, []string{"é", "É"}, []string{"README.md", "src/main.js", "É"}},
		"in one batch":                {[]core.FileChange{write("a/b/c", "x"), write("a/B/d", "x")}, []string{"a/B", "a/b"}, []string{"README.md", "a/b/c", "src/main.js"}},
		"a rename":                    {[]core.FileChange{write("x", "x"), rename("x", "Readme.md")}, []string{"Readme.md", "README.md"}, []string{"README.md", "src/main.js", "x"}},
		"behind a rename that is":     {[]core.FileChange{write("x", "x"), rename("x", "Readme.md"), write("X", "x")}, []string{"X", "x"}, []string{"README.md", "src/main.js", "x"}},
		"itself renamed":              {[]core.FileChange{rename("README.md", "readme.md"), rename("src", "Src")}, nil, []string{"Src/main.js", "readme.md"}},
		"one that goes before":        {[]core.FileChange{remove("README.md"), write("readme.md", "x")}, nil, []string{"readme.md", "src/main.js"}},
		"a folder that holds nothing": {[]core.FileChange{remove("src/main.js"), write("Src/main.js", "x")}, nil, []string{"README.md", "Src/main.js"}},
		"the same":                    {[]core.FileChange{write("README.md", "x"), write("src/more.js", "x")}, nil, []string{"README.md", "src/main.js", "src/more.js"}},
	} {
		f := newFixture(t)
		results := f.apply(c.changes...)
		err := results[len(results)-1].Err
		if len(c.refused) == 0 && err != nil || len(c.refused) > 0 && (!core.IsCode(err, core.CodeConflict) || !strings.HasPrefix(err.Error(), "conflict: "+c.refused[0]+" differs from "+c.refused[1]+" only")) {
			t.Errorf("%s: got %v, want the spellings %q", name, err, c.refused)
		}
		f.wantPaths(c.want...)
	}
}

func TestAVersionWithASecondSpellingChangesNothing(t *testing.T) {
	f := newFixture(t)
	f.apply(write("staged", "x"))
	_, _, err := f.pipeline.Revise(f.ctx, f.project, func(context.Context, files.Snapshot) (files.Revision, error) {
		return files.Revision{Changes: []core.FileChange{write("new", "x"), write("Readme.md", "x")}, Commit: vcs.Commit{Message: "m"}}, nil
	})
	f.wantCode(err, core.CodeConflict)
	f.wantPaths("README.md", "src/main.js", "staged")
}

func TestProjectsWithBothSpellingsKeepThem(t *testing.T) {
	f := newFixture(t)
	f.outside(write("Readme.md", "other"))
	f.apply(write("README.md", "1"), write("Readme.md", "2"))
	if one, other := f.read("README.md"), f.read("Readme.md"); one != "1" || other != "2" {
		t.Errorf("got %q and %q, want both written", one, other)
	}
}
