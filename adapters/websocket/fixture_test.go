package websocket_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/websocket"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// house is a workspace with a project whose rooms accept sockets.
type house struct {
	t        testing.TB
	store    *memory.Store
	pipeline *files.Pipeline
	rooms    *rooms.Service
	handler  *websocket.Handler
	server   *http.Server
	listener net.Listener
	connect  func(network, address string) (net.Conn, error)
	client   *http.Client
	log      *conformance.Log
	space    core.ID
	project  core.ID
	owner    core.Actor

	mu       sync.Mutex
	standing error
	callers  map[string]core.Actor
}

const page = "<!doctype html>\n<h1>one</h1>\n"

var index = core.MustPath("index.html")

func newHouse(t testing.TB) *house {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return newHouseAt(t, listener, net.Dial)
}

// newHouseAt is a house behind a listener, which dial reaches.
func newHouseAt(t testing.TB, listener net.Listener, dial func(network, address string) (net.Conn, error)) *house {
	t.Helper()
	trees, bus, unsaved := memory.NewTrees(), memory.NewBus(), memory.NewUnsaved()
	h := &house{t: t, store: memory.NewStore(), space: core.NewID(), callers: map[string]core.Actor{}, log: &conformance.Log{}}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	h.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: h.store, Bus: bus,
		Unsaved: unsaved, Locks: memory.NewLocks(), Now: time.Now, Log: log,
	})
	ctx, tables := context.Background(), h.store.Tables()
	h.must(tables.Workspaces.Create(ctx, core.Workspace{ID: h.space, Name: "Space", Slug: "space"}))
	h.owner = h.person("owner", core.RoleOwner)
	h.build()
	h.rooms = rooms.New(rooms.Deps{
		Store: h.store, Gate: access.NewGate(h.store), Reader: h.pipeline.Reader, Writer: h.pipeline.Writer, Documents: yjs.Maker{}, Bus: bus, Unsaved: unsaved,
		Standing: func(context.Context, core.Actor) error { return h.stands() }, Now: time.Now, Log: log,
		MaxFileBytes: 25 << 20, Present: func(project core.Project) projects.View { return projects.View{Project: project} },
		Exclusive: true,
	})
	h.handler = websocket.New(websocket.Deps{Rooms: h.rooms, Now: time.Now, Log: log})
	h.server, h.listener, h.connect = &http.Server{Handler: http.HandlerFunc(h.serve)}, listener, dial
	h.client = &http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, network, address string) (net.Conn, error) { return dial(network, address) }}}
	go h.server.Serve(listener)
	t.Cleanup(h.close)
	return h
}

// serve does what the API does: it identifies the caller, here by name, and renders errors.
func (h *house) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	by := h.callers[r.URL.Query().Get("token")]
	h.mu.Unlock()
	project := core.ID(strings.TrimPrefix(r.URL.Path, "/ws/project/"))
	if err := h.handler.Serve(w, r, by, project); err != nil {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, core.CodeOf(err), ": ", err)
	}
}

// build makes a project with a page, which is the house's from now on.
func (h *house) build() {
	h.t.Helper()
	ctx, tables := context.Background(), h.store.Tables()
	h.project = core.NewID()
	commit := vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "owner"}}
	rows, err := h.pipeline.Create(ctx, h.project, fstest.MapFS{"index.html": {Data: []byte(page)}}, commit)
	h.must(err)
	h.must(tables.Projects.Create(ctx, core.Project{
		ID: h.project, WorkspaceID: h.space, Slug: string(h.project), Name: "shop", Visibility: core.VisibilityPublic, CreatedBy: h.owner.UserID,
	}))
	_, err = tables.Files.Apply(ctx, h.project, storage.FileDelta{Put: rows})
	h.must(err)
}

func (h *house) stands() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.standing
}

func (h *house) endSessions(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standing = why
}

