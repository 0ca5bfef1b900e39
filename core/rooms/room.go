package rooms

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// errClosed says that a room has closed meanwhile, and that there will be another.
var errClosed = errors.New("the room has closed")

// room is a project's room in this process.
type room struct {
	service *Service
	project core.ID

	// life ends when the room closes: after its last member, with the service, or
	// because it broke or is another process's now.
	life context.Context
	end  context.CancelFunc
	// gone is closed when all is saved and the room is no longer this process's.
	gone chan struct{}
	// ready is closed when notices are followed, or following has failed.
	ready chan struct{}
	fault error

	// opening is held while the document is read, saving by whose turn it is to write it.
	opening sync.Mutex
	saving  turn
	// edited wakes who saves.
	edited chan struct{}
	// events is only used by the goroutine that lives in the room.
	events eventlog

	mu       sync.Mutex
	closed   bool
	members  map[*Member]struct{}
	presence presence
	// late are members whose queue is or was full.
	late []*Member
	// answering are the members that are being sent what they asked for.
	answering map[*Member]bool
	// preview is how the preview was last, nil when nobody has said yet; asked says that
	// somebody was asked.
	preview *core.PreviewState
	asked   bool
	// text is the document, nil as long as nobody shares it.
	text *document
}

func newRoom(s *Service, project core.ID) *room {
	life, end := context.WithCancel(s.life)
	return &room{
		service: s, project: project, life: life, end: end,
		saving: make(turn, 1), gone: make(chan struct{}), ready: make(chan struct{}), edited: make(chan struct{}, 1), members: map[*Member]struct{}{},
		answering: map[*Member]bool{},
	}
}

// live follows the project until the room closes, and then sees to what has to be
// saved.
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

// close shows the members out and gives the room back, with everything saved.
func (r *room) close() {
	r.mu.Lock()
	r.closed = true
	for m := range r.members {
		m.dismiss(ErrMoved)
	}
	r.mu.Unlock()
	r.retire()
}

// admit makes somebody a member. It returns errClosed when the room is closing.
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
	err := r.enter(m)
	if err == nil && m.way == Events && r.isFirstFollower() {
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

func (r *room) enter(m *Member) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.life.Err() != nil {
		return errClosed
	}
	if err := r.makePlace(m); err != nil {
		return err
	}
	r.members[m] = struct{}{}
	if m.way == Documents {
		return nil
	}
	m.push(&Frame{Event: Welcome{ClientID: m.client, Peers: r.peers()}})
	if r.preview != nil {
		m.push(&Frame{Event: PreviewStatus{*r.preview}})
	}
	return r.show(m, []core.Awareness{{Client: m.client, Clock: 1, Value: awarenessOf(m.user, nil, nil, nil)}})
}

// isFirstFollower reports, once, that somebody follows events.
func (r *room) isFirstFollower() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.asked && r.preview == nil
	r.asked = true
	return first
}

// remove takes a member out of the room, which closes after the last.
func (r *room) remove(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.members[m]; !there {
		return
	}
	r.part(m)
	if len(r.members) == 0 {
		r.closed = true
		r.end()
	}
}

// part takes a member out of the room. The caller holds mu.
func (r *room) part(m *Member) {
	delete(r.members, m)
	r.answered(m)
	r.announce(r.presence.leave(m, r.service.deps.Now()))
}

// look sees whether members may still be there and do what they may, and whether
// clients are still there.
func (r *room) look(round int) {
	r.mu.Lock()
	now := r.service.deps.Now()
	r.announce(r.presence.expire(now))
	// Clients of a document take those for gone that say nothing for 30 seconds.
	if round%3 == 0 {
		r.renew(now)
	}
	members := slices.Collect(maps.Keys(r.members))
	r.mu.Unlock()
	_ = r.withText(func(d *document) error {
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

// check asks the gate anew. When it cannot tell, the member stays as it is.
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
		r.recall(m)
	}
}

// toDocuments queues a frame for all who hold a copy of the document. The caller holds
// mu.
func (r *room) toDocuments(frame *Frame) {
	for m := range r.members {
		if m.way == Documents {
			m.push(frame)
		}
	}
}

// toEvents queues an event for all who follow events, but one. The caller holds mu.
func (r *room) toEvents(event Event, but *Member) {
	frame := &Frame{Event: event}
	for m := range r.members {
		if m.way == Events && m != but {
			m.push(frame)
		}
	}
}

// tell is toEvents for callers that do not hold mu, for members of whom may is true. It
// waits for those who have much to read.
func (r *room) tell(event Event, may func(rights) bool) {
	defer r.pace()
	frame := &Frame{Event: event}
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range r.members {
		if m.way == Events && may(m.may()) {
			m.push(frame)
		}
	}
}

func everybody(rights) bool { return true }

// abandon closes the room without saving: it is another process's now.
func (r *room) abandon() {
	r.mu.Lock()
	r.closed = true
	if r.text != nil {
		r.text.lost = true
	}
	r.mu.Unlock()
	r.end()
}

func (r *room) isShared() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text != nil
}
