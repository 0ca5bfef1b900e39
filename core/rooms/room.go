package rooms

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// errClosed says that the room has closed meanwhile; the caller opens another.
var errClosed = errors.New("the room has closed")

// scope is shared by all parts of a room.
type scope struct {
	// deps are those of the service, with a log that names the project.
	deps    Deps
	claims  *claims
	project core.ID
	// life ends when the room closes: after its last member, with the service, if it
	// broke, or if another process has claimed it.
	life  context.Context
	end   context.CancelFunc
	state lockedState
}

func newScope(s *Service, project core.ID) *scope {
	deps := s.deps
	deps.Log = deps.Log.With("project", project)
	life, end := context.WithCancel(s.life)
	return &scope{
		deps: deps, claims: s.claims, project: project, life: life, end: end,
		state: lockedState{state: state{life: life, end: end, now: deps.Now, log: deps.Log, members: members{seats: map[*Member]*seat{}, lateTime: deps.Pace.Of(lateTime)}}},
	}
}

// room is a project's room in this process.
type room struct {
	*scope
	opener     *opener
	saver      *saver
	rewriter   *rewriter
	follower   *follower
	gatekeeper *gatekeeper

	// gone is closed when everything is saved and this process has released its claim.
	gone chan struct{}
	// ready is closed when notices are followed, or following has failed with fault.
	ready chan struct{}
	fault error
}

func newRoom(in *scope) *room {
	disk, gatekeeper := &disk{in}, &gatekeeper{in}
	saver := newSaver(in, disk)
	rewriter := &rewriter{scope: in, saver: saver}
	return &room{
		scope: in, saver: saver, rewriter: rewriter, gatekeeper: gatekeeper,
		opener:   &opener{scope: in, disk: disk, saver: saver, rewriter: rewriter},
		follower: &follower{scope: in, disk: disk, saver: saver, gatekeeper: gatekeeper},
		gone:     make(chan struct{}), ready: make(chan struct{}),
	}
}

// live follows the project until the room closes, and then saves the remaining edits.
func (r *room) live() {
	notices, err := r.follower.begin()
	r.fault = err
	close(r.ready)
	if err != nil {
		r.end()
	}
	var saving sync.WaitGroup
	saving.Go(r.saver.run)
	r.listen(notices)
	saving.Wait()
	r.state.lock().close()
	r.state.unlock()
	r.saver.close()
}

func (r *room) listen(notices <-chan *core.Notice) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for round := 0; ; {
		select {
		case <-r.life.Done():
			return
		case notice, open := <-notices:
			if !open {
				return
			}
			r.follower.hear(notice)
		case <-ticker.C:
			round++
			r.look(round)
			r.follower.retry()
		}
	}
}

// admit adds a member. It returns errClosed if the room is closing.
func (r *room) admit(ctx context.Context, m *Member) error {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.fault != nil {
		return r.fault
	}
	m.room = r
	first, err := r.join(m)
	if first {
		r.follower.askPreview(ctx)
	}
	if err == nil && m.way == Documents {
		err = r.opener.open(ctx)
	}
	if err != nil && !errors.Is(err, errClosed) {
		m.Leave()
	}
	return err
}

// join adds a member to the state. first is true once, for the first member that follows
// events.
func (r *room) join(m *Member) (first bool, err error) {
	s := r.state.lock()
	defer r.state.unlock()
	if err := s.join(m); err != nil {
		return false, err
	}
	return m.way == Events && s.isFirstFollower(), nil
}

// look removes clients that have expired, lets a quiet document rest, and checks what
// members may do.
func (r *room) look(round int) {
	s := r.state.lock()
	s.announce(s.presence.expire(s.now()))
	if round%3 == 0 {
		s.repeat()
	}
	r.state.unlock()
	_ = r.state.withDocument(func(d *document) error { d.rest(); return nil })
	r.rewriter.rewriteIdle()
	r.gatekeeper.checkAll()
}
