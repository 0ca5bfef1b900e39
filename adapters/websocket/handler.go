package websocket

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/core/streams"
)

// Deps are the dependencies of a Handler. Log receives failures that no client sees.
type Deps struct {
	Rooms *rooms.Service
	// Streams bounds the sockets of the process; nil is no bound.
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

// Serve upgrades the request to a socket in the project's room. The caller must be
// allowed core.ActionFileRead by the presented credentials. Serve returns once the socket
// is open; the socket outlives the request. After an error nothing has been answered yet.
// The error has code core.CodeInvalidRequest if the request is no WebSocket handshake or
// offers no known subprotocol. It has core.CodeUnavailable if the process has no place
// for the socket, else it is that of rooms.Service.Join. A caller with too many streams,
// or without a place in the room, gets a socket that is closed immediately.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, by core.Actor, project core.ID) error {
	// A client may have its socket before the socket's goroutines have begun.
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
		// The origin was already checked together with the credentials.
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
	})
	switch {
	case err != nil:
		// The handshake has begun, and the connection is probably lost.
		h.deps.Log.Warn("could not open a socket", "project", project, "error", err)
		if full == nil {
			member.leave()
		}
	case full != nil:
		h.tasks.Go(func() { turnAway(conn, out.conn, full, way) })
	default:
		h.begin(&socket{conn: conn, raw: out.conn, member: member.Member, onLeave: member.leave, log: h.deps.Log, project: project, way: way}, by.Until)
	}
	return nil
}

// guest is a member of a room with a place in the process.
type guest struct {
	*rooms.Member
	done func()
}

// leave releases both.
func (g guest) leave() {
	g.Leave()
	g.done()
}

// join takes a place in the process for the caller, and one in the room.
func (h *Handler) join(ctx context.Context, by core.Actor, project core.ID, way rooms.Protocol) (guest, error) {
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

// turnAway closes the socket of a client without a place in the room. Pages can see why a
// socket closed, but not the answer to a failed handshake.
func turnAway(conn *websocket.Conn, raw *deadlineConn, why error, way rooms.Protocol) {
	raw.setFinalDeadline(closeTime)
	_ = conn.Close(closing(why, way))
}

// begin starts a socket's goroutines.
func (h *Handler) begin(s *socket, until core.Time) {
	// Messages that are too long are answered in ways that the library does not support.
	s.conn.SetReadLimit(-1)
	s.protocol = &documents{s}
	if s.way == rooms.Events {
		s.protocol = &events{socket: s, now: h.deps.Now, texts: &h.texts}
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

// Wait waits until all sockets have ended, which they do when the rooms close. It returns
// ctx's error if ctx ends first.
func (h *Handler) Wait(ctx context.Context) error {
	return ctxsync.Wait(ctx, &h.tasks)
}
