package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// description validates every answer of the API to its clients.
var description = conform.Once(httpapi.Describe)

// service is a running service that browsers and API clients talk to.
type service struct {
	url  string
	host string
	// outbox is the folder that mails are written to.
	outbox string
	// dataDir is DATA_DIR.
	dataDir string
	http    *http.Client
	// cut breaks all connections, as a network does that goes away.
	cut func()
	// end makes the service unreachable, for good.
	end func()

	mu   sync.Mutex
	seen []exchange
}

// exchange is a request to the API's own host, and its answer.
type exchange struct {
	method, path, origin string
	withCookie           bool
	status               int
	code                 core.Code
}

// startService serves on the name, with sites and previews below it. A real installation
// warns against such names: users' pages are on the same site as the API, and cookies
// reach further, which is what these tests need. more are additional settings; an APP_URL
// that begins with a slash is a path of the name.
func startService(t *testing.T, name string, more ...map[string]string) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := fmt.Sprintf("%s:%d", name, listener.Addr().(*net.TCPAddr).Port)
	values := map[string]string{
		"DATA_DIR": t.TempDir(), "AI_PROVIDER": "demo", "THUMBNAILS": "off", "BROWSING": "off", "RATE_LIMIT_PER_MINUTE": "0", "AUTH_RATE_LIMIT_PER_MINUTE": "0",
		"JWT_ACCESS_TOKEN_EXPIRES_IN": "24h", "PACE": "3", // as in storytest.Serve
		"APP_URL": "http://" + host, "APP_DOMAIN": host,
	}
	for _, settings := range more {
		maps.Copy(values, settings)
	}
	if strings.HasPrefix(values["APP_URL"], "/") {
		values["APP_URL"] = "http://" + host + values["APP_URL"]
	}
	conf, err := settings.Read(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := datadir.FillSecrets(&conf); err != nil {
		t.Fatal(err)
	}
	conf.Program = process.Build(t)
	app, release, err := local.New(t.Context(), conf, storytest.Log(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &service{url: values["APP_URL"], host: host, outbox: conf.Mail.OutboxDir, dataDir: values["DATA_DIR"], http: clientOf(listener.Addr().String())}
	s.http.Transport = description(t).Transport(t, host, s.http.Transport)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.watch(app)}}
	server.Start()
	s.cut = server.CloseClientConnections
	s.end = func() {
		_ = listener.Close()
		server.CloseClientConnections()
	}
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := app.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		release()
	})
	return s
}

// clientOf sends every request to one address, whatever the host's name.
func clientOf(address string) *http.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial}}
}

// watch records browsers' requests to the API's own host.
func (s *service) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != s.host || !strings.HasPrefix(r.UserAgent(), "Mozilla/") {
			next.ServeHTTP(w, r)
			return
		}
		answer := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		var body struct{ Error core.Code }
		_ = json.Unmarshal(answer.body.Bytes(), &body)
		_, err := r.Cookie("app_access_token")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, exchange{r.Method, r.URL.Path, r.Header.Get("Origin"), err == nil, answer.status, body.Error})
	})
}

// exchanges returns the records so far and clears them.
func (s *service) exchanges() []exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// recorder keeps an answer's status and body.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(content []byte) (int, error) {
	r.body.Write(content)
	return r.ResponseWriter.Write(content)
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// user is somebody with an account, who calls the API with a token.
type user struct {
	*service
	t         *testing.T
	email     string
	token     string
	workspace core.ID
	cookies   []*http.Cookie
}

// signUp makes an account.
func (s *service) signUp(t *testing.T) *user {
	t.Helper()
	u := &user{service: s, t: t, email: "p" + string(core.NewID()) + "@example.com"}
	var answer struct {
		Workspace   core.Workspace
		AccessToken string
	}
	response := u.call(http.StatusCreated, http.MethodPost, "/auth/signup", map[string]string{"email": u.email, "password": "long enough"}, &answer)
	u.token, u.workspace, u.cookies = answer.AccessToken, answer.Workspace.ID, response.Cookies()
	return u
}

