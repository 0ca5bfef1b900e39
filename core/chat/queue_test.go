package chat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

// silentModel is a model that never answers.
type silentModel struct{ ai.Provider }

func (silentModel) Generate(ctx context.Context, _ ai.Request, _ func(ai.Chunk) error) (core.Usage, error) {
	<-ctx.Done()
	return core.Usage{}, ctx.Err()
}

// tenants have a workspace with a silent model beside the room's.
type tenants struct {
	models
	silent core.ID
}

func (m tenants) Choose(ctx context.Context, workspace core.ID, wanted string) (chat.Choice, error) {
	if workspace == m.silent {
		return chat.Choice{Provider: silentModel{}, Model: "m"}, nil
	}
	return m.models.Choose(ctx, workspace, wanted)
}

// queueOf queues a run in a chat of its own, paid by a workspace.
func (r *room) queueOf(workspace core.ID, at core.Time) core.Run {
	r.t.Helper()
	tables := r.store.Tables()
	project, opened := r.project, r.chat
	project.ID, project.Slug, project.WorkspaceID = core.NewID(), string(core.NewID()), workspace
	opened.ID, opened.ProjectID = core.NewID(), project.ID
	must(r.t, tables.Projects.Create(r.t.Context(), project))
	must(r.t, tables.Chats.Create(r.t.Context(), opened))
	run := core.Run{
		ID: core.NewID(), ChatID: opened.ID, ProjectID: project.ID, WorkspaceID: workspace, UserID: r.member.UserID,
		Status: core.RunQueued, Text: "from the queue", Detached: true, CreatedAt: at,
	}
	must(r.t, tables.Runs.Create(r.t.Context(), run))
	return run
}

func (r *room) status(run core.Run) core.RunStatus {
	r.t.Helper()
	found, err := r.store.Tables().Runs.ByID(r.t.Context(), run.ID)
	must(r.t, err)
	return found.Status
}

// neighbour is another workspace of the member.
func (r *room) neighbour() core.ID {
	r.t.Helper()
	other := core.Workspace{ID: core.NewID(), Name: "other", Slug: "other"}
	must(r.t, r.store.Tables().Workspaces.Create(r.t.Context(), other))
	must(r.t, r.store.Tables().Workspaces.PutMember(r.t.Context(), core.Membership{WorkspaceID: other.ID, UserID: r.member.UserID, Role: core.RoleMember}))
	return other.ID
}

func TestQueuedRunsOfOneWorkspaceDoNotHoldUpAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		greedy := r.neighbour()
		r.models = tenants{models{r}, greedy}
		service := r.open()
		var theirs []core.Run
		for i := range 50 {
			theirs = append(theirs, r.queueOf(greedy, core.Time(i)))
		}
		mine := r.queueOf(r.project.WorkspaceID, 1000)
		r.model.Say("done")
		must(t, service.Start(t.Context()))
		synctest.Wait()
		if got := r.status(mine); got != core.RunEnded {
			t.Errorf("got the run %s, want it to have ended while another workspace's hold their places", got)
		}
		if got := r.status(theirs[49]); got != core.RunQueued {
			t.Errorf("got the last run of the other workspace %s, want it queued still", got)
		}
		must(t, service.Close(t.Context()))
	})
}

func TestARunEndsWhenItHasTakenTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		greedy := r.neighbour()
		r.models = tenants{models{r}, greedy}
		service := r.open()
		run := r.queueOf(greedy, 1)
		must(t, service.Start(t.Context()))
		time.Sleep(chat.MaxRunTime - time.Minute)
		synctest.Wait()
		if got := r.status(run); got != core.RunRunning {
			t.Fatalf("got the run %s before its time is over, want it running", got)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := r.status(run); got != core.RunEnded {
			t.Fatalf("got the run %s after its time, want it ended", got)
		}
		must(t, service.Close(t.Context()))
	})
}

// bound gives a workspace a quota of runs at once.
func (r *room) bound(workspace core.ID, runs int64) {
	r.t.Helper()
	_, err := r.store.Tables().Workspaces.Update(r.t.Context(), workspace, func(w *core.Workspace) error {
		w.Quotas.Runs = runs
		return nil
	})
	must(r.t, err)
}

func TestQueuedRunsOverTheQuotaOfAWorkspaceWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		greedy := r.neighbour()
		r.models = tenants{models{r}, greedy}
		r.bound(greedy, 2)
		service := r.open()
		theirs := []core.Run{r.queueOf(greedy, 1), r.queueOf(greedy, 2), r.queueOf(greedy, 3)}
		mine := r.queueOf(r.project.WorkspaceID, 1000)
		r.model.Say("done")
		must(t, service.Start(t.Context()))
		want := func(when string, statuses ...core.RunStatus) {
			t.Helper()
			synctest.Wait()
			for i, run := range theirs {
				if got := r.status(run); got != statuses[i] {
					t.Errorf("%s: got the run %d %s, want it %s", when, i, got, statuses[i])
				}
			}
		}
		want("at first", core.RunRunning, core.RunRunning, core.RunQueued)
		if got := r.status(mine); got != core.RunEnded {
			t.Errorf("got the run of another workspace %s, want it to have ended", got)
		}
		must(t, service.Stop(t.Context(), r.member, theirs[0].ProjectID, theirs[0].ChatID))
		time.Sleep(5 * time.Second)
		want("once one is stopped", core.RunEnded, core.RunRunning, core.RunRunning)
		must(t, service.Close(t.Context()))
	})
}

func TestAMessageOverTheQuotaOfAWorkspaceIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.models = tenants{models{r}, r.project.WorkspaceID}
		r.bound(r.project.WorkspaceID, 1)
		service := r.open()
		busy := r.queueOf(r.project.WorkspaceID, 1)
		must(t, service.Start(t.Context()))
		synctest.Wait()
		message := chat.Message{ChatID: r.chat.ID, Text: "go", Detach: true}
		none := func(core.Event) error { return nil }
		if err := service.Send(t.Context(), r.member, r.project.ID, message, none); !core.IsCode(err, core.CodeConflict) {
			t.Errorf("got %v, want %s while the workspace's one run is at work", err, core.CodeConflict)
		}
		must(t, service.Stop(t.Context(), r.member, busy.ProjectID, busy.ChatID))
		synctest.Wait()
		r.models = models{r}
		leaving, cancel := context.WithCancel(t.Context())
		begun := make(chan error, 1)
		go func() {
			begun <- service.Send(leaving, r.member, r.project.ID, message, func(core.Event) error {
				cancel()
				return nil
			})
		}()
		if err := <-begun; core.IsCode(err, core.CodeConflict) {
			t.Errorf("got %v, want the message taken once the run has ended", err)
		}
		must(t, service.Close(t.Context()))
	})
}
