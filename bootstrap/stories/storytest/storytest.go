package storytest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
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

// Site is a running service and where it answers.
type Site struct {
	T      testing.TB
	App    *bootstrap.App
	URL    string
	Client *http.Client
}

// Assemble assembles the program of one injector.
type Assemble func(context.Context, settings.Settings, *slog.Logger) (*bootstrap.App, func(), error)

// Program is one that the stories are played against.
type Program struct {
	Make Assemble
	// Env adds settings.
	Env func(testing.TB) map[string]string
}

// Serve starts the program on fresh data.
func (p Program) Serve(t testing.TB) *Site {
	t.Helper()
	return Serve(t, t.TempDir(), p.Make, p.Env(t))
}

// Programs are all that the stories are played against.
func Programs() map[string]Program {
	none := func(testing.TB) map[string]string { return nil }
	return map[string]Program{
		"local":               {local.New, none},
		"local on PostgreSQL": {local.New, Postgres},
		"inmemory":            {inmemory.New, none},
	}
}

// Postgres returns a separate schema on the server that the test command provides.
func Postgres(t testing.TB) map[string]string {
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

// Serve starts a program with its data in dir. Rate limits, and how many workspaces a
// person may own and tasks a project may have, are off unless env sets them.
func Serve(t testing.TB, dir string, make Assemble, env map[string]string) *Site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	values := map[string]string{
		"DATA_DIR": dir, "AI_PROVIDER": "demo", "THUMBNAILS": "off", "BROWSING": "off", "RATE_LIMIT_PER_MINUTE": "0", "AUTH_RATE_LIMIT_PER_MINUTE": "0", "MAX_WORKSPACES_PER_PERSON": "0", "MAX_TASKS_PER_PROJECT": "0", "MAX_TASKS_PER_WORKSPACE": "0",
		// No story takes longer, however busy the machine is.
		"JWT_ACCESS_TOKEN_EXPIRES_IN": "24h",
		"PACE":                        "3",
		"APP_URL":                     fmt.Sprintf("http://localhost:%d", port), "APP_DOMAIN": fmt.Sprintf("localhost:%d", port),
		// Nothing answers there, so that no test asks name servers of the internet.
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
	app, release, err := make(t.Context(), s, Log(t))
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
	return &Site{T: t, App: app, URL: values["APP_URL"], Client: LocalClient()}
}

// LocalClient resolves the names below localhost as browsers do.
func LocalClient() *http.Client {
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

// Caller is somebody who uses the service.
type Caller struct {
	*Site
	Token     string
	User      core.User
	Workspace core.ID
}

var signUps atomic.Int64

// password is that of all accounts.
const password = "long enough"

// SignUp makes an account.
func (s *Site) SignUp() *Caller {
	s.T.Helper()
	c := &Caller{Site: s}
	var answer struct {
		User        core.User
		Workspace   core.Workspace
		AccessToken string
	}
	body := map[string]string{"email": fmt.Sprintf("p%d@example.com", signUps.Add(1)), "password": password}
	c.Must(http.StatusCreated, http.MethodPost, "/auth/signup", body, &answer)
	c.Token, c.User, c.Workspace = answer.AccessToken, answer.User, answer.Workspace.ID
	return c
}

// SignInAgain signs the caller in with the password.
func (c *Caller) SignInAgain() {
	c.T.Helper()
	var answer struct{ AccessToken string }
	c.Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": c.User.Email, "password": password}, &answer)
	c.Token = answer.AccessToken
}

// Answer is a response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Code returns the error code of an answer, "" if it has none.
func (a Answer) Code() core.Code {
	var body struct{ Error core.Code }
	_ = json.Unmarshal(a.Body, &body)
	return body.Error
}

// Do sends a request. A body that is no io.Reader is sent as JSON.
func (c *Caller) Do(method, path string, body any, header ...string) Answer {
	c.T.Helper()
	response := c.Open(c.T.Context(), method, path, body, header...)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	return Answer{response.StatusCode, response.Header, content}
}

// Open sends a request and leaves the answer's body to the caller. A body that is an
// io.Reader may name its ContentType.
func (c *Caller) Open(ctx context.Context, method, path string, body any, header ...string) *http.Response {
	c.T.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = c.URL + path
	}
	content, isReader := body.(io.Reader)
	if body != nil && !isReader {
		text, err := json.Marshal(body)
		if err != nil {
			c.T.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		c.T.Fatal(err)
	}
	if body != nil && !isReader {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if typed, ok := body.(interface{ ContentType() string }); ok {
		request.Header.Set("Content-Type", typed.ContentType())
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.Described().Do(request)
	if err != nil {
		c.T.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// Must is Do with the status that must come back. into, if given, receives the JSON.
func (c *Caller) Must(status int, method, path string, body, into any) Answer {
	c.T.Helper()
	got := c.Do(method, path, body)
	if got.Status != status {
		c.T.Fatalf("%s %s: got %d %.500s, want %d", method, path, got.Status, got.Body, status)
	}
	if into != nil {
		if err := json.Unmarshal(got.Body, into); err != nil {
			c.T.Fatalf("%s %s: %v in %.200s", method, path, err, got.Body)
		}
	}
	return got
}

// Work is a project and its default chat.
type Work struct {
	*Caller
	core.Project
	Chat core.ID
}

// Create makes a project from a template.
func (c *Caller) Create(template string) *Work {
	c.T.Helper()
	w := &Work{Caller: c}
	c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/projects", map[string]string{"name": "Work", "template": template}, &w.Project)
	var chats struct{ Items []core.Chat }
	c.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &chats)
	w.Chat = chats.Items[0].ID
	return w
}

// Path is a path below the project's.
func (w *Work) Path(rest string) string { return "/projects/" + string(w.ID) + rest }

// Fetch gets a page of a preview or a published site, without any token.
func (s *Site) Fetch(address string) Answer {
	s.T.Helper()
	return (&Caller{Site: s}).Do(http.MethodGet, address, nil)
}

// Query is a query of names and values, with its "?".
func Query(values ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		q.Set(values[i], values[i+1])
	}
	return "?" + q.Encode()
}

// ProjectDir returns where a project is on the disk, for a service with its data in dir.
func ProjectDir(dir string, project core.ID) string {
	return filepath.Join(dir, "projects", string(project))
}

// Template is a template whose projects need no packages.
const Template = "static-html"

// Fields is a JSON object.
type Fields map[string]any

// Merged joins settings; later ones override earlier ones.
func Merged(settings ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, some := range settings {
		maps.Copy(all, some)
	}
	return all
}

// Processes starts services that share a PostgreSQL database and the projects' disk. It
// returns one caller's work as each service sees it, and the folder of the project.
func Processes(t *testing.T, count int) (seen []*Work, dir string) {
	t.Helper()
	env, shared := Postgres(t), t.TempDir()
	env["PROJECTS_ROOT"], env["SITES_DIR"] = filepath.Join(shared, "projects"), filepath.Join(shared, "sites")
	env["JWT_SECRET"] = strings.Repeat("s", 48)
	env["ENCRYPTION_KEY"] = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	var first *Work
	for i := range count {
		at := Serve(t, t.TempDir(), local.New, env)
		if i == 0 {
			first = at.SignUp().Create("blank")
		}
		other := *first.Caller
		other.Site = at
		seen = append(seen, &Work{Caller: &other, Project: first.Project, Chat: first.Chat})
	}
	return seen, filepath.Join(shared, "projects", string(first.ID))
}

// OnBoth runs a story on both databases.
func OnBoth(t *testing.T, story func(t *testing.T, program Program)) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) { story(t, Programs()[name]) })
	}
}
