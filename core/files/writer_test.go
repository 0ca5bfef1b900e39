package files_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

func TestCreateGivesATreeARepositoryAndAFirstVersion(t *testing.T) {
	f := newFixture(t)
	f.wantPaths("README.md", "src/main.js")
	versions, err := f.pipeline.Versions(f.ctx, f.project, "", 10)
	f.must(err)
	if len(versions) != 1 || versions[0].Message != "First" || versions[0].FilesChanged != 2 {
		t.Errorf("got the versions %+v, want the first one with 2 files", versions)
	}
}

func TestCreateThatFailsLeavesNothing(t *testing.T) {
	f := newFixture(t)
	id := core.NewID()
	_, err := f.pipeline.Create(f.ctx, id, fstest.MapFS{"ok": {}, "a?b": {Data: []byte("x")}}, vcs.Commit{Message: "First"})
	f.wantCode(err, core.CodeInvalidPath)
	if _, err := f.trees.Open(f.ctx, id); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("tree of the failed creation: got %v, want not found", err)
	}
}

func TestCreateDoesNotTakeATreeThatIsThere(t *testing.T) {
	f := newFixture(t)
	_, err := f.pipeline.Create(f.ctx, f.project, fstest.MapFS{}, vcs.Commit{Message: "First"})
	f.wantCode(err, core.CodeConflict)
	f.wantPaths("README.md", "src/main.js")
}

func TestApplyKeepsDiskIndexAndCacheInStep(t *testing.T) {
	long := strings.Repeat("d/", 200)
	tests := []struct {
		name    string
		changes []core.FileChange
		want    []string
	}{
		{"a new file", []core.FileChange{write("a/b/c.txt", "x")}, []string{"README.md", "a/b/c.txt", "src/main.js"}},
		{"a file written anew", []core.FileChange{write("README.md", "other")}, []string{"README.md", "src/main.js"}},
		{"a file written twice", []core.FileChange{write("a", "1"), write("a", "2")}, []string{"README.md", "a", "src/main.js"}},
		{"a deleted file", []core.FileChange{remove("README.md")}, []string{"src/main.js"}},
		{"a deleted directory", []core.FileChange{write("src/x/y", "1"), remove("src")}, []string{"README.md"}},
		{"written, then deleted", []core.FileChange{write("a", "1"), remove("a")}, []string{"README.md", "src/main.js"}},
		{"deleted, then written", []core.FileChange{remove("src"), write("src/new.js", "1")}, []string{"README.md", "src/new.js"}},
		{"a file in the place of a directory", []core.FileChange{remove("src"), write("src", "1")}, []string{"README.md", "src"}},
		{"a directory in the place of a file", []core.FileChange{remove("README.md"), write("README.md/x", "1")}, []string{"README.md/x", "src/main.js"}},
		{"a renamed file", []core.FileChange{rename("README.md", "docs/README.md")}, []string{"docs/README.md", "src/main.js"}},
		{"a rename over a file", []core.FileChange{rename("README.md", "src/main.js")}, []string{"src/main.js"}},
		{"a rename to the same name", []core.FileChange{rename("README.md", "README.md")}, []string{"README.md", "src/main.js"}},
		{"written, then renamed", []core.FileChange{write("a", "1"), rename("a", "b")}, []string{"README.md", "b", "src/main.js"}},
		{"two files swapped", []core.FileChange{rename("README.md", "t"), rename("src/main.js", "README.md"), rename("t", "src/main.js")}, []string{"README.md", "src/main.js"}},
		{"a renamed directory", []core.FileChange{write("src-2", "1"), write("src/a/b", "1"), rename("src", "lib/js")}, []string{"README.md", "lib/js/a/b", "lib/js/main.js", "src-2"}},
		{"a directory renamed twice", []core.FileChange{rename("src", "lib"), write("lib/x", "1"), rename("lib", "src2")}, []string{"README.md", "src2/main.js", "src2/x"}},
		{"a directory renamed beyond the longest path", []core.FileChange{write(long+strings.Repeat("f", 250), "1"), rename("d", strings.Repeat("e/", 200)+"e")}, []string{"README.md", "src/main.js"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.t = t
			for i, result := range f.apply(test.changes...) {
				if result.Err != nil {
					t.Fatalf("change %d: %v", i, result.Err)
				}
			}
			listing, err := f.pipeline.List(f.ctx, f.project)
			f.must(err)
			if strings.HasPrefix(test.name, "a directory renamed beyond") {
				if len(listing.Entries) != len(test.want) {
					t.Errorf("got %d entries, want %d", len(listing.Entries), len(test.want))
				}
				return
			}
			f.wantPaths(test.want...)
			f.restart()
			f.wantPaths(test.want...)
		})
	}
}

