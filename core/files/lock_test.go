package files_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// departureLocks are locks that call depart as soon as somebody has one.
type departureLocks struct {
	*memory.Locks
	depart func()
}

func (d *departureLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	held, unlock, err := d.Locks.Lock(ctx, record)
	d.depart()
	return held, unlock, err
}

// lockingCalls are calls of all methods that take a project's lock. None may come as far as
// to call back.
func lockingCalls(f *fixture) map[string]func(p *files.Pipeline) error {
	changes := []core.FileChange{write("README.md", "changed")}
	forbidden := errors.New("called back without the right")
	commit := vcs.Commit{Message: "Not allowed", Author: ann}
	first := f.newest().ID
	return map[string]func(p *files.Pipeline) error{
		"list":      func(p *files.Pipeline) error { _, err := p.List(f.ctx, f.project); return err },
		"all files": func(p *files.Pipeline) error { _, err := p.AllFiles(f.ctx, f.project); return err },
		"apply":     func(p *files.Pipeline) error { _, err := p.Apply(f.ctx, f.project, ann, changes, nil); return err },
		"delete": func(p *files.Pipeline) error {
			_, err := p.Apply(f.ctx, f.project, ann, []core.FileChange{remove("README.md")}, nil)
			return err
		},
		"apply and commit": func(p *files.Pipeline) error {
			_, _, err := p.ApplyAndCommit(f.ctx, f.project, changes, commit)
			return err
		},
		"rewrite": func(p *files.Pipeline) error {
			_, err := p.Rewrite(f.ctx, ann, f.at("README.md"), 100, func([]byte) ([]byte, bool, error) { return nil, false, forbidden })
			return err
		},
		"amend": func(p *files.Pipeline) error {
			return p.Amend(f.ctx, f.project, ann, func(context.Context, files.Snapshot) ([]core.FileChange, error) { return nil, forbidden }, nil)
		},
		"commit":         func(p *files.Pipeline) error { _, _, err := p.Commit(f.ctx, f.project, commit); return err },
		"commit by hand": func(p *files.Pipeline) error { return p.CommitByHand(f.ctx, f.project, nil, nil) },
		"keep edits":     func(p *files.Pipeline) error { _, _, err := p.KeepEdits(f.ctx, f.project, 1<<60, nil); return err },
		"unversioned":    func(p *files.Pipeline) error { _, err := p.Unversioned(f.ctx, f.project); return err },
		"revise": func(p *files.Pipeline) error {
			_, _, err := p.Revise(f.ctx, f.project, func(context.Context, files.Snapshot) (files.Revision, error) {
				return files.Revision{}, forbidden
			})
			return err
		},
		"restore": func(p *files.Pipeline) error {
			_, _, err := p.Restore(f.ctx, f.project, first, func(context.Context) error { return forbidden }, commit)
			return err
		},
		"take": func(p *files.Pipeline) error {
			push := &pendingPush{arrival: vcs.Arrival{From: first, To: first}}
			return p.Take(f.ctx, f.project, ann, push, func(context.Context) error { return forbidden })
		},
		"reconcile": func(p *files.Pipeline) error { _, err := p.Reconcile(f.ctx, f.project); return err },
		"create": func(p *files.Pipeline) error {
			_, err := p.Create(f.ctx, f.project, fstest.MapFS{}, commit)
			return err
		},
		"create fetched": func(p *files.Pipeline) error {
			_, err := p.CreateFetched(f.ctx, f.project, func(context.Context) (vcs.FetchedBranch, error) { return nil, forbidden }, commit)
			return err
		},
		"duplicate": func(p *files.Pipeline) error {
			return p.Duplicate(f.ctx, f.project, core.NewID(), func(context.Context, []core.FileEntry) error { return forbidden })
		},
		"remove": func(p *files.Pipeline) error { return p.Remove(f.ctx, f.project) },
		"remove untouched": func(p *files.Pipeline) error {
			_, err := p.RemoveUntouched(f.ctx, f.project, func(context.Context) (bool, error) { return true, forbidden })
			return err
		},
	}
}

// TestEveryLockAsksTheGate lets the member leave the workspace at the moment at which a call
// gets the project's lock.
func TestEveryLockAsksTheGate(t *testing.T) {
	f := newFixture(t)
	f.apply(write("staged.txt", "1"))
	gate, tables := access.NewGate(f.deps.Store), f.deps.Store.Tables()
	deps := f.deps
	deps.Locks = &departureLocks{memory.NewLocks(), func() { f.must(tables.Members.Remove(f.ctx, f.workspace, f.member.UserID)) }}
	for name, call := range lockingCalls(f) {
		f.must(tables.Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: f.workspace, UserID: f.member.UserID, Role: core.RoleOwner}))
		err := call(files.NewPipeline(deps).As(gate, f.member, core.ActionFileWrite))
		if !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeNotFound)
		}
		if message := f.newest().Message; message != "First" {
			t.Errorf("%s: got the version %q, want nothing done", name, message)
		}
	}
	f.wantPaths("README.md", "src/main.js", "staged.txt")
	trees, err := f.trees.List(f.ctx)
	f.must(err)
	if len(trees) != 1 {
		t.Errorf("got the trees %v, want the project's alone", trees)
	}
	if got := f.read("README.md"); got != "hello" {
		t.Errorf("got %q, want nothing changed", got)
	}
}

func TestEveryPartAsksTheGate(t *testing.T) {
	f := newFixture(t)
	gate, calls := access.NewGate(f.deps.Store), lockingCalls(f)
	p := f.pipeline
	parts := &files.Pipeline{
		Writer:    p.Writer.As(gate, f.stranger, core.ActionFileWrite),
		Committer: p.Committer.As(gate, f.stranger, core.ActionFileWrite),
		Arrivals:  p.Arrivals.As(gate, f.stranger, core.ActionFileWrite),
	}
	for _, name := range []string{"apply", "commit", "take"} {
		if err := calls[name](parts); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeNotFound)
		}
	}
}
