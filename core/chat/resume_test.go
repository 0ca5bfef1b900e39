package chat_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

// append adds events to the room's chat, as the process that died did.
func (r *room) append(payloads ...core.Payload) {
	r.t.Helper()
	_, err := r.store.Tables().Events.Append(r.t.Context(), r.chat.ID, core.At(time.Now()), payloads)
	must(r.t, err)
}

// ended follows the chat to the end of the run that was resumed.
func (r *room) ended() {
	r.t.Helper()
	must(r.t, r.service.Start(r.t.Context()))
	must(r.t, r.follow(0, newRecorder().emit))
}

func TestARunThatNobodyWaitsForGoesOnAfterACrash(t *testing.T) {
	r := newRoom(t)
	r.cutOff(true)
	r.append(core.UserMessage{Text: "from the queue"}, core.MessageDelta{Delta: "I wi"})
	r.model.Say("I will.")
	r.ended()
	r.checkLog("user.message assistant.message_delta assistant.message assistant.message_delta session.usage_info assistant.message session.task_complete")
	if asked := r.model.Requests()[0].Messages; len(asked) != 1 || asked[0].Text != "from the queue" {
		t.Errorf("got %+v, want the question alone, asked once more", asked)
	}
}

func TestAResumedRunCarriesOutWhatWasNotAnsweredAndNothingTwice(t *testing.T) {
	r := newRoom(t)
	r.cutOff(true)
	r.append(
		core.UserMessage{Text: "from the queue"},
		core.ToolCall{ID: "1", Tool: "write_file", Args: []byte(`{"path":"a.txt","content":"a"}`)},
		core.ToolCall{ID: "2", Tool: "list_files", Args: []byte(`{}`)},
		core.UsageInfo{InputTokens: 1}, core.FileChanged{Path: "a.txt", Action: core.FileCreated}, core.ToolResult{ID: "1", Result: "a.txt created."},
	)
	r.model.Say("Made.")
	r.ended()
	r.checkLog("user.message tool.call tool.call session.usage_info file.changed tool.result tool.result " +
		"assistant.message_delta session.usage_info assistant.message session.step session.task_complete")
	if asked := r.model.Requests()[0].Messages; len(asked) != 4 || asked[3].CallID != "2" {
		t.Errorf("got %+v, want both results", asked)
	}
	r.projects.mu.Lock()
	defer r.projects.mu.Unlock()
	if r.projects.changed {
		t.Error("got a second write, want none")
	}
}

func TestTheDiskIsLookedAtBeforeACutOffRunGoesOnOrEnds(t *testing.T) {
	for _, detached := range []bool{true, false} {
		r := newRoom(t)
		r.cutOff(detached)
		r.append(core.UserMessage{Text: "from the queue"}, core.ToolCall{ID: "1", Tool: "run_command", Args: []byte(`{"command":"make"}`)})
		r.model.Say("done")
		r.ended()
		r.projects.mu.Lock()
		if got := r.projects.caughtUp; len(got) != 1 || got[0] != r.project.ID {
			t.Errorf("detached %t: got %v looked at, want the run's project once", detached, got)
		}
		r.projects.mu.Unlock()
	}
}

func TestARunThatWasStoppedBeforeACrashIsStopped(t *testing.T) {
	r := newRoom(t)
	run := r.cutOff(true)
	_, err := r.store.Tables().Runs.Update(t.Context(), run.ID, func(run *core.Run) error {
		run.StopRequested = true
		return nil
	})
	must(t, err)
	r.append(core.UserMessage{Text: "from the queue"})
	must(t, r.service.Start(t.Context()))
	r.checkLog("user.message session.task_complete")
}

func TestARunThatGetsNoFurtherIsNotResumedForEver(t *testing.T) {
	for name, c := range map[string]struct {
		since core.Payload
		want  string
	}{
		"nothing since the third time": {core.MessageDelta{Delta: "I wi"}, "user.message assistant.message_delta session.error"},
		"a step since the third time": {core.UsageInfo{},
			"user.message session.usage_info assistant.message_delta session.usage_info assistant.message session.task_complete"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			run := r.cutOff(true)
			r.append(core.UserMessage{Text: "from the queue"}, c.since)
			_, err := r.store.Tables().Runs.Update(t.Context(), run.ID, func(run *core.Run) error {
				run.Resumes, run.ResumedAt = 3, 1
				return nil
			})
			must(t, err)
			r.model.Say("done")
			r.ended()
			r.checkLog(c.want)
		})
	}
}

func TestCloseLeavesADetachedRunToTheNextStart(t *testing.T) {
	r := newRoom(t)
	r.model.Hang(ai.Chunk{Text: "half"})
	recorder := newRecorder()
	done := make(chan error, 1)
	go func() {
		done <- r.service.Send(t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go", Detach: true}, recorder.emit)
	}()
	recorder.until(t, core.EventMessageDelta)
	must(t, r.service.Close(t.Context()))
	must(t, <-done)
	r.service = r.open()
	r.model.Say("whole")
	r.ended()
	r.checkLog("user.message assistant.message_delta assistant.message session.usage_info assistant.message_delta session.usage_info assistant.message session.task_complete")
}
