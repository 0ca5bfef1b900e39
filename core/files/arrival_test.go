package files_test

import (
	"context"
	"io"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// arrivals lets versions of a repository in memory arrive in it again; the older ones
// serve as versions from elsewhere.
type arrivals struct {
	vcs.Repositories
	noted   *vcs.Arrival
	settled []vcs.Arrival
}

func (a *arrivals) Arriving(context.Context, core.ID) (vcs.Arrival, bool, error) {
	if a.noted == nil {
		return vcs.Arrival{}, false, nil
	}
	return *a.noted, true, nil
}

func (a *arrivals) Arrive(_ context.Context, _ core.ID, arrival vcs.Arrival) error {
	a.noted = &arrival
	return nil
}

func (a *arrivals) Settle(_ context.Context, _ core.ID, arrival vcs.Arrival) error {
	a.noted, a.settled = nil, append(a.settled, arrival)
	return nil
}

// pendingPush is a push of a version.
type pendingPush struct {
	arrival vcs.Arrival
	refused error
	adopted int
}

func (p *pendingPush) Arrival() (vcs.Arrival, error)       { return p.arrival, p.refused }
func (p *pendingPush) Adopt(context.Context) error         { p.adopted++; return nil }
func (p *pendingPush) Report(_ io.Writer, err error) error { return err }
func (p *pendingPush) Close() error                        { return nil }
func idle(context.Context) error                           { return nil }
func (f *fixture) head() string                            { return f.newest().ID }
func (f *fixture) take(push vcs.Push) error {
	return f.pipeline.Take(f.ctx, f.project, core.Author{Kind: core.AuthorUser, Name: "Git"}, push, idle)
}
func (f *fixture) applies(changes ...core.FileChange) {
	f.carriedOut(f.pipeline.Apply(f.ctx, f.project, core.Author{Kind: core.AuthorUser, Name: "Ann"}, changes, nil))
}
func writing(path, content string) core.FileChange {
	return core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
}
func (f *fixture) carriedOut(results []files.Result, err error) {
	f.t.Helper()
	for _, result := range results {
		if err == nil {
			err = result.Err
		}
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) newest() core.Version {
	f.t.Helper()
	versions, err := f.pipeline.Versions(f.ctx, f.project, "", 1)
	if err != nil || len(versions) == 0 {
		f.t.Fatalf("got %v, %v, want a version", versions, err)
	}
	return versions[0]
}

// content is what a file of the tree holds, "-" for none.
func (f *fixture) contentOf(path string) string {
	f.t.Helper()
	tree, err := f.trees.Open(f.ctx, f.project)
	if err != nil {
		f.t.Fatal(err)
	}
	file, err := tree.Open(f.ctx, core.MustPath(path))
	if core.IsCode(err, core.CodeNotFound) {
		return "-"
	}
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(content)
}

// newArrivals is a fixture with a second version on top of the first, and the arrival
// that leads from the second to the first.
func newArrivals(t *testing.T) (*fixture, *arrivals, vcs.Arrival) {
	t.Helper()
	f := newFixture(t)
	repositories := &arrivals{Repositories: f.deps.Repositories}
	f.deps.Repositories = repositories
	f.restart()
	first := f.head()
	f.carriedOut(f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{
		writing("README.md", "second"), {Op: core.OpDelete, Path: core.MustPath("src")}, writing("src", "a file"), writing("new/x.txt", "x"),
	}, nil))
	if _, _, err := f.pipeline.Commit(f.ctx, f.project, vcs.Commit{Message: "Second"}); err != nil {
		t.Fatal(err)
	}
	return f, repositories, vcs.Arrival{From: f.head(), To: first}
}

func TestAVersionThatArrivesBringsTheFilesAlong(t *testing.T) {
	f, repositories, arrival := newArrivals(t)
	push := &pendingPush{arrival: arrival}
	if err := f.take(push); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"README.md": "hello", "src/main.js": "main()", "new/x.txt": "-"} {
		if got := f.contentOf(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if push.adopted != 1 || len(repositories.settled) != 1 || repositories.settled[0] != arrival {
		t.Errorf("got adopted %d times and settled %v, want once and %v", push.adopted, repositories.settled, arrival)
	}
}

func TestAVersionArrivesOnlyOnTheOneThatItKnows(t *testing.T) {
	f, repositories, arrival := newArrivals(t)
	before := f.head()
	f.applies(writing("README.md", "by hand"))
	push := &pendingPush{arrival: arrival}
	if err := f.take(push); !core.IsCode(err, core.CodeConflict) || push.adopted > 0 {
		t.Errorf("got %v and %d adopted, want code %s before anything happens", err, push.adopted, core.CodeConflict)
	}
	if now := f.newest(); now.ID == before || now.Message != files.HandEdits || len(repositories.settled) > 0 {
		t.Errorf("got %+v, want what was edited as a version", now)
	}
	if got := f.contentOf("README.md"); got != "by hand" {
		t.Errorf("got %q, want the edit", got)
	}
}

// TestGeneratedFilesDoNotBlockAPush: the service writes types after a pushed schema, and the next
// push comes from somebody who does not have them.
func TestGeneratedFilesDoNotBlockAPush(t *testing.T) {
	written := core.BackendTypesNotice + "export {}\n"
	types, edit := writing(core.BackendTypesPath, written), writing("README.md", "by hand")
	for name, c := range map[string]struct {
		// pushed is the types file in the version that arrives, "" for none.
		pushed string
		staged []core.FileChange
		// want is the types file afterwards, "" for a push that is refused.
		want string
	}{
		"it stays":           {"", []core.FileChange{types}, written},
		"the push has it":    {"of the push", []core.FileChange{types}, "of the push"},
		"beside an edit":     {"", []core.FileChange{types, edit}, ""},
		"it is not the file": {"", []core.FileChange{writing(core.BackendTypesPath, "export {} // mine")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.deps.Repositories = &arrivals{Repositories: f.deps.Repositories}
			f.restart()
			version := func(changes ...core.FileChange) string {
				f.carriedOut(f.pipeline.Apply(f.ctx, f.project, core.Author{}, changes, nil))
				if _, _, err := f.pipeline.Commit(f.ctx, f.project, vcs.Commit{Message: "A version"}); err != nil {
					t.Fatal(err)
				}
				return f.head()
			}
			arrives := f.head()
			next := []core.FileChange{writing("README.md", "second")}
			if c.pushed != "" {
				arrives = version(writing(core.BackendTypesPath, c.pushed))
				next = append(next, core.FileChange{Op: core.OpDelete, Path: core.MustPath(core.BackendTypesPath)})
			}
			present := version(next...)
			f.carriedOut(f.pipeline.Apply(f.ctx, f.project, core.Author{Kind: core.AuthorAgent, Name: "Atelier"}, c.staged, nil))
			err := f.take(&pendingPush{arrival: vcs.Arrival{From: present, To: arrives}})
			if c.want == "" {
				if !core.IsCode(err, core.CodeConflict) || f.head() == present {
					t.Errorf("got %v, want code %s, and what was staged as a version", err, core.CodeConflict)
				}
				return
			}
			if got, readme := f.contentOf(core.BackendTypesPath), f.contentOf("README.md"); err != nil || got != c.want || readme != "hello" {
				t.Errorf("got %v, %q and %q, want %q and the pushed files", err, got, readme, c.want)
			}
		})
	}
}

func TestWhatSpeaksAgainstAnArrivalIsToldAsItIs(t *testing.T) {
	f, _, arrival := newArrivals(t)
	refused := core.Errorf(core.CodeValidationFailed, "a link")
	if err := f.take(&pendingPush{arrival: arrival, refused: refused}); err != error(refused) {
		t.Errorf("got %v, want %v", err, refused)
	}
	busy := core.Errorf(core.CodeChatBusy, "busy")
	err := f.pipeline.Take(f.ctx, f.project, core.Author{}, &pendingPush{arrival: arrival}, func(context.Context) error { return busy })
	if err != error(busy) || f.contentOf("README.md") != "second" {
		t.Errorf("got %v and %q, want %v and nothing changed", err, f.contentOf("README.md"), busy)
	}
}

func TestAnArrivalOverwritesNothingThatIsInNoVersion(t *testing.T) {
	f, repositories, arrival := newArrivals(t)
	// Generated files are neither listed nor staged automatically.
	f.carriedOut(f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{{Op: core.OpDelete, Path: core.MustPath("src")}}, nil))
	if _, _, err := f.pipeline.Commit(f.ctx, f.project, vcs.Commit{Message: "Third"}); err != nil {
		t.Fatal(err)
	}
	tree, err := f.trees.Open(f.ctx, f.project)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range tree.Apply(f.ctx, []core.FileChange{writing("src/node_modules/x.js", "built")}) {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
	}
	second := arrival.From
	if err := f.take(&pendingPush{arrival: vcs.Arrival{From: f.head(), To: second}}); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("got %v, want code %s: the folder holds something", err, core.CodeConflict)
	}
	if got := f.contentOf("src/node_modules/x.js"); got != "built" || repositories.noted != nil {
		t.Errorf("got %q and the note %v, want what was built and no note", got, repositories.noted)
	}
}

