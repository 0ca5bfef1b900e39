package cluster

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ws "github.com/coder/websocket"
	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/replica"
)

// patience bounds the wait for an event. callTime bounds the wait for an answer, which a
// suspended process never gives.
const (
	patience = 2 * time.Minute
	callTime = 5 * time.Second
)

var index = core.MustPath("index.html")

// cluster is what the processes of a test share.
type cluster struct {
	t      *testing.T
	binary string
	env    []string
	// root is the file system that the processes see, projects the projects' folder in it.
	root, projects string
	// first is the process by whose address people know the service.
	first *process.Service
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := prepare(t)
	c.first = c.serve()
	return c
}

// prepare creates a cluster without starting a process.
func prepare(t *testing.T) *cluster {
	t.Helper()
	nats := os.Getenv("ATELIER_TEST_NATS")
	if nats == "" {
		t.Fatal("ATELIER_TEST_NATS is not set: run `make test`, which starts a NATS server for the tests")
	}
	shared := t.TempDir()
	projects := filepath.Join(shared, "projects")
	return &cluster{t: t, binary: process.Build(t), root: "/", projects: projects, env: []string{
		"DATABASE_URL=" + database(t), "NATS_URL=" + nats, "NATS_PREFIX=test-" + string(core.NewID()),
		"PROJECTS_ROOT=" + projects, "SITES_DIR=" + filepath.Join(shared, "sites"),
		"JWT_SECRET=" + strings.Repeat("s", 64), "ENCRYPTION_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
		// What is silent here must count as gone soon.
		"COLLAB_EMBEDDED=off", "PACE=1",
	}}
}

// database makes a schema of the test's own.
func database(t *testing.T) string {
	t.Helper()
	server := os.Getenv("ATELIER_TEST_POSTGRES")
	if server == "" {
		t.Fatal("ATELIER_TEST_POSTGRES is not set: run `make test`, which starts a PostgreSQL server for the tests")
	}
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	schema := "cluster_" + strings.ReplaceAll(string(core.NewID()), "-", "")
	if _, err := admin.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
		_ = admin.Close(ctx)
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	options := address.Query()
	options.Set("search_path", schema)
	address.RawQuery = options.Encode()
	return address.String()
}