func (h *house) close() {
	closed, ctx := make(chan error, 1), context.Background()
	go func() { closed <- errors.Join(h.rooms.Close(ctx), h.handler.Wait(ctx)) }()
	if err := conformance.Await(h.t, "the end of rooms and sockets", closed); err != nil {
		h.t.Errorf("rooms and sockets did not close: %v", err)
	}
	h.client.CloseIdleConnections()
	h.server.Close()
	if log := h.log.String(); strings.Contains(log, "socket failed") {
		h.t.Errorf("got the log\n%s", log)
	}
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// person creates a user with a role in the workspace. The token is the name.
func (h *house) person(name string, role core.Role) core.Actor {
	h.t.Helper()
	id := core.NewID()
	h.must(h.store.Tables().Users.Create(context.Background(), core.User{ID: id, Email: name + "@example.com"}))
	if role != core.RoleNone {
		h.must(h.store.Tables().Workspaces.PutMember(context.Background(), core.Membership{WorkspaceID: h.space, UserID: id, Role: role}))
	}
	by := core.Actor{UserID: id}
	h.admit(name, by)
	return by
}

func (h *house) admit(token string, by core.Actor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.callers[token] = by
}

// hide takes the project from everybody but the workspace's administrators.
func (h *house) hide() {
	h.t.Helper()
	_, err := h.store.Tables().Projects.Update(context.Background(), h.project, func(p *core.Project) error {
		p.Visibility = core.VisibilityPrivate
		return nil
	})
	h.must(err)
}

func (h *house) address(token string) string {
	return "http://" + h.listener.Addr().String() + "/ws/project/" + string(h.project) + "?token=" + token
}

// write changes a file as the API and the agent do.
func (h *house) write(path core.ProjectPath, content string) {
	h.t.Helper()
	change := core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(content)}
	results, err := h.pipeline.Apply(context.Background(), h.project, core.Author{Kind: core.AuthorAgent, Name: "agent"}, []core.FileChange{change}, nil)
	h.must(err)
	h.must(results[0].Err)
}

// dial opens a socket as somebody.
func (h *house) dial(token string, protocols ...string) *ws.Conn {
	h.t.Helper()
	conn, response, err := ws.Dial(h.t.Context(), h.address(token), &ws.DialOptions{HTTPClient: h.client, Subprotocols: protocols})
	if err != nil {
		h.t.Fatalf("dial: %v, %+v", err, response)
	}
	conn.SetReadLimit(-1)
	h.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// wantClosed reads until the socket ends, and wants a code.
func (h *house) wantClosed(what string, conn *ws.Conn, want ws.StatusCode) {
	h.t.Helper()
	ctx := conformance.Bounded(h.t)
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			if got := ws.CloseStatus(err); got != want {
				h.t.Errorf("%s: got closed with %v (%v), want %v", what, got, err, want)
			}
			return
		}
	}
}

// eventually waits until something is true.
func (h *house) eventually(what string, is func() bool) {
	h.t.Helper()
	conformance.Eventually(h.t, what, is)
}

// raw opens a socket by hand, for clients that do not keep to the protocol.
func (h *house) raw(token string, header ...string) net.Conn {
	h.t.Helper()
	conn, err := h.connect("tcp", h.listener.Addr().String())
	h.must(err)
	h.t.Cleanup(func() { conn.Close() })
	if tcp, ok := conn.(*net.TCPConn); ok {
		h.must(tcp.SetReadBuffer(64 << 10))
	}
	_, err = fmt.Fprintf(conn, "GET /ws/project/%s?token=%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n", h.project, token, strings.TrimPrefix(strings.Join(append(header, ""), "\r\n"), "\r\n"))
	h.must(err)
	head := make([]byte, 0, 512)
	for !strings.HasSuffix(string(head), "\r\n\r\n") {
		var one [1]byte
		_, err := io.ReadFull(conn, one[:])
		h.must(err)
		head = append(head, one[0])
	}
	if !strings.HasPrefix(string(head), "HTTP/1.1 101") {
		h.t.Fatalf("got %q, want 101", head)
	}
	return conn
}
