package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

// The reasons for which a run is cancelled.
var (
	errClientGone = errors.New("the client closed the connection")
	errStopped    = errors.New("somebody stopped the run")
	errClosing    = errors.New("the process is stopping")
	errTaken      = errors.New("another process goes on with the run")
)

// Times of a run's lease: how long a process may be silent before its runs count
// as cut off, and how often it gives word.
const (
	lease = 15 * time.Second
	beat  = 5 * time.Second
)

// activeRun is a run that this process works on.
type activeRun struct {
	cancel context.CancelCauseFunc
}

// launch starts to work on a run in a goroutine of its own; one that was resumed
// goes on from where its log ends. after is called when the work is over.
func (s *Service) launch(run core.Run, after func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s.mu.Lock()
	s.active[run.ID] = &activeRun{cancel}
	s.mu.Unlock()
	stopWithService := context.AfterFunc(s.life, func() { cancel(errClosing) })
	s.tasks.Go(func() {
		defer after()
		defer cancel(nil)
		defer stopWithService()
		defer s.forget(run.ID)
		s.work(ctx, run)
	})
}

func (s *Service) forget(run core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, run)
}

// cancel ends a run of this process for the given reason. It reports whether
// there is one.
func (s *Service) cancel(run core.ID, reason error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	active, found := s.active[run]
	if found {
		active.cancel(reason)
	}
	return found
}

// work carries out a run from its first model call to its last event.
func (s *Service) work(ctx context.Context, run core.Run) {
	watch, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	// Following begins before the work, so that no stop request is missed.
	notices, err := s.bus.Follow(watch, run.ProjectID)
	if err != nil {
		s.log.WarnContext(ctx, "stop requests are only polled", "run", run.ID, "error", err)
	}
	go s.watch(watch, run, notices)
	// Events and the commit are stored also when the run was cancelled.
	durable := context.WithoutCancel(ctx)
	journal := newJournal(func(batch []core.Payload) error { return s.appendEvents(durable, run, batch) })
	outcome, err := s.converse(ctx, run, journal)
	if flushed := journal.flush(); err == nil {
		err = flushed
	}
	if err := s.conclude(ctx, run, outcome, err); err != nil {
		s.log.ErrorContext(ctx, "run could not be ended", "run", run.ID, "error", err)
	}
}

// conclude ends a run that this process worked on, or leaves it to whoever resumes
// it. What ends here is stored although ctx is over.
func (s *Service) conclude(ctx context.Context, run core.Run, outcome agent.Outcome, failure error) error {
	durable := context.WithoutCancel(ctx)
	cause := context.Cause(ctx)
	switch {
	case failure != nil && errors.Is(cause, errTaken):
		return nil
	case failure != nil && errors.Is(cause, errClosing) && run.Resumable():
		return s.requeue(durable, run)
	}
	return s.finish(durable, run, s.lastEvent(ctx, run, outcome.Reason, failure))
}

// converse lets the agent work on the run.
func (s *Service) converse(ctx context.Context, run core.Run, journal *journal) (outcome agent.Outcome, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("the run panicked: %v", problem)
		}
	}()
	if !s.mayGoOn(ctx, run) {
		return agent.Outcome{}, context.Cause(ctx)
	}
	task, err := s.task(ctx, run, journal)
	if err != nil {
		return agent.Outcome{}, err
	}
	outcome, err = s.agent.Run(ctx, task)
	if err == nil && outcome.Plan != nil {
		err = s.keepPlan(ctx, run, outcome.Plan)
	}
	return outcome, err
}

// task gathers what the agent works with.
func (s *Service) task(ctx context.Context, run core.Run, journal *journal) (agent.Task, error) {
	chat, err := s.store.Tables().Chats.ByID(ctx, run.ChatID)
	if err != nil {
		return agent.Task{}, err
	}
	mode := cmp.Or(run.Mode, chat.Mode)
	defined, err := s.definedMode(ctx, run, mode)
	if err != nil {
		return agent.Task{}, err
	}
	choice, err := s.choose(ctx, run, defined)
	if err != nil {
		return agent.Task{}, err
	}
	history, err := s.history(ctx, run.ChatID)
	if err != nil {
		return agent.Task{}, err
	}
	images, err := s.images(ctx, choice, history)
	if err != nil {
		return agent.Task{}, err
	}
	return agent.Task{
		Mode: mode, Defined: defined, Provider: choice.Provider, Model: choice.Model,
		Context: choice.ContextTokens, SetsWindow: choice.Kind == core.ProviderOllama, Structured: choice.Capabilities.Schema,
		Desk: runDesk{s.desks.Desk(run.ProjectID), s, run, journal.flush}, History: history, Images: images, Summary: chat.Summary,
		Resume: run.ResumedAt > 0, Intent: run.Intent,
		Meter: s.models.Meter(run, choice), Record: journal.record,
		Intend:   func(ctx context.Context, intent core.Intent) error { return s.intend(ctx, run, journal, intent) },
		Remember: func(ctx context.Context, summary core.Summary) error { return s.remember(ctx, run, summary) },
	}, nil
}