func TestTheNextTouchGoesOnWithAnArrival(t *testing.T) {
	f, repositories, arrival := newArrivals(t)
	f.applies(writing("new/x.txt", "edited since"))
	repositories.noted = &arrival
	f.restart()
	if _, err := f.pipeline.Reconcile(f.ctx, f.project); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"README.md": "hello", "src/main.js": "main()", "new/x.txt": "edited since"} {
		if got := f.contentOf(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if len(repositories.settled) != 1 {
		t.Errorf("got settled %v, want it once", repositories.settled)
	}
	repositories.noted = &vcs.Arrival{From: arrival.From, To: "gone"}
	if _, err := f.pipeline.Reconcile(f.ctx, f.project); err != nil {
		t.Errorf("a version that is not there: got %v, want it given up", err)
	}
}

func TestAnArrivalThatTheDiskRefusesIsDoneLater(t *testing.T) {
	f, repositories, arrival := newArrivals(t)
	broken := &brokenStage{Repositories: repositories, broken: true}
	f.deps.Repositories = broken
	f.restart()
	broken.broken = false
	if _, err := f.pipeline.Reconcile(f.ctx, f.project); err != nil {
		t.Fatal(err)
	}
	broken.broken = true
	if err := f.take(&pendingPush{arrival: arrival}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
	broken.broken = false
	if _, err := f.pipeline.Reconcile(f.ctx, f.project); err != nil || f.contentOf("README.md") != "hello" || len(repositories.settled) != 1 {
		t.Errorf("got %v and %q, want the arrival completed", err, f.contentOf("README.md"))
	}
}