func TestApplyGoesOnBehindAChangeThatFails(t *testing.T) {
	f := newFixture(t)
	results := f.apply(write("src", "a directory is in the way"), remove("nothing"), rename("nothing", "x"), write("README.md/x", "1"), write("new", "1"))
	want := []core.Code{core.CodeConflict, core.CodeNotFound, core.CodeNotFound, core.CodeConflict, ""}
	for i, result := range results {
		if got := core.CodeOf(result.Err); got != want[i] {
			t.Errorf("change %d: got code %q, want %q", i, got, want[i])
		}
	}
	f.wantPaths("README.md", "new", "src/main.js")
}

func TestBuildOutputIsStagedButNotListed(t *testing.T) {
	f := newFixture(t)
	f.apply(write("dist/app.js", "built"), write("a/node_modules/b.js", "1"))
	listing, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	if len(listing.Entries) != 2 {
		t.Errorf("got %d entries, want the 2 sources", len(listing.Entries))
	}
	f.wantStaged("README.md", "a/node_modules/b.js", "dist/app.js", "src/main.js")
	if got := f.read("dist/app.js"); got != "built" {
		t.Errorf("got %q, want what was written", got)
	}
	f.restart()
	_, err = f.pipeline.Reconcile(f.ctx, f.project)
	f.must(err)
	f.wantStaged("README.md", "a/node_modules/b.js", "dist/app.js", "src/main.js")
	f.apply(rename("dist/app.js", "app.js"), rename("a/node_modules", "vendor"))
	f.wantPaths("README.md", "app.js", "src/main.js", "vendor/b.js")
}

func TestARenamedDirectoryBringsFilesThatTheCacheNeverKnew(t *testing.T) {
	f := newFixture(t)
	f.apply()
	f.outside(write("src/outside.js", "1"))
	f.apply(rename("src", "lib"))
	f.wantPaths("README.md", "lib/main.js", "lib/outside.js")
}

func TestFollowersLearnOfEveryChangeInOrder(t *testing.T) {
	f := newFixture(t)
	notices, err := f.deps.Bus.Follow(f.ctx, f.project)
	f.must(err)
	f.apply(write("new", "1"), write("README.md", "2"), rename("new", "newer"), rename("src", "lib"), remove("lib"))
	notice := <-notices
	if notice.Kind != core.NoticeFiles || notice.By.Name != "Ann" {
		t.Fatalf("got %+v, want a notice of Ann's", notice)
	}
	want := []string{"created new", "modified README.md", "renamed newer from new", "renamed lib/main.js from src/main.js", "deleted lib"}
	for i, change := range notice.Files {
		got := fmt.Sprintf("%s %s", change.Action, change.Path)
		if change.From != nil {
			got += " from " + change.From.String()
		}
		if got != want[i] || (change.Entry == nil) != (change.Action == core.FileDeleted) {
			t.Errorf("change %d: got %q with the entry %v, want %q", i, got, change.Entry, want[i])
		}
	}
	if len(notice.Files) != len(want) {
		t.Errorf("got %d changes, want %d", len(notice.Files), len(want))
	}
}

func TestAFileDeletedBeforeItsDirectoryMovedIsNotToldAsMoved(t *testing.T) {
	f := newFixture(t)
	f.apply(write("src/x", "1"))
	notices, err := f.deps.Bus.Follow(f.ctx, f.project)
	f.must(err)
	f.apply(remove("src/main.js"), rename("src", "lib"))
	for len(notices) > 0 {
		for _, change := range (<-notices).Files {
			if change.Action == core.FileRenamed && change.Path != core.MustPath("lib/x") {
				t.Errorf("told that %s moved to %s, want only the file that was there", change.From, change.Path)
			}
		}
	}
}

func TestAWriterWaitsForTheProjectsLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		_, unlock, err := f.deps.Locks.Lock(f.ctx, f.project)
		f.must(err)
		defer unlock()
		waiting, cancel := context.WithTimeout(f.ctx, time.Minute)
		defer cancel()
		_, err = f.pipeline.Apply(waiting, f.project, core.Author{}, []core.FileChange{write("new", "1")}, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of waiting for the lock", err)
		}
		_, err = f.pipeline.Open(f.ctx, f.at("new"))
		f.wantCode(err, core.CodeNotFound)
	})
}

