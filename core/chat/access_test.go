package chat_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

// join makes another member of the room's workspace.
func (r *room) join(email string) core.Actor {
	r.t.Helper()
	who := core.Actor{UserID: core.NewID()}
	tables := r.store.Tables()
	must(r.t, tables.Users.Create(r.t.Context(), core.User{ID: who.UserID, Email: email}))
	must(r.t, tables.Workspaces.PutMember(r.t.Context(), core.Membership{WorkspaceID: r.project.WorkspaceID, UserID: who.UserID, Role: core.RoleMember}))
	return who
}

func (r *room) expel(who core.Actor) {
	r.t.Helper()
	must(r.t, r.store.Tables().Members.Remove(r.t.Context(), r.project.WorkspaceID, who.UserID))
}

// begin sends a message that the model does not answer, and returns once the run
// has started.
func (r *room) begin(recorder *recorder) <-chan error {
	r.t.Helper()
	r.model.Hang(ai.Chunk{Text: "thinking"})
	done := make(chan error, 1)
	go func() {
		done <- r.service.Send(r.t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go", Detach: true}, recorder.emit)
	}()
	recorder.until(r.t, core.EventMessageDelta)
	return done
}

// watch follows the chat as somebody else, and returns once it sees the run.
func (r *room) watch(who core.Actor) (*recorder, <-chan error) {
	r.t.Helper()
	follower, err := r.service.Follow(r.t.Context(), who, r.project.ID, r.chat.ID, 0)
	must(r.t, err)
	recorder, done := newRecorder(), make(chan error, 1)
	go func() { done <- follower.Run(r.t.Context(), recorder.emit) }()
	recorder.until(r.t, core.EventMessageDelta)
	return recorder, done
}

// wantGone waits for a stream to end because access was lost.
func wantGone(t *testing.T, done <-chan error, within time.Duration) {
	t.Helper()
	start := time.Now()
	err := <-done
	if took := time.Since(start); !core.IsCode(err, core.CodeNotFound) || took > within {
		t.Errorf("got %v after %s, want the stream ended within %s", err, took, within)
	}
}

func TestAFormerMembersStreamEndsWithinTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.begin(newRecorder())
		guest := r.join("guest@example.com")
		_, done := r.watch(guest)
		_, stays := r.watch(r.join("other@example.com"))
		r.expel(guest)
		wantGone(t, done, 10*time.Second)
		synctest.Wait()
		if len(stays) != 0 {
			t.Errorf("got %v, want the stream of a member to go on", <-stays)
		}
	})
}

func TestAFormerMembersStreamEndsAtOnceWhenItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.begin(newRecorder())
		guest := r.join("guest@example.com")
		_, done := r.watch(guest)
		r.expel(guest)
		must(t, r.bus.Publish(t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: r.project.ID}))
		wantGone(t, done, 0)
	})
}

func TestAFormerMembersRunEndsWithinTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		sender := newRecorder()
		done := r.begin(sender)
		watching, _ := r.watch(r.join("guest@example.com"))
		r.expel(r.member)
		start := time.Now()
		last := watching.until(t, core.EventTaskComplete).Payload
		if took := time.Since(start); !isStopped(last) || took > 10*time.Second {
			t.Errorf("got %+v after %s, want the run stopped within 10 s", last, took)
		}
		<-done
	})
}

func TestAFormerMembersQueuedRunNeverReachesTheModel(t *testing.T) {
	r := newRoom(t)
	guest := r.join("guest@example.com")
	r.queue()
	r.expel(r.member)
	must(t, r.service.Start(t.Context()))
	follower, err := r.service.Follow(t.Context(), guest, r.project.ID, r.chat.ID, 0)
	must(t, err)
	must(t, follower.Run(t.Context(), newRecorder().emit))
	r.checkLog("user.message session.task_complete")
	if asked := r.model.Requests(); len(asked) != 0 {
		t.Errorf("got %d model calls, want none", len(asked))
	}
}

func TestStopOfEndsThePersonsRunsAndNoOthers(t *testing.T) {
	r := newRoom(t)
	guest := r.join("guest@example.com")
	done := r.begin(newRecorder())
	queued, err := r.service.Create(t.Context(), guest, r.project.ID, chat.NewChat{Mode: core.ModeBuild})
	must(t, err)
	run := core.Run{
		ID: core.NewID(), ChatID: queued.ID, ProjectID: r.project.ID, WorkspaceID: r.project.WorkspaceID, UserID: guest.UserID,
		Status: core.RunQueued, Text: "later", Detached: true,
	}
	must(t, r.store.Tables().Runs.Create(t.Context(), run))
	must(t, r.service.StopOf(t.Context(), r.project.ID, guest.UserID))
	if ended, err := r.store.Tables().Runs.ByID(t.Context(), run.ID); err != nil || ended.Busy() {
		t.Errorf("got %+v, %v, want the queued run ended", ended, err)
	}
	if other, err := r.store.Tables().Runs.Busy(t.Context(), r.chat.ID); err != nil || other.StopRequested {
		t.Fatalf("got %+v, %v, want the run of somebody else to go on", other, err)
	}
	must(t, r.service.StopOf(t.Context(), r.project.ID, r.member.UserID))
	must(t, <-done)
	if events := r.log(); !isStopped(events[len(events)-1].Payload) {
		t.Errorf("got %s, want the run stopped", types(events))
	}
	must(t, r.service.StopOf(t.Context(), r.project.ID, r.member.UserID))
}
