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
	edited chan struct{}
	// events is only used by the room's own goroutine (live).
	events eventlog

	mu       sync.Mutex
	closed   bool
	members  map[*Member]struct{}
	presence presence
	// late are members whose queue is or was full.
	late []*Member
	// replying are the members that are being sent a sync reply.
	replying map[*Member]bool
	// preview is the last state of the preview, nil if unknown; asked says that it was
	// asked for.
	preview *core.PreviewState
	asked   bool
	// text is the document, nil until the first member opens it.
	text *document
}

func newRoom(s *Service, project core.ID) *room {
	life, end := context.WithCancel(s.life)
	return &room{
		service: s, project: project, life: life, end: end,
		saving: ctxsync.NewMutex(), gone: make(chan struct{}), ready: make(chan struct{}), edited: make(chan struct{}, 1), members: map[*Member]struct{}{},
		replying: map[*Member]bool{},
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
	r.mu.Lock()
	r.closed = true
	for m := range r.members {
		m.dismiss(ErrMoved)
	}
	r.mu.Unlock()
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

// isFirstFollower returns true once, for the first member that follows events.
func (r *room) isFirstFollower() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.asked && r.preview == nil
	r.asked = true
	return first
}

// remove removes a member; the room closes after the last.
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

// part removes a member. The caller holds mu.
func (r *room) part(m *Member) {
	delete(r.members, m)
	r.replied(m)
	r.announce(r.presence.leave(m, r.service.deps.Now()))
}

// look checks whether members may still be in the room and what they may do, and
// removes clients that have expired.
func (r *room) look(round int) {
	r.mu.Lock()
	now := r.service.deps.Now()
	r.announce(r.presence.expire(now))
	// Clients of a document drop others that are silent for 30 seconds.
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
		r.resync(m)
	}
}

// toDocuments queues a frame for all members that hold the document. The caller holds
// mu.
func (r *room) toDocuments(frame *Frame) {
	for m := range r.members {
		if m.way == Documents {
			m.push(frame)
		}
	}
}

// toEvents queues an event for all members that follow events, except but. The caller
// holds mu.
func (r *room) toEvents(event Event, but *Member) {
	frame := &Frame{Event: event}
	for m := range r.members {
		if m.way == Events && m != but {
			m.push(frame)
		}
	}
}

// tell is toEvents for callers that do not hold mu, for members whose rights satisfy
// may. It waits for members with a full queue.
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

// abandon closes the room without saving, because another process has claimed it.
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