func TestAGuardIsAskedUnderTheLock(t *testing.T) {
	f := newFixture(t)
	tag := files.ETag([]byte("hello"))
	tests := []struct {
		name  string
		path  string
		guard files.Guard
		want  core.Code
	}{
		{"the right tag", "README.md", files.IfMatch(`"x"`, tag), ""},
		{"another tag", "README.md", files.IfMatch(`"x"`), core.CodePreconditionFailed},
		{"a weak tag", "README.md", files.IfMatch("W/" + tag), core.CodePreconditionFailed},
		{"any file", "README.md", files.IfMatch("*"), ""},
		{"any file where there is none", "none", files.IfMatch("*"), core.CodePreconditionFailed},
		{"any file where there is a directory", "src", files.IfMatch("*"), core.CodePreconditionFailed},
		{"no file", "none", files.IfNoneMatch("*"), ""},
		{"no file where there is one", "README.md", files.IfNoneMatch("*"), core.CodePreconditionFailed},
		{"not this tag", "README.md", files.IfNoneMatch(tag), core.CodePreconditionFailed},
		{"both, the first wrong", "README.md", files.Both(files.IfMatch(`"x"`), files.IfNoneMatch(`"x"`)), core.CodePreconditionFailed},
		{"both, the second wrong", "README.md", files.Both(files.IfMatch(tag), files.IfNoneMatch(tag)), core.CodePreconditionFailed},
		{"both right", "README.md", files.Both(files.IfMatch(tag), files.IfNoneMatch(`"x"`)), ""},
		{"only one", "README.md", files.Both(nil, files.IfNoneMatch(tag)), core.CodePreconditionFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f.t = t
			change := write(test.path, "hello")
			_, err := f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{change}, test.guard)
			f.wantCode(err, test.want)
			f.apply(write("none", "")) // made and removed, so that the next case finds none
			f.apply(remove("none"))
		})
	}
	f.t = t
	if got := f.read("README.md"); got != "hello" {
		t.Errorf("a change that its guard refused was made: %q", got)
	}
}

func TestAGuardSeesWhatIsOnTheDiskNotInTheCache(t *testing.T) {
	f := newFixture(t)
	f.apply()
	f.outside(write("README.md", "changed outside"))
	_, err := f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{write("README.md", "mine")}, files.IfMatch(files.ETag([]byte("hello"))))
	f.wantCode(err, core.CodePreconditionFailed)
	if got := f.read("README.md"); got != "changed outside" {
		t.Errorf("got %q, want the outside change", got)
	}
}

func TestWritersWithGuardsLoseNoUpdate(t *testing.T) {
	f := newFixture(t)
	f.apply(write("count", ""))
	const writers, each = 8, 10
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for done := 0; done < each; {
				entry, err := f.pipeline.Stat(f.ctx, f.at("count"))
				if err != nil {
					t.Error(err)
					return
				}
				old := f.read("count")
				if files.ETag([]byte(old)) != entry.ETag {
					continue
				}
				_, err = f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{write("count", old+"x")}, files.IfMatch(entry.ETag))
				if err == nil {
					done++
				} else if !core.IsCode(err, core.CodePreconditionFailed) {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if got := len(f.read("count")); got != writers*each {
		t.Errorf("got %d updates, want all %d that were acknowledged", got, writers*each)
	}
	f.wantPaths("README.md", "count", "src/main.js")
}

func TestAWriteWhoseStagingFailedIsReportedAndMadeGoodAtTheNextTouch(t *testing.T) {
	f := newFixture(t)
	stage := &brokenStage{Repositories: f.deps.Repositories}
	f.deps.Repositories = stage
	f.restart()
	f.apply(write("first", "1"))
	stage.broken = true
	_, err := f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{write("lost", "2")}, nil)
	f.wantCode(err, core.CodeUnavailable)
	stage.broken = false
	f.wantPaths("README.md", "first", "lost", "src/main.js")
}

func TestAWriteIsCarriedThroughWhenItsClientLeaves(t *testing.T) {
	f := newFixture(t)
	leaving, cancel := contextCancelledByStage(f)
	defer cancel()
	_, err := f.pipeline.Apply(leaving, f.project, core.Author{}, []core.FileChange{write("new", "1")}, nil)
	f.must(err)
	f.wantPaths("README.md", "new", "src/main.js")
}

func TestCommitReturnsTheLatestVersionWhenNothingIsStaged(t *testing.T) {
	f := newFixture(t)
	first, changed, err := f.pipeline.Commit(f.ctx, f.project, vcs.Commit{Message: "Nothing"})
	f.must(err)
	if changed || first.Message != "First" {
		t.Errorf("got %+v, %t, want the first version and false", first, changed)
	}
	f.apply(write("new", "1"))
	second, changed, err := f.pipeline.Commit(f.ctx, f.project, vcs.Commit{Message: "Second"})
	f.must(err)
	if !changed || second.Message != "Second" || second.CreatedAt.Std().Before(time.Now().Add(-time.Minute)) {
		t.Errorf("got %+v, %t, want a new version of now", second, changed)
	}
}

func TestCommitOfABatchHoldsTheBatchOnly(t *testing.T) {
	f := newFixture(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			changes := []core.FileChange{write(fmt.Sprintf("batch%d/a", i), "1"), write(fmt.Sprintf("batch%d/b", i), "1")}
			results, version, err := f.pipeline.ApplyAndCommit(f.ctx, f.project, changes, vcs.Commit{Message: "Batch"})
			if err != nil || version == nil || version.FilesChanged != 2 || errors.Join(results[0].Err, results[1].Err) != nil {
				t.Errorf("batch %d: got %+v, %v, want a version of 2 files", i, version, err)
			}
		})
	}
	group.Wait()
}