// ahead lets the database's clock go ahead of this machine's, as all processes see it: the
// schema's own clock comes before that of PostgreSQL.
func (c *cluster) ahead(hours int) {
	c.t.Helper()
	address, err := url.Parse(c.setting("DATABASE_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, address.String())
	if err != nil {
		c.t.Fatal(err)
	}
	defer admin.Close(ctx)
	_, err = admin.Exec(ctx, fmt.Sprintf("CREATE FUNCTION clock_timestamp() RETURNS timestamptz "+
		"LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '%d hours' $$", hours))
	if err != nil {
		c.t.Fatal(err)
	}
	options := address.Query()
	options.Set("search_path", options.Get("search_path")+",pg_catalog")
	address.RawQuery = options.Encode()
	c.env = append(c.env, "DATABASE_URL="+address.String())
}

// serve starts a process that answers for everything but the rooms. Settings of its own
// come before those of all.
func (c *cluster) serve(own ...string) *process.Service {
	c.t.Helper()
	return process.Start(c.t, c.binary, c.known(own)...)
}

// rooms starts a process with the rooms.
func (c *cluster) rooms(own ...string) *process.Service {
	c.t.Helper()
	return process.StartRooms(c.t, c.binary, c.known(own)...)
}

// known is the environment of a process, which knows the service's address.
func (c *cluster) known(own []string) []string {
	if c.first == nil {
		return append(slices.Clone(c.env), own...)
	}
	return append(append(slices.Clone(c.env), "APP_URL="+c.first.URL), own...)
}

// setting returns the settings that all processes share.
func (c *cluster) setting(name string) string {
	for _, setting := range c.env {
		if value, is := strings.CutPrefix(setting, name+"="); is {
			return value
		}
	}
	c.t.Fatalf("got no setting %s", name)
	return ""
}

// caller is somebody with an account and a project.
type caller struct {
	t       *testing.T
	token   string
	project core.ID
	chat    core.ID
}

func (c *cluster) signUp() *caller {
	c.t.Helper()
	who := &caller{t: c.t}
	var account struct {
		AccessToken string
		Workspace   core.Workspace
	}
	body := map[string]string{"email": "p" + string(core.NewID()) + "@example.com", "password": "long enough"}
	who.call(c.first, http.StatusCreated, http.MethodPost, "/auth/signup", toJSON(c.t, body), &account)
	who.token = account.AccessToken
	var project core.Project
	who.call(c.first, http.StatusCreated, http.MethodPost, "/workspaces/"+string(account.Workspace.ID)+"/projects", `{"name":"Shop","template":"blank"}`, &project)
	who.project = project.ID
	var chats struct{ Items []core.Chat }
	who.call(c.first, http.StatusOK, http.MethodGet, "/projects/"+string(project.ID)+"/chats", "", &chats)
	who.chat = chats.Items[0].ID
	return who
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// call asks one of the processes, and holds its answer to a status.
func (who *caller) call(at *process.Service, status int, method, path, body string, into any) []byte {
	who.t.Helper()
	request, err := http.NewRequestWithContext(who.t.Context(), method, at.URL+path, strings.NewReader(body))
	if err != nil {
		who.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if who.token != "" {
		request.Header.Set("Authorization", "Bearer "+who.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		who.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		who.t.Fatalf("%s %s: got %d %.300s, %v, want %d", method, path, response.StatusCode, text, err, status)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			who.t.Fatal(err)
		}
	}
	return text
}

func (who *caller) file(path core.ProjectPath) string {
	return "/projects/" + string(who.project) + "/files/" + path.String()
}

// read returns a file as one of the processes has it.
func (who *caller) read(at *process.Service, path core.ProjectPath) string {
	who.t.Helper()
	return string(who.call(at, http.StatusOK, http.MethodGet, who.file(path), "", nil))
}

func (who *caller) write(at *process.Service, path core.ProjectPath, content string) {
	who.t.Helper()
	who.call(at, http.StatusOK, http.MethodPut, who.file(path), content, nil)
}

// dial opens a socket in the project's room.
func (who *caller) dial(at *process.Service, protocols ...string) *ws.Conn {
	who.t.Helper()
	socket, err := who.tryDial(at, protocols...)
	if err != nil {
		who.t.Fatal(err)
	}
	who.t.Cleanup(func() { _ = socket.CloseNow() })
	return socket
}

func (who *caller) tryDial(at *process.Service, protocols ...string) (*ws.Conn, error) {
	return who.dialWithin(callTime, at, protocols...)
}

// dialWithin opens the room on a process, unless that takes longer than d.
func (who *caller) dialWithin(d time.Duration, at *process.Service, protocols ...string) (*ws.Conn, error) {
	address := strings.Replace(at.URL, "http", "ws", 1) + "/ws/project/" + string(who.project)
	socket, _, err := ws.Dial(who.t.Context(), address, &ws.DialOptions{
		HTTPClient: &http.Client{Timeout: d}, Subprotocols: protocols, HTTPHeader: http.Header{"Authorization": {"Bearer " + who.token}},
	})
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(-1)
	return socket, nil
}

// wait waits until something is so.
func wait(t *testing.T, what string, is func() bool) {
	t.Helper()
	conformance.Eventually(t, what, is)
}

// listens waits until somebody does at an address.
func listens(t *testing.T, who, address string) {
	t.Helper()
	wait(t, who+" at "+address, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// copy is somebody's copy of the project's document.
type copy struct {
	who *caller
	mu  sync.Mutex
	doc replica.Document
	// socket is nil while the copy is away.
	socket *ws.Conn
	gone   chan struct{}
}

func (who *caller) copy() *copy {
	who.t.Helper()
	doc, err := yjs.Maker{}.Open(nil)
	if err != nil {
		who.t.Fatal(err)
	}
	return &copy{who: who, doc: doc}
}

// connect opens the room at a process, and sends what was typed meanwhile.
func (c *copy) connect(at *process.Service) {
	c.who.t.Helper()
	wait(c.who.t, "the room open", func() bool { return c.tryConnect(at) == nil })
}

func (c *copy) tryConnect(at *process.Service) (err error) {
	if c.socket, err = c.who.tryDial(at); err != nil {
		return err
	}
	c.gone = make(chan struct{})
	go c.listen(c.socket, c.gone)
	c.mu.Lock()
	vector := c.doc.StateVector()
	c.mu.Unlock()
	c.send(syncStep1, vector)
	return nil
}

// The steps of y-websocket's protocol that a copy takes. Its messages are numbers, and
// bytes with their length in front.
const (
	messageSync = 0
	syncStep1   = 0
	syncStep2   = 1
	syncUpdate  = 2
)

func (c *copy) send(step byte, body []byte) {
	frame := append(binary.AppendUvarint([]byte{messageSync, step}, uint64(len(body))), body...)
	_ = c.socket.Write(c.who.t.Context(), ws.MessageBinary, frame)
}

func (c *copy) listen(socket *ws.Conn, gone chan struct{}) {
	defer close(gone)
	for {
		_, frame, err := socket.Read(context.Background())
		if err != nil {
			return
		}
		if frame[0] == messageSync {
			_, length := binary.Uvarint(frame[2:])
			c.hear(frame[1], frame[2+length:])
		}
	}
}

func (c *copy) hear(step byte, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if step == syncStep1 {
		missing, err := c.doc.Encode(body)
		if err != nil {
			panic(err)
		}
		c.send(syncStep2, missing)
		return
	}
	if _, err := c.doc.Apply(body); err != nil {
		panic(err)
	}
}

// types puts a text in front of a file's.
func (c *copy) types(path core.ProjectPath, text string) {
	c.who.t.Helper()
	c.mu.Lock()
	change, err := c.doc.Edit(path, []replica.Edit{{Insert: text}})
	c.mu.Unlock()
	if err != nil {
		c.who.t.Fatal(err)
	}
	if c.socket != nil {
		c.send(syncUpdate, change.Update)
	}
}

func (c *copy) text(path core.ProjectPath) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, _ := c.doc.Text(path)
	return text
}

func (c *copy) sees(path core.ProjectPath, part string) {
	c.who.t.Helper()
	wait(c.who.t, fmt.Sprintf("%q in %s", part, path), func() bool { return strings.Contains(c.text(path), part) })
}

// nextEvent returns the next event of a socket that follows them.
func nextEvent(t *testing.T, socket *ws.Conn) string {
	t.Helper()
	_, frame, err := socket.Read(conformance.Bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(frame)
}
