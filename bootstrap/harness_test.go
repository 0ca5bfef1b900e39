package bootstrap_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
)

// site is a running service and where it answers.
type site struct {
	t    testing.TB
	app  *bootstrap.App
	url  string
	http *http.Client
}

// assemble makes the program of one injector.
type assemble func(context.Context, settings.Settings, *slog.Logger) (*bootstrap.App, func(), error)

// program is one that the stories are played against.
type program struct {
	make assemble
	// env adds settings.
	env func(testing.TB) map[string]string
}

func (p program) serve(t testing.TB) *site {
	t.Helper()
	return serve(t, t.TempDir(), p.make, p.env(t))
}

// programs are all that the stories are played against.
func programs() map[string]program {
	none := func(testing.TB) map[string]string { return nil }
	return map[string]program{
		"local":               {local.New, none},
		"local on PostgreSQL": {local.New, postgres},
		"inmemory":            {inmemory.New, none},
	}
}

// postgres is a schema of its own on the server that the test command brings.
func postgres(t testing.TB) map[string]string {
	t.Helper()
	server := os.Getenv("ATELIER_TEST_POSTGRES")
	if server == "" {
		t.Fatal("ATELIER_TEST_POSTGRES is not set: run `make test`, which starts a PostgreSQL server for the tests")
	}
	admin, err := pgx.Connect(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	schema := "e2e_" + strings.ReplaceAll(string(core.NewID()), "-", "")
	if _, err := admin.Exec(context.Background(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := admin.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
		if err := errors.Join(err, admin.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	options := address.Query()
	options.Set("search_path", schema)
	address.RawQuery = options.Encode()
	return map[string]string{"DATABASE_URL": address.String()}
}

// serve starts a program with its data in dir. Rate limits, and how many workspaces a
// person may own, are off unless env
// sets them.
func serve(t testing.TB, dir string, make assemble, env map[string]string) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	values := map[string]string{
		"DATA_DIR": dir, "AI_PROVIDER": "demo", "THUMBNAILS": "off", "RATE_LIMIT_PER_MINUTE": "0", "AUTH_RATE_LIMIT_PER_MINUTE": "0", "MAX_WORKSPACES_PER_PERSON": "0",
		"APP_URL": fmt.Sprintf("http://localhost:%d", port), "APP_DOMAIN": fmt.Sprintf("localhost:%d", port),
		// Nobody answers there, so that no test asks name servers of the internet.
		"DNS_RESOLVER": "127.0.0.1:9",
	}
	for name, value := range env {
		values[name] = value
	}
	s, err := settings.Read(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := datadir.FillSecrets(&s); err != nil {
		t.Fatal(err)
	}
	app, release, err := make(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: app}}
	server.Start()
	t.Cleanup(func() {
		if err := app.StopRuns(context.Background()); err != nil {
			t.Errorf("runs did not stop: %v", err)
		}
		server.CloseClientConnections()
		server.Close()
		if err := app.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		release()
	})
	return &site{t: t, app: app, url: values["APP_URL"], http: localClient()}
}

// localClient resolves the names below localhost as browsers do.
func localClient() *http.Client {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// caller is somebody who uses the service.
type caller struct {
	*site
	token     string
	user      core.User
	workspace core.ID
}

var signUps atomic.Int64

// signUp makes an account.
func (s *site) signUp() *caller {
	s.t.Helper()
	c := &caller{site: s}
	var answer struct {
		User        core.User
		Workspace   core.Workspace
		AccessToken string
	}
	body := map[string]string{"email": fmt.Sprintf("p%d@example.com", signUps.Add(1)), "password": "long enough"}
	c.must(http.StatusCreated, http.MethodPost, "/auth/signup", body, &answer)
	c.token, c.user, c.workspace = answer.AccessToken, answer.User, answer.Workspace.ID
	return c
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// code is the error code of an answer, "" without one.
func (a answer) code() core.Code {
	var body struct{ Error core.Code }
	_ = json.Unmarshal(a.body, &body)
	return body.Error
}

// do sends a request. A body that is no io.Reader is sent as JSON.
func (c *caller) do(method, path string, body any, header ...string) answer {
	c.t.Helper()
	response := c.open(c.t.Context(), method, path, body, header...)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{response.StatusCode, response.Header, content}
}

// open sends a request and leaves the answer's body to the caller. A body that is an
// io.Reader may name its ContentType.
func (c *caller) open(ctx context.Context, method, path string, body any, header ...string) *http.Response {
	c.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = c.url + path
	}
	content, isReader := body.(io.Reader)
	if body != nil && !isReader {
		text, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		c.t.Fatal(err)
	}
	if body != nil && !isReader {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if typed, ok := body.(interface{ ContentType() string }); ok {
		request.Header.Set("Content-Type", typed.ContentType())
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.described().Do(request)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// must is do with the status that has to come back; into, when given, takes the
// JSON.
func (c *caller) must(status int, method, path string, body, into any) answer {
	c.t.Helper()
	got := c.do(method, path, body)
	if got.status != status {
		c.t.Fatalf("%s %s: got %d %.500s, want %d", method, path, got.status, got.body, status)
	}
	if into != nil {
		if err := json.Unmarshal(got.body, into); err != nil {
			c.t.Fatalf("%s %s: %v in %.200s", method, path, err, got.body)
		}
	}
	return got
}

// work is a project and its default chat.
type work struct {
	*caller
	core.Project
	chat core.ID
}

// create makes a project from a template.
func (c *caller) create(template string) *work {
	c.t.Helper()
	w := &work{caller: c}
	c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.workspace)+"/projects", map[string]string{"name": "Work", "template": template}, &w.Project)
	var chats struct{ Items []core.Chat }
	c.must(http.StatusOK, http.MethodGet, w.path("/chats"), nil, &chats)
	w.chat = chats.Items[0].ID
	return w
}

func (w *work) path(rest string) string { return "/projects/" + string(w.ID) + rest }

// event is one event of a stream: its id, and its data.
type event struct {
	id   string
	data map[string]any
}

func (e event) kind() string {
	kind, _ := e.data["type"].(string)
	return kind
}

// events reads a stream to its end.
func events(t testing.TB, body io.Reader) []event {
	t.Helper()
	var all []event
	each(t, body, func(e event) bool { all = append(all, e); return true })
	return all
}

// each calls take for every event until it returns false or the stream ends.
func each(t testing.TB, body io.Reader, take func(event) bool) {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	var e event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e.data); err != nil {
				t.Fatalf("an event is no JSON: %v in %.200s", err, value)
			}
			if !take(e) {
				return
			}
			e = event{}
		}
	}
}

// send sends a message and reads its stream to the end.
func (w *work) send(text string) []event {
	w.t.Helper()
	response := w.open(w.t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]string{"chatId": string(w.chat), "text": text})
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		w.t.Fatalf("message: got %d %s", response.StatusCode, content)
	}
	return events(w.t, response.Body)
}

func kinds(all []event) string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.kind()
	}
	return strings.Join(names, " ")
}

// fetch gets a page of a preview or a published site, without any token.
func (s *site) fetch(address string) answer {
	s.t.Helper()
	return (&caller{site: s}).do(http.MethodGet, address, nil)
}

func query(values ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		q.Set(values[i], values[i+1])
	}
	return "?" + q.Encode()
}

func projectDir(dir string, project core.ID) string {
	return filepath.Join(dir, "projects", string(project))
}
