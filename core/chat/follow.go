package chat

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// followPage is how many stored events are read at a time.
const followPage = 500

// recheck is how often a follower reads the log and checks its access without a notice: it
// bounds the delay after a lost notice. Loss of access ends a stream within 10 seconds.
const recheck = 8 * time.Second

// Follower sends one chat's events to one client, in order and without a gap. Thousands may wait
// at a time, so it keeps as little memory as it can.
type Follower struct {
	service       *Service
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

// Follow returns a follower that replays a chat's events after the given seq and then follows
// the active run. Its errors are those of access.
func (s *Service) Follow(ctx context.Context, by core.Actor, project, chat core.ID, after int64) (*Follower, error) {
	if _, _, err := chatIn(ctx, s.store.Tables(), by, project, chat); err != nil {
		return nil, err
	}
	return &Follower{service: s, by: by, project: project, chat: chat, last: after}, nil
}

// Run sends the events in the log to emit, then new ones, until the active run or the service
// ends. It returns nil then, emit's error, ctx's, or that of access once the caller has lost it.
// Its end does not cancel the run; its resources are freed when ctx ends.
func (f *Follower) Run(ctx context.Context, emit func(core.Event) error) error {
	f.emit = emit
	if f.service.beginFollowing() {
		defer f.service.following.Done()
	}
	// Following begins before reading, so that no event is missed.
	notices, err := f.service.bus.Follow(ctx, f.project)
	if err != nil {
		return err
	}
	timer := time.NewTicker(recheck)
	defer timer.Stop()
	for {
		// Checked before reading: once the service is over, everything that the last run stored
		// can be read.
		over := f.service.isOver()
		done, err := f.catchUp(ctx)
		if done || over || err != nil {
			return err
		}
		f.ended = false
		if err := f.live(ctx, notices, timer.C); err != nil || f.ended {
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
	_, err := f.service.gate.Project(ctx, f.by, core.ActionChat, f.project)
	return err
}

// beginFollowing counts a follower, unless the service is over: then the follower only reads
// what is stored.
func (s *Service) beginFollowing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isOver() {
		return false
	}
	s.following.Add(1)
	return true
}

// endFollowing tells the followers that there will be no more events.
func (s *Service) endFollowing() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.over)
}

// isOver reports whether the service's runs produce no more events.
func (s *Service) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// catchUp sends the stored events and reports whether the stream ends there. A chat becomes idle
// in the transaction that stores the run's last event, so one more read after finding it idle
// sees everything. If that read finds the beginning of a new run, the stream continues.
func (f *Follower) catchUp(ctx context.Context) (bool, error) {
	if err := f.read(ctx); err != nil || f.oneRun && f.ended {
		return true, err
	}
	run, err := f.service.store.Tables().Runs.Busy(ctx, f.chat)
	if err == nil && f.service.isLost(run) {
		return true, f.sendUnstored()
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
		events, err := f.service.store.Tables().Events.Read(ctx, f.chat, storage.EventRange{After: f.last, Limit: followPage})
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

// live sends events from notices. It returns if a notice shows a gap or a possible change of
// access, if the run ends, or when it is time to read the log again.
func (f *Follower) live(ctx context.Context, notices <-chan *core.Notice, again <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again:
			return nil
		case <-f.service.over:
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