// choose finds out who answers. The model of a mode is one of the workspace's, so
// it means nothing to somebody's own subscription.
func (s *Service) choose(ctx context.Context, run core.Run, defined *core.Mode) (Choice, error) {
	if run.OwnProvider {
		return s.models.ChooseOwn(ctx, run.UserID, run.Model)
	}
	wanted := run.Model
	if wanted == "" && defined != nil && defined.Model != nil {
		wanted = *defined.Model
	}
	return s.models.Choose(ctx, run.WorkspaceID, wanted)
}

// definedMode returns what the run's workspace made of a mode, nil when that is
// built in or a mere word.
func (s *Service) definedMode(ctx context.Context, run core.Run, name string) (*core.Mode, error) {
	if core.IsBuiltInMode(name) {
		return nil, nil
	}
	mode, err := s.store.Tables().Modes.ByName(ctx, run.WorkspaceID, name)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, nil
	}
	return &mode, err
}

// mayGoOn reports whether the person who started a run may still use its chat, and
// cancels the run when not. A database that does not answer takes nothing away.
func (s *Service) mayGoOn(ctx context.Context, run core.Run) bool {
	_, err := s.gate.Project(ctx, core.Actor{UserID: run.UserID}, core.ActionChat, run.ProjectID)
	if !lostAccess(err) {
		return true
	}
	s.cancel(run.ID, errStopped)
	return false
}

// lostAccess tells an answer of the gate from a failure to ask it.
func lostAccess(err error) bool {
	return core.IsCode(err, core.CodeNotFound) || core.IsCode(err, core.CodeForbidden)
}

// Choice is the model that answers a message.
type Choice struct {
	Provider ai.Provider
	Model    string
	// ContextTokens is the model's window, 0 when it is not known.
	ContextTokens int
	// Capabilities is what is known of the model. Provider speaks its dialect.
	Capabilities core.ProviderCapabilities
	Kind         core.ProviderKind
	// Own says that the sender pays, not the workspace.
	Own bool
}

// historyLimit bounds how much of a chat's log the conversation is rebuilt from.
const historyLimit = 5000

// history returns the newest part of a chat's log.
func (s *Service) history(ctx context.Context, chat core.ID) ([]core.Event, error) {
	return s.store.Tables().Events.Read(ctx, chat, storage.EventRange{Limit: historyLimit, Newest: true})
}

// lastEvent says how the run ended.
func (s *Service) lastEvent(ctx context.Context, run core.Run, reason core.CompletionReason, err error) core.Payload {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		if errors.Is(cause, errClosing) {
			return core.SessionError{Error: core.CodeInterrupted, Message: "The service was stopped. What was done so far is kept: write again to let me go on."}
		}
		return core.TaskComplete{Reason: core.ReasonStopped}
	}
	switch code := core.CodeOf(err); code {
	case "":
		return core.TaskComplete{Reason: reason}
	case core.CodeNoProvider, core.CodeCreditExhausted, core.CodeModelUnavailable:
		var known *core.Error
		errors.As(err, &known)
		return core.SessionError{Error: code, Message: known.Message}
	}
	s.log.ErrorContext(ctx, "run failed", "run", run.ID, "error", err)
	return core.SessionError{Error: core.CodeInternal, Message: "Something went wrong on our side. What was done so far is kept; run " + string(run.ID) + "."}
}

// hold changes the row of a run that this process works on. It returns errTaken when
// the run is no longer this process's.
func (s *Service) hold(ctx context.Context, run core.Run, change func(*core.Run)) (core.Run, error) {
	return s.store.Tables().Runs.Update(ctx, run.ID, func(r *core.Run) error {
		if r.Owner != s.owner || r.Status != core.RunRunning {
			return errTaken
		}
		change(r)
		return nil
	})
}

