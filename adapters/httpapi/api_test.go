package httpapi

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/account"
	"github.com/atelierhq/atelier/adapters/httpapi/conform"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/memory"
	memorypasskeys "github.com/atelierhq/atelier/adapters/memory/passkeys"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/gitsync"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/passkeysignin"
	"github.com/atelierhq/atelier/core/programs"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
)

// api is the whole API over HTTP, on memory adapters and a stopped clock.
type api struct {
	t      *testing.T
	server *httptest.Server
	// transport does the requests.
	transport http.RoundTripper
	deps      Deps
	clock     *clock
	log       *conformance.Log
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// testDeps returns a service without limits at http://localhost:8080.
func testDeps(t testing.TB) (Deps, *clock, *conformance.Log) {
	t.Helper()
	time0 := &clock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	log := &conformance.Log{}
	store := memory.NewStore()
	gate := access.NewGate(store)
	records := audit.New(audit.Deps{Store: store, Gate: gate, Now: time0.Now, Log: slog.New(slog.DiscardHandler)})
	ports := accounts.Deps{Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store), Store: store, Tokens: memory.NewTokens(time0.Now), Passwords: memory.NewPasswords(), Audit: records, Now: time0.Now, Log: slog.New(slog.NewTextHandler(log, nil))}
	settings := Settings{AppURL: mustURL(t, "http://localhost:8080"), AccessTTL: 15 * time.Minute, RefreshTTL: 7 * 24 * time.Hour}
	quiet, queue := slog.New(slog.DiscardHandler), mailer.New(memory.NewSealer(), time0.Now)
	ports.Mails, ports.Settings = queue, accounts.Settings{AccessTTL: settings.AccessTTL, RefreshTTL: settings.RefreshTTL}
	members := workspaces.NewMembers(workspaces.MemberDeps{Store: store, Audit: records, Runs: noRuns{}, Trash: noTrash{}, Bus: memory.NewBus(), Log: quiet})
	departures := instance.NewDepartures(instance.DepartureDeps{Store: store, Gate: gate, Audit: records, Mail: queue, Estate: members})
	ports.Departures = departures
	env := instance.Environment{Preset: core.SignupOpen}
	people := accounts.New(ports)
	companies := companysignin.New(companysignin.Deps{
		Store: store, Gate: gate, Audit: records, Sealer: memory.NewSealer(), Guard: memory.NewGuard(), Issuers: memory.NewIssuers(),
		Accounts: people, Members: members, App: "http://localhost:8080", Now: time0.Now, Log: quiet,
	})
	return Deps{UseCases: UseCases{
		Companies: companies,
		Passkeys: passkeysignin.New(passkeysignin.Deps{
			Store: store, Ceremonies: memorypasskeys.New(settings.AppURL), Accounts: people, Audit: records, Mails: queue, Now: time0.Now,
		}),
		Instance:      instance.NewSettings(store, gate, records, env),
		People:        instance.NewPeople(instance.PeopleDeps{Store: store, Gate: gate, Audit: records, Mail: queue, Departures: departures, Now: time0.Now}),
		Invitations:   instance.NewInvites(instance.InviteDeps{Store: store, Gate: gate, Audit: records, Mail: queue, Env: env, Now: time0.Now}),
		Members:       members,
		Invites:       workspaces.NewInvites(workspaces.InviteDeps{Store: store, Members: members, Mail: queue, Audit: records, Now: time0.Now}),
		Folders:       workspaces.NewFolders(store, time0.Now),
		Modes:         models.NewModes(store, time0.Now),
		Commands:      commands.New(store, records, time0.Now),
		Accounts:      people,
		Subscriptions: accounts.NewSubscriptions(accounts.SubscriptionDeps{Store: store, Now: time0.Now}),
		Programs: programs.New(programs.Deps{
			Store: store, Guard: memory.NewGuard(), Audit: records, Mails: queue, Doors: openDoors(store), App: "http://localhost:8080", Now: time0.Now, Log: quiet,
		}),
		Providers:  models.NewProviders(models.Deps{Store: store, Gate: gate, Audit: records, Now: time0.Now}),
		Audit:      records,
		Projects:   &projects.Service{},
		Backends:   &backends.Service{},
		Remotes:    gitsync.New(gitsync.Deps{Store: store, Gate: gate, Sealer: memory.NewSealer(), Now: time0.Now, Log: quiet}),
		Workspaces: workspaces.New(workspaces.Deps{Store: store, Gate: gate, Audit: records, Members: members, Now: time0.Now}),
	},
		Sealer:   memory.NewSealer(),
		Settings: settings,
		Features: account.Features{Mail: true, OAuth: account.OAuthFeatures{GitHub: true}},
		Log:      slog.New(slog.NewTextHandler(log, nil)),
		Now:      time0.Now,
	}, time0, log
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

var compiled = conform.Once(Describe)

// newAPI starts the API after change altered its dependencies. An answer that violates
// the API's description fails the test.
func newAPI(t *testing.T, change ...func(*Deps)) *api {
	t.Helper()
	started := startAPI(t, New, change...)
	started.transport = compiled(t).Transport(t, started.server.Listener.Addr().String(), started.transport)
	return started
}

// newTable starts an API with other routes than the real ones; of those below
// /projects only the others remain.
func newTable(t *testing.T, table []rest.Route, change ...func(*Deps)) *api {
	t.Helper()
	return startAPI(t, func(d Deps) http.Handler {
		kept := slices.DeleteFunc(Routes(d), func(r rest.Route) bool { return strings.HasPrefix(r.Pattern(), "/projects") })
		return serve(d, observe.NewMetrics(nil, nil, ""), append(kept, table...))
	}, change...)
}

func startAPI(t *testing.T, handler func(Deps) http.Handler, change ...func(*Deps)) *api {
	t.Helper()
	deps, clock, log := testDeps(t)
	for _, do := range change {
		do(&deps)
	}
	server := httptest.NewServer(handler(deps))
	t.Cleanup(server.Close)
	return &api{t: t, server: server, transport: server.Client().Transport, deps: deps, clock: clock, log: log}
}

// answer is a response of the API.
type answer struct {
	*http.Response
	body string
}

// member returns a member of the JSON body by its path, nil when it is absent.
func (a answer) member(path string) any {
	var value any
	if json.Unmarshal([]byte(a.body), &value) != nil {
		return nil
	}
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func (a answer) text(path string) string {
	text, _ := a.member(path).(string)
	return text
}

func (a answer) cookie(name string) *http.Cookie {
	for _, cookie := range a.Cookies() {
		if cookie.Name == name {
			return cookie
		}
	}
	return nil
}

// requestOption changes a request before it is sent.
type requestOption func(*http.Request)

func header(name string, values ...string) requestOption {
	return func(r *http.Request) {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
}

func bearer(token string) requestOption { return header("Authorization", "Bearer "+token) }

func cookie(name, value string) requestOption {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

// do sends a request; a body that is not empty is JSON unless a header says
// otherwise. It follows no redirects.
func (a *api) do(method, target, body string, changes ...requestOption) answer {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.server.URL+target, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, change := range changes {
		change(r)
	}
	response, err := a.transport.RoundTrip(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answer{response, string(text)}
}

// signUp makes an account and returns the answer, which must be 201.
func (a *api) signUp(email string) answer {
	a.t.Helper()
	got := a.do("POST", "/auth/signup", `{"email":"`+email+`","password":"correct horse"}`)
	if got.StatusCode != http.StatusCreated {
		a.t.Fatalf("sign up %s: got %d %s, want 201", email, got.StatusCode, got.body)
	}
	return got
}

// want compares status and, unless it is "", the error's code.
func (a answer) want(t *testing.T, what string, status int, code string) {
	t.Helper()
	if a.StatusCode != status || a.text("error") != code {
		t.Errorf("%s: got %d %.300s, want %d %s", what, a.StatusCode, a.body, status, code)
	}
}

// openDoors lets everybody sign up.
func openDoors(store storage.Store) *instance.Doors {
	return instance.NewDoors(store, access.NewGate(store), instance.Environment{Preset: core.SignupOpen}, time.Now)
}