// call sends JSON, holds the answer to its status and reads it into a value.
func (u *user) call(status int, method, path string, body, into any) *http.Response {
	u.t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		u.t.Fatal(err)
	}
	response := u.send(method, path, "application/json", bytes.NewReader(content))
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	if response.StatusCode != status {
		u.t.Fatalf("%s %s: got %d %.500s, want %d", method, path, response.StatusCode, text, status)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			u.t.Fatalf("%s %s: %v in %.200s", method, path, err, text)
		}
	}
	return response
}

func (u *user) send(method, path, contentType string, body io.Reader) *http.Response {
	u.t.Helper()
	request, err := http.NewRequestWithContext(u.t.Context(), method, u.url+path, body)
	if err != nil {
		u.t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	if u.token != "" {
		request.Header.Set("Authorization", "Bearer "+u.token)
	}
	response, err := u.http.Do(request)
	if err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// project is one that a user works on.
type project struct {
	*user
	core.Project
}

// create makes a project from a template.
func (u *user) create(template string) *project {
	u.t.Helper()
	p := &project{user: u}
	body := map[string]string{"name": "My " + template, "template": template}
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/projects", body, &p.Project)
	return p
}

// in is the project for a part of the test that it was made in.
func (p *project) in(t *testing.T) *project {
	u := *p.user
	u.t = t
	return &project{user: &u, Project: p.Project}
}

func (p *project) path(rest string) string { return "/projects/" + string(p.ID) + rest }

// save writes a file.
func (p *project) save(path, content string) {
	p.t.Helper()
	response := p.send(http.MethodPut, p.path("/files/"+path), "text/plain", strings.NewReader(content))
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		p.t.Fatalf("PUT %s: got %d, want it saved", path, response.StatusCode)
	}
}

// read returns a file.
func (p *project) read(path string) string {
	p.t.Helper()
	response := p.send(http.MethodGet, p.path("/files/"+path), "text/plain", nil)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.t.Fatalf("GET %s: got %d, %v, want the file", path, response.StatusCode, err)
	}
	return string(content)
}

// alter replaces text in a file.
func (p *project) alter(path, old, new string) {
	p.t.Helper()
	content := p.read(path)
	if !strings.Contains(content, old) {
		p.t.Fatalf("%s: got no %q in it, want it to change", path, old)
	}
	p.save(path, strings.Replace(content, old, new, 1))
}

// preview starts the preview and returns its origin. The project's own tools, if it
// has any, are installed and answer then.
func (p *project) preview() string {
	p.t.Helper()
	var status struct {
		URL, Status, Runtime, Progress string
		Diagnostics                    []core.Diagnostic
	}
	isReady := func() bool {
		p.call(http.StatusOK, http.MethodPost, p.path("/preview"), nil, &status)
		if status.Runtime != "node" || status.Status == "ready" {
			return true
		}
		// On a busy machine people retry: what was downloaded by then is kept.
		if len(status.Diagnostics) > 0 && strings.Contains(status.Diagnostics[0].Message, "took too much time") {
			p.call(http.StatusNoContent, http.MethodDelete, p.path("/preview"), nil, nil)
		}
		return false
	}
	for range installWaits {
		if conformance.Becomes(isReady) {
			return strings.TrimSuffix(status.URL, "/")
		}
	}
	p.t.Fatalf("got the preview %+v, want it ready", status)
	return ""
}

// installWaits is how many times conformance.Patience may pass until the packages of a project's own
// tools are installed, on a busy machine whose mirror runs with the race detector.
const installWaits = 5

// publish publishes the project and returns its origin.
func (p *project) publish() string {
	p.t.Helper()
	var published struct{ URL string }
	p.call(http.StatusOK, http.MethodPost, p.path("/publish"), map[string]string{"slug": "s" + string(p.ID)}, &published)
	return strings.TrimSuffix(published.URL, "/")
}
