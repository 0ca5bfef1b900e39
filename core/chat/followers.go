package chat

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// followPage is how many stored events are read at a time.
const followPage = 500

// pollInterval is how often a follower reads the log and checks its access without a notice: it
// bounds the delay after a lost notice. Loss of access ends a stream within 10 seconds.
const pollInterval = 8 * time.Second

// Followers are the clients that follow chats.
type Followers struct {
	*process
	gate *access.Gate

	mu sync.Mutex
	// over is closed when the runs of this process produce no more events.
	over chan struct{}
	// open counts the followers that began before over was closed.
	open sync.WaitGroup
}

// Follow returns a follower that replays a chat's events after the given seq and then follows
// the active run. Its errors are those of access.
func (f *Followers) Follow(ctx context.Context, by core.Actor, project, chat core.ID, after int64) (*Follower, error) {
	if _, _, err := chatIn(ctx, f.store.Tables(), by, project, chat); err != nil {
		return nil, err
	}
	return &Follower{all: f, by: by, project: project, chat: chat, last: after}, nil
}

// enter counts a follower, unless the runs are over: then the follower only reads what is
// stored.
func (f *Followers) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.areOver() {
		return false
	}
	f.open.Add(1)
	return true
}

// end tells the followers that there will be no more events, and waits until each has sent
// what is stored.
func (f *Followers) end() {
	f.mu.Lock()
	if !f.areOver() {
		close(f.over)
	}
	f.mu.Unlock()
	f.open.Wait()
}

// areOver reports whether the runs of this process produce no more events.
func (f *Followers) areOver() bool {
	select {
	case <-f.over:
		return true
	default:
		return false
	}
}

// isLost reports whether the fate of a run is unknown: its end could not be stored here, or
// another process should have taken it over long ago.
func (f *Followers) isLost(run core.Run) bool {
	return f.lost.has(run.ID) || !f.active.has(run.ID) && f.leases.isAbandoned(run)
}

// Follower sends one chat's events to one client, in order and without a gap. Thousands may wait
// at a time, so it keeps as little memory as it can.
type Follower struct {
	all           *Followers
	by            core.Actor
	project, chat core.ID
	last          int64
	emit          func(core.Event) error
	// oneRun ends the stream at the first event that ends a run, even if it was read from the
	// log.
	oneRun bool
	// ended says that the last event sent was the last of its run.
	ended bool
}

// Run sends the events in the log to emit, then new ones, until the active run or the service
// ends. It returns nil then, emit's error, ctx's, or that of access once the caller has lost it.
// Its end does not cancel the run; its resources are freed when ctx ends.
func (f *Follower) Run(ctx context.Context, emit func(core.Event) error) error {
	f.emit = emit
	if f.all.enter() {
		defer f.all.open.Done()
	}
	// Following begins before reading, so that no event is missed.
	notices, err := f.all.bus.Follow(ctx, f.project)
	if err != nil {
		return err
	}
	timer := time.NewTicker(pollInterval)
	defer timer.Stop()
	for {
		// Checked before reading: once the runs are over, everything that the last one stored
		// can be read.
		over := f.all.areOver()
		done, err := f.catchUp(ctx)
		if done || over || err != nil {
			return err
		}
		f.ended = false
		if err := f.relay(ctx, notices, timer.C); err != nil || f.ended {
			return err
		}
		if err := f.mayFollow(ctx); lostAccess(err) {
			return err
		}
	}
}

// mayFollow asks the gate whether the caller may still read the chat. It is not inlined: the
// project that the gate returns would enlarge Run's stack frame while it waits.
//
//go:noinline
func (f *Follower) mayFollow(ctx context.Context) error {
	_, err := f.all.gate.Project(ctx, f.by, core.ActionChat, f.project)
	return err
}

// catchUp sends the stored events and reports whether the stream ends there. A chat becomes idle
// in the transaction that stores the run's last event, so one more read after finding it idle
// sees everything. If that read finds the beginning of a new run, the stream continues.
func (f *Follower) catchUp(ctx context.Context) (bool, error) {
	if err := f.read(ctx); err != nil || f.oneRun && f.ended {
		return true, err
	}
	run, err := f.all.store.Tables().Runs.Busy(ctx, f.chat)
	if err == nil && f.all.isLost(run) {
		return true, f.sendStorageFailure()
	}
	if !core.IsCode(err, core.CodeNotFound) {
		return false, err
	}
	before := f.last
	err = f.read(ctx)
	return err != nil || f.last == before || f.ended, err
}

// read sends the stored events after f.last.
func (f *Follower) read(ctx context.Context) error {
	for {
		events, err := f.all.store.Tables().Events.Read(ctx, f.chat, storage.EventRange{After: f.last, Limit: followPage})
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := f.send(event); err != nil || f.oneRun && f.ended {
				return err
			}
		}
		if len(events) < followPage {
			return nil
		}
	}
}

// relay sends events from notices. It returns if a notice shows a gap or a possible change of
// access, if the run ends, or when it is time to read the log again.
func (f *Follower) relay(ctx context.Context, notices <-chan *core.Notice, again <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again:
			return nil
		case <-f.all.over:
			return nil
		case notice, open := <-notices:
			if !open || notice.Kind == core.NoticeLagged || notice.Kind == core.NoticeProject {
				return ctx.Err()
			}
			if notice.Kind != core.NoticeChatEvent || notice.ChatID != f.chat || notice.Event.Seq <= f.last {
				continue
			}
			if notice.Event.Seq > f.last+1 {
				return nil
			}
			if err := f.send(*notice.Event); err != nil || f.ended {
				return err
			}
		}
	}
}

func (f *Follower) send(event core.Event) error {
	if err := f.emit(event); err != nil {
		return err
	}
	f.last, f.ended = event.Seq, event.Ends()
	return nil
}

// storageFailure is the last event of a stream whose run's end cannot be stored. It is in no
// log and has no seq: clients that ask later read the actual outcome.
var storageFailure = core.SessionError{
	Error:   core.CodeInternal,
	Message: "This chat cannot be saved at the moment: the service's disk may be full. Everything saved so far is kept; open the chat again later.",
}

// sendStorageFailure ends a stream whose run is lost.
func (f *Follower) sendStorageFailure() error {
	f.ended = true
	return f.emit(core.Event{CreatedAt: core.At(f.all.now()), Payload: storageFailure})
}