// intend stores what a tool call is about to change, once the call itself stands in
// the log: after a crash both or neither are there.
func (s *Service) intend(ctx context.Context, run core.Run, journal *journal, intent core.Intent) error {
	if err := journal.flush(); err != nil {
		return err
	}
	_, err := s.hold(ctx, run, func(r *core.Run) { r.Intent = &intent })
	if errors.Is(err, errTaken) {
		s.cancel(run.ID, errTaken)
	}
	return err
}

// remember stores what the beginning of the chat was summarised to.
func (s *Service) remember(ctx context.Context, run core.Run, summary core.Summary) error {
	_, err := s.store.Tables().Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
		chat.Summary = &summary
		return nil
	})
	return err
}

// keepPlan makes a plan the chat's.
func (s *Service) keepPlan(ctx context.Context, run core.Run, plan *core.Plan) error {
	_, err := s.store.Tables().Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
		chat.Plan = plan
		return nil
	})
	return err
}

// finish commits what the run changed and ends it. It returns core.CodeConflict
// when another process has ended it already.
func (s *Service) finish(ctx context.Context, run core.Run, last core.Payload) error {
	payloads := []core.Payload{last}
	version, changed, err := s.commit(ctx, run)
	if err != nil {
		s.log.ErrorContext(ctx, "run could not be committed", "run", run.ID, "error", err)
	}
	if changed {
		payloads = []core.Payload{core.VersionCreated{VersionID: version.ID, FilesChanged: version.FilesChanged}, last}
	}
	return s.end(ctx, run, payloads)
}

// commit makes the run's version, of what its row says by now that it changed.
func (s *Service) commit(ctx context.Context, run core.Run) (core.Version, bool, error) {
	current, err := s.store.Tables().Runs.ByID(ctx, run.ID)
	if err != nil {
		return core.Version{}, false, err
	}
	return s.desks.Commit(ctx, current, commitMessage(run.Text))
}

// end stores a run's last events and makes its chat idle, in one transaction:
// whoever has read the last event may write again. A run that has got another status
// or owner since it was read has code core.CodeConflict.
func (s *Service) end(ctx context.Context, run core.Run, payloads []core.Payload) error {
	var events []core.Event
	err := s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		now := core.At(s.now())
		_, err := tables.Runs.Update(ctx, run.ID, func(r *core.Run) error {
			if r.Status != run.Status || r.Owner != run.Owner {
				return core.Errorf(core.CodeConflict, "the run is %s, and another's", r.Status)
			}
			r.Status, r.EndedAt = core.RunEnded, &now
			return nil
		})
		if err != nil {
			return err
		}
		events, err = tables.Events.Append(ctx, run.ChatID, now, payloads)
		return err
	})
	if err != nil {
		return err
	}
	s.announce(ctx, run, events)
	return nil
}

// maxCommitSubject is how much of a message goes into the version's first line.
const maxCommitSubject = 72

// commitMessage is the first line of what the person asked for.
func commitMessage(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if utf8.RuneCountInString(line) <= maxCommitSubject {
		return line
	}
	return string([]rune(line)[:maxCommitSubject-1]) + "…"
}

// watch keeps the run's lease, and ends the run when another process asks for
// it.
func (s *Service) watch(ctx context.Context, run core.Run, notices <-chan *core.Notice) {
	if stored, err := s.store.Tables().Runs.ByID(ctx, run.ID); err == nil && stored.StopRequested {
		s.cancel(run.ID, errStopped)
	}
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case notice, open := <-notices:
			if !open {
				notices = nil
				continue
			}
			if notice.Kind == core.NoticeRunStop && notice.RunID == run.ID {
				s.cancel(run.ID, errStopped)
			}
		case <-ticker.C:
			s.renew(ctx, run)
		}
	}
}

// renew extends the lease, looks for a stop request that no notice brought, and
// ends the run of somebody who may not use the chat any more.
func (s *Service) renew(ctx context.Context, run core.Run) {
	renewed, err := s.hold(ctx, run, func(r *core.Run) { r.LeaseUntil = core.At(s.now()).Add(lease) })
	if errors.Is(err, errTaken) {
		s.cancel(run.ID, errTaken)
		return
	}
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "lease was not renewed", "run", run.ID, "error", err)
	}
	if renewed.StopRequested {
		s.cancel(run.ID, errStopped)
	}
	s.mayGoOn(ctx, run)
}
