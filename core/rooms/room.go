package rooms

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// errClosed says that the room has closed meanwhile; the caller opens another.
var errClosed = errors.New("the room has closed")

// room is a project's room in this process.
type room struct {
	service *Service
	project core.ID

	// life ends when the room closes: after its last member, with the service, if it
	// broke, or if another process has claimed it.
	life context.Context
	end  context.CancelFunc
	// gone is closed when everything is saved and this process has released its claim.
	gone chan struct{}
	// ready is closed when notices are followed, or following has failed.
	ready chan struct{}
	fault error

	// opening is held while the document is read, saving while it is written.
	opening sync.Mutex
	saving  *ctxsync.Mutex
	// edited wakes the goroutine that saves.
	edited signal
	// events is only used by the room's own goroutine (live).
	events eventlog

	state guarded
}

func newRoom(s *Service, project core.ID) *room {
	life, end := context.WithCancel(s.life)
	return &room{
		service: s, project: project, life: life, end: end,
		saving: ctxsync.NewMutex(), gone: make(chan struct{}), ready: make(chan struct{}), edited: newSignal(),
		state: guarded{state: state{
			life: life, end: end, now: s.deps.Now, log: s.deps.Log.With("project", project),
			members: members{seats: map[*Member]*seat{}},
		}},
	}
}

// live follows the project until the room closes, and then saves what is left.
func (r *room) live() {
	defer close(r.gone)
	defer r.service.forget(r)
	notices, err := r.service.deps.Bus.Follow(r.life, r.project)
	if err == nil {
		err = r.events.begin(r)
	}
	r.fault = err
	close(r.ready)
	if err != nil {
		r.end()
	}
	var saver sync.WaitGroup
	saver.Go(r.keepSaved)
	r.listen(notices)
	saver.Wait()
	r.close()
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
			r.hear(notice)
		case <-ticker.C:
			round++
			r.look(round)
			if r.events.behind {
				r.hear(&core.Notice{Kind: core.NoticeLagged, ProjectID: r.project})
			}
		}
	}
}

// close dismisses the members, saves everything and releases the claim of the room.
func (r *room) close() {
	r.state.lock().close()
	r.state.unlock()
	r.retire()
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
		r.askPreview(ctx)
	}
	if err == nil && m.way == Documents {
		err = r.share(ctx)
	}
	if err != nil && !errors.Is(err, errClosed) {
		m.Leave()
	}
	return err
}

func (r *room) join(m *Member) (first bool, err error) {
	s := r.state.lock()
	defer r.state.unlock()
	if err := s.join(m); err != nil {
		return false, err
	}
	return m.way == Events && s.isFirstFollower(), nil
}

// look checks whether members may still be in the room and what they may do, and
// removes clients that have expired.
func (r *room) look(round int) {
	s := r.state.lock()
	now := s.now()
	s.announce(s.presence.expire(now))
	if round%3 == 0 {
		s.repeat()
	}
	members := slices.Collect(maps.Keys(s.members.seats))
	r.state.unlock()
	_ = r.state.withDocument(func(d *document) error {
		if d.isQuiet(now) {
			d.doc.Rest()
			d.unknown, d.former = d.unknown || d.former != nil, nil
		}
		return nil
	})
	r.renewQuietly()
	for _, m := range members {
		r.check(m)
	}
}

// check asks the gate again. If the gate cannot answer, nothing changes for the member.
func (r *room) check(m *Member) {
	if r.life.Err() != nil {
		return
	}
	if err := r.service.deps.Standing(r.life, m.actor); core.IsCode(err, core.CodeUnauthenticated) || core.IsCode(err, core.CodeTokenExpired) {
		m.dismiss(err)
		return
	}
	may, err := r.service.rightsOf(r.life, m.actor, r.project)
	if refused(err) {
		m.dismiss(ErrLostAccess)
		return
	}
	if err == nil && m.allow(may) {
		m.resync()
	}
}
