package websocket

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/core/streams"
)

// Deps is what a Handler works with. Log gets what goes wrong behind clients' backs.
type Deps struct {
	Rooms *rooms.Service
	// Streams has the places of sockets; nil bounds nothing.
	Streams *streams.Budget
	Now     func() time.Time
	Log     *slog.Logger
}

// Handler serves sockets.
type Handler struct {
	deps  Deps
	texts texts
	tasks sync.WaitGroup
}

// New returns a handler without sockets.
func New(d Deps) *Handler { return &Handler{deps: d} }

// Serve makes the request's connection a socket in the project's room, for a caller who
// may do core.ActionFileRead by what they presented, and returns when it is one; the
// socket lasts beyond the request. An error means that nothing was answered yet. It has
// code core.CodeInvalidRequest for a request that opens no WebSocket or offers no
// subprotocol that is spoken here, core.CodeUnavailable when the process has no place for
// the socket, else it is that of rooms.Service.Join. Who has too many streams already, or
// finds no place in the room, has a socket that ends at once.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, by core.Actor, project core.ID) error {
	// A client may have its socket before the tasks of the socket have begun.
	h.tasks.Add(1)
	defer h.tasks.Done()
	if err := checkHandshake(r); err != nil {
		return err
	}
	protocol, err := chooseProtocol(r)
	if err != nil {
		return err
	}
	way := rooms.Documents
	if protocol == eventProtocol {
		way = rooms.Events
	}
	member, full := h.join(r.Context(), by, project, way)
	if full != nil && !core.IsCode(full, core.CodeRateLimited) {
		return full
	}
	out := &hijacker{ResponseWriter: w}
	conn, err := websocket.Accept(out, r, &websocket.AcceptOptions{
		Subprotocols: []string{protocol},
		// Who may come from which origin was decided with who calls.
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
	})
	switch {
	case err != nil:
		// The answer has begun, and the connection is as good as gone.
		h.deps.Log.Warn("socket was not opened", "project", project, "error", err)
		if full == nil {
			member.leave()
		}
	case full != nil:
		h.tasks.Go(func() { turnAway(conn, out.line, full, way) })
	default:
		h.begin(&socket{conn: conn, line: out.line, member: member.Member, leaves: member.leave, log: h.deps.Log, project: project, way: way}, by.Until)
	}
	return nil
}

// guest is a member of a room who has a place in the process.
type guest struct {
	*rooms.Member
	done func()
}

// leave gives both back.
func (g guest) leave() {
	g.Leave()
	g.done()
}

// join takes a place in the process for the caller, and one in the room.
func (h *Handler) join(ctx context.Context, by core.Actor, project core.ID, way rooms.Way) (guest, error) {
	done, err := h.deps.Streams.Open(by.UserID)
	if err != nil {
		return guest{}, err
	}
	member, err := h.deps.Rooms.Join(ctx, by, project, way)
	if err != nil {
		done()
		return guest{}, err
	}
	return guest{member, done}, nil
}

// turnAway ends the socket of a client that finds no place in the room. Pages see why a
// socket ended, and never the answer of one that did not open.
func turnAway(conn *websocket.Conn, line *line, why error, way rooms.Way) {
	line.last(closeTime)
	_ = conn.Close(closing(why, way))
}

// begin lets a socket run.
func (h *Handler) begin(s *socket, until core.Time) {
	// What is too long is answered in ways that the library does not know.
	s.conn.SetReadLimit(-1)
	s.talk = &documents{s}
	if s.way == rooms.Events {
		s.talk = &events{socket: s, now: h.deps.Now, texts: &h.texts}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if until > 0 {
		s.expiry = time.AfterFunc(until.Std().Sub(h.deps.Now()), s.expire)
	}
	s.pings = time.AfterFunc(pingEvery, s.ping)
	h.tasks.Go(func() { s.guarded(s.read) })
	h.tasks.Go(func() { s.guarded(s.write) })
}

// Wait waits until all sockets have ended, as they do when the rooms close. It returns
// ctx's error when ctx ends first.
func (h *Handler) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		h.tasks.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
