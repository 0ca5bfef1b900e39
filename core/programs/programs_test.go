package programs

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	documentAddress = "https://code.example/client.json"
	verifier        = "a-verifier-of-at-least-forty-three-characters"
)

// desk is a service with a person, a program with a document and one that registered itself.
type desk struct {
	*Service
	t          *testing.T
	store      storage.Store
	guard      *memory.Guard
	now        time.Time
	by         core.Actor
	registered string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, store: memory.NewStore(), guard: memory.NewGuard(), now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	clock := func() time.Time { return d.now }
	log := slog.New(slog.DiscardHandler)
	gate := access.NewGate(d.store)
	trail, doors := audit.New(audit.Deps{Store: d.store, Gate: gate, Now: clock, Log: log}), instance.NewDoors(d.store, gate, instance.Environment{Preset: core.SignupOpen}, clock)
	d.Service = New(Deps{Store: d.store, Guard: d.guard, Audit: trail, Mails: mailer.New(memory.NewSealer(), clock), Doors: doors, App: "https://atelier.example", Now: clock, Log: log})
	d.by = d.person("ada@example.com")
	made, err := d.Register(t.Context(), Registration{Name: "Own", Redirects: []string{"http://127.0.0.1/back"}})
	d.must(err)
	d.registered = string(made.ID)
	d.serve(`{"client_id":"` + documentAddress + `","client_name":"Code","redirect_uris":["http://localhost/back","https://code.example/back?a=b"]}`)
	return d
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) person(email string) core.Actor {
	d.t.Helper()
	user := core.User{ID: core.NewID(), Email: email, EmailVerified: true}
	d.must(d.store.Tables().Users.Create(d.t.Context(), user))
	session := core.Session{ID: core.NewID(), UserID: user.ID, TokenID: core.NewID(), CreatedAt: core.At(d.now), LastSeenAt: core.At(d.now), ExpiresAt: core.At(d.now.AddDate(1, 0, 0))}
	d.must(d.store.Tables().Sessions.Create(d.t.Context(), session))
	return core.Actor{UserID: user.ID, SessionID: session.ID, IP: "192.0.2.1"}
}

func (d *desk) serve(text string) {
	d.guard.Handle("code.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text))
	}))
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func request() Request {
	return Request{
		ResponseType: "code", ClientID: documentAddress, Redirect: "http://localhost:4711/back", Challenge: challengeOf(verifier), ChallengeMethod: "S256",
		Resource: "https://atelier.example/mcp", Scope: "chat files:read", State: "a&b",
	}
}

// allow is the person's yes to a request, and returns the code.
func (d *desk) allow(r Request) string {
	d.t.Helper()
	back, err := d.Allow(d.t.Context(), d.by, r, []string{"files:read"})
	d.must(err)
	parsed, err := url.Parse(back)
	d.must(err)
	return parsed.Query().Get("code")
}

func exchange(code string) Exchange {
	r := request()
	return Exchange{GrantType: "authorization_code", ClientID: r.ClientID, Resource: r.Resource, Code: code, Redirect: r.Redirect, Verifier: verifier}
}

func refresh(token string) Exchange {
	return Exchange{GrantType: "refresh_token", ClientID: documentAddress, RefreshToken: token}
}

func (d *desk) tokens() Tokens {
	d.t.Helper()
	tokens, err := d.Exchange(d.t.Context(), exchange(d.allow(request())))
	d.must(err)
	return tokens
}

func (d *desk) wantReason(name string, err error, want Reason) {
	d.t.Helper()
	if got, is := ReasonOf(err); !is || got != want {
		d.t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

func (d *desk) wantAccess(name, token string, want core.Code) {
	d.t.Helper()
	if _, err := d.Authenticate(d.t.Context(), token); core.CodeOf(err) != want {
		d.t.Errorf("%s: got %v, want %q", name, err, want)
	}
}

func TestAProgramActsWithinWhatItWasAllowed(t *testing.T) {
	d := newDesk(t)
	question, err := d.Ask(t.Context(), d.by, request())
	if err != nil || question.Host != "code.example" || question.ReturnsTo != "" || question.Email != "ada@example.com" || len(question.Scopes) != 2 {
		t.Fatalf("got %+v, %v, want who asks for what", question, err)
	}
	tokens := d.tokens()
	actor, err := d.Authenticate(t.Context(), tokens.Access)
	if err != nil || actor.UserID != d.by.UserID || !actor.Token || !actor.Permits(core.ScopeFilesRead) || actor.Permits(core.ScopeChat) || actor.Permits(core.ScopeNone) {
		t.Errorf("got %+v, %v, want the person with one scope", actor, err)
	}
	listed, err := d.List(t.Context(), d.by)
	if err != nil || len(listed) != 1 || listed[0].Host != "code.example" || listed[0].LastUsedAt == nil {
		t.Errorf("got %+v, %v, want the program, used", listed, err)
	}
	stored, err := d.store.Tables().ProgramGrants.List(t.Context(), d.by.UserID)
	text := fmt.Sprintf("%+v", stored)
	if err != nil || strings.Contains(text, tokens.Access[8:]) || strings.Contains(text, tokens.Refresh[8:]) {
		t.Errorf("got %s, %v, want hashes alone", text, err)
	}
	_, err = d.List(t.Context(), actor)
	if !core.IsCode(err, core.CodeInsufficientScope) {
		t.Errorf("got %v for a program that lists programs, want insufficient_scope", err)
	}
	if _, err := d.Allow(t.Context(), actor, request(), []string{"chat"}); !core.IsCode(err, core.CodeInsufficientScope) {
		t.Errorf("got %v for a program that allows itself more, want insufficient_scope", err)
	}
	d.must(d.Disconnect(t.Context(), d.by, listed[0].ID))
	d.wantAccess("disconnected", tokens.Access, core.CodeUnauthenticated)
	entries, err := d.store.Tables().Audit.OfPerson(t.Context(), d.by.UserID, core.Page{Limit: 2})
	if err != nil || len(entries) != 2 || entries[0].Action != core.AuditProgramDisconnected || entries[1].Target != "Code (code.example)" {
		t.Errorf("got %+v, %v, want both in the log", entries, err)
	}
}

func TestTheAnswerGoesWhereTheProgramSaid(t *testing.T) {
	d := newDesk(t)
	r := request()
	r.Redirect = "https://code.example/back?a=b"
	back, err := d.Deny(t.Context(), d.by, r)
	if want := "https://code.example/back?a=b&error=access_denied&iss=https%3A%2F%2Fatelier.example&state=a%26b"; err != nil || back != want {
		t.Errorf("got %s, %v, want %s", back, err, want)
	}
}

func TestWhatIsNoProperRequestIsNotAsked(t *testing.T) {
	d := newDesk(t)
	for name, alter := range map[string]func(*Request){
		"no challenge":               func(r *Request) { r.Challenge = "" },
		"a plain challenge":          func(r *Request) { r.ChallengeMethod = "plain" },
		"a challenge without method": func(r *Request) { r.ChallengeMethod = "" },
		"an invalid challenge":       func(r *Request) { r.Challenge = verifier },
		"no resource":                func(r *Request) { r.Resource = "" },
		"another resource":           func(r *Request) { r.Resource = "https://atelier.example.evil.example/mcp" },
		"a token at once":            func(r *Request) { r.ResponseType = "token" },
		"an unknown program":         func(r *Request) { r.ClientID = string(core.NewID()) },
		"no program":                 func(r *Request) { r.ClientID = "" },
		"another program's address":  func(r *Request) { r.ClientID, r.Redirect = d.registered, "https://code.example/back?a=b" },
		"no address":                 func(r *Request) { r.Redirect = "" },
		"a longer host":              func(r *Request) { r.Redirect = "https://code.example.evil.example/back?a=b" },
		"a user in front":            func(r *Request) { r.Redirect = "https://code.example@evil.example/back?a=b" },
		"a backslash":                func(r *Request) { r.Redirect = `https://evil.example\@code.example/back?a=b` },
		"another path":               func(r *Request) { r.Redirect = "https://code.example/back/../x?a=b" },
		"more query":                 func(r *Request) { r.Redirect = "https://code.example/back?a=b&c=d" },
		"a fragment":                 func(r *Request) { r.Redirect = "https://code.example/back?a=b#x" },
		"another port":               func(r *Request) { r.Redirect = "https://code.example:444/back?a=b" },
		"plain http":                 func(r *Request) { r.Redirect = "http://code.example/back?a=b" },
		"this computer, other path":  func(r *Request) { r.Redirect = "http://localhost:1/other" },
		"this computer, other name":  func(r *Request) { r.Redirect = "http://127.0.0.1:1/back" },
		"nearly this computer":       func(r *Request) { r.Redirect = "http://localhost.evil.example:1/back" },
		"a script":                   func(r *Request) { r.Redirect = "javascript:alert(1)" },
		"only unknown scopes":        func(r *Request) { r.Scope = "root" },
		"a huge state":               func(r *Request) { r.State = strings.Repeat("x", 3000) },
	} {
		r := request()
		alter(&r)
		if _, err := d.Ask(t.Context(), d.by, r); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
		if back, err := d.Allow(t.Context(), d.by, r, []string{"files:read"}); err == nil {
			t.Errorf("%s: got a code at %s", name, back)
		}
		if back, err := d.Deny(t.Context(), d.by, r); err == nil {
			t.Errorf("%s: got a redirect to %s", name, back)
		}
	}
	if _, err := d.Allow(t.Context(), d.by, request(), []string{"publish"}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v for more than was asked for, want validation_failed", err)
	}
}

func TestDocumentsThatCannotBeUsed(t *testing.T) {
	d := newDesk(t)
	ask := func(address string) error {
		r := request()
		r.ClientID = address
		_, err := d.Ask(t.Context(), d.by, r)
		return err
	}
	for address, want := range map[string]core.Code{
		"https://127.0.0.1/client.json": core.CodeForbiddenAddress, "https://[::1]/client.json": core.CodeForbiddenAddress,
		"https://169.254.169.254/latest/meta-data": core.CodeForbiddenAddress, "https://10.0.0.1/x": core.CodeForbiddenAddress,
		"https://code.example": core.CodeValidationFailed, "https://code.example/": core.CodeValidationFailed, "http://code.example/client.json": core.CodeValidationFailed,
		"https://code.example/a/../client.json": core.CodeValidationFailed, "https://a@code.example/client.json": core.CodeValidationFailed,
		"https://code.example/client.json#x": core.CodeValidationFailed, "https://nobody.example/client.json": core.CodeValidationFailed,
		"https://code.example/other.json": core.CodeValidationFailed,
	} {
		if err := ask(address); !core.IsCode(err, want) {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
	for name, text := range map[string]string{
		"another id":   `{"client_id":"https://evil.example/c","redirect_uris":["http://localhost/back"]}`,
		"a secret":     `{"client_id":"` + documentAddress + `","token_endpoint_auth_method":"client_secret_basic","redirect_uris":["http://localhost/back"]}`,
		"no addresses": `{"client_id":"` + documentAddress + `"}`,
		"a script":     `{"client_id":"` + documentAddress + `","redirect_uris":["http://localhost/back","javascript:x"]}`,
		"no JSON":      `<html>`,
		"too much":     `{"client_id":"` + documentAddress + `","redirect_uris":["http://localhost/back"],"x":"` + strings.Repeat("x", maxDocumentBytes) + `"}`,
	} {
		d.serve(text)
		if err := ask(documentAddress); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
	d.guard.Handle("code.example", http.RedirectHandler("https://other.example/client.json", http.StatusFound))
	if err := ask(documentAddress); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("a redirect: got %v, want validation_failed", err)
	}
}

func TestACodeIsForOneUseByItsProgram(t *testing.T) {
	for name, alter := range map[string]func(*desk, *Exchange){
		"another program":        func(d *desk, x *Exchange) { x.ClientID = d.registered },
		"no program":             func(_ *desk, x *Exchange) { x.ClientID = "" },
		"another address":        func(_ *desk, x *Exchange) { x.Redirect = "http://localhost:4712/back" },
		"another verifier":       func(_ *desk, x *Exchange) { x.Verifier = verifier + "x" },
		"the challenge":          func(_ *desk, x *Exchange) { x.Verifier = challengeOf(verifier) },
		"no verifier":            func(_ *desk, x *Exchange) { x.Verifier = "" },
		"another end":            func(_ *desk, x *Exchange) { x.Code = x.Code[:len(x.Code)-1] + "_" },
		"a minute later":         func(d *desk, _ *Exchange) { d.now = d.now.Add(CodeLifetime) },
		"as a refresh token":     func(_ *desk, x *Exchange) { *x = refresh(refreshPrefix + x.Code[len(codePrefix):]) },
		"of a session that went": func(d *desk, _ *Exchange) { d.must(d.store.Tables().Sessions.DeleteOf(d.t.Context(), d.by.UserID)) },
		"of an account that went": func(d *desk, _ *Exchange) {
			d.must(d.store.Tables().Users.Delete(d.t.Context(), d.by.UserID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			x := exchange(d.allow(request()))
			alter(d, &x)
			_, err := d.Exchange(t.Context(), x)
			d.wantReason(name, err, InvalidGrant)
		})
	}
	d := newDesk(t)
	x := exchange(d.allow(request()))
	x.Resource = "https://elsewhere.example/mcp"
	_, err := d.Exchange(t.Context(), x)
	d.wantReason("another resource", err, InvalidTarget)
	x.GrantType = "password"
	x.Resource = ""
	_, err = d.Exchange(t.Context(), x)
	d.wantReason("a password", err, UnsupportedGrantType)
}

func TestASecondUseRevokesEverything(t *testing.T) {
	d := newDesk(t)
	code := d.allow(request())
	first, err := d.Exchange(t.Context(), exchange(code))
	d.must(err)
	d.wantAccess("the token", first.Access, "")
	_, err = d.Exchange(t.Context(), exchange(code))
	d.wantReason("the code again", err, InvalidGrant)
	d.wantAccess("after the code was used again", first.Access, core.CodeUnauthenticated)

	first = d.tokens()
	second, err := d.Exchange(t.Context(), refresh(first.Refresh))
	d.must(err)
	d.wantAccess("a token that was replaced", first.Access, core.CodeUnauthenticated)
	d.wantAccess("the new token", second.Access, "")
	third, err := d.Exchange(t.Context(), refresh(second.Refresh))
	d.must(err)
	_, err = d.Exchange(t.Context(), refresh(first.Refresh))
	d.wantReason("a refresh token of long ago", err, InvalidGrant)
	d.wantAccess("after that", third.Access, core.CodeUnauthenticated)
	_, err = d.Exchange(t.Context(), refresh(third.Refresh))
	d.wantReason("the current one after that", err, InvalidGrant)
	entries, err := d.store.Tables().Audit.OfPerson(t.Context(), d.by.UserID, core.Page{Limit: 1})
	if err != nil || len(entries) != 1 || entries[0].Action != core.AuditProgramReused {
		t.Errorf("got %+v, %v, want the reuse in the log", entries, err)
	}
}

func TestTokensEndInTime(t *testing.T) {
	d := newDesk(t)
	tokens := d.tokens()
	other := refresh(tokens.Refresh)
	other.ClientID = d.registered
	_, err := d.Exchange(t.Context(), other)
	d.wantReason("another program", err, InvalidGrant)
	more := refresh(tokens.Refresh)
	more.Scope = "files:read publish"
	_, err = d.Exchange(t.Context(), more)
	d.wantReason("more scopes", err, InvalidScope)
	d.now = d.now.Add(AccessLifetime)
	d.wantAccess("an hour later", tokens.Access, core.CodeTokenExpired)
	tokens, err = d.Exchange(t.Context(), refresh(tokens.Refresh))
	d.must(err)
	if _, err := d.store.Tables().Users.Update(t.Context(), d.by.UserID, func(u *core.User) error { u.DisabledAt = 1; return nil }); err != nil {
		t.Fatal(err)
	}
	d.wantAccess("of a disabled account", tokens.Access, core.CodeUnauthenticated)
	_, err = d.Exchange(t.Context(), refresh(tokens.Refresh))
	d.wantReason("of a disabled account", err, InvalidGrant)
	if _, err := d.store.Tables().Users.Update(t.Context(), d.by.UserID, func(u *core.User) error { u.DisabledAt = 0; return nil }); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(RefreshLifetime)
	_, err = d.Exchange(t.Context(), refresh(tokens.Refresh))
	d.wantReason("a month later", err, InvalidGrant)
}

func TestRevocationEndsAGrantByEitherToken(t *testing.T) {
	for name, pick := range map[string]func(Tokens) string{"access": func(x Tokens) string { return x.Access }, "refresh": func(x Tokens) string { return x.Refresh }} {
		d := newDesk(t)
		tokens := d.tokens()
		for _, foreign := range []string{"", "x", AccessPrefix + core.NewSecret(), tokens.Access[len(AccessPrefix):], refreshPrefix + core.NewSecret() + core.NewSecret()} {
			d.must(d.Revoke(t.Context(), foreign, documentAddress, ""))
		}
		d.must(d.Revoke(t.Context(), pick(tokens), d.registered, ""))
		d.wantAccess(name+" by another program", tokens.Access, "")
		d.must(d.Revoke(t.Context(), pick(tokens), documentAddress, ""))
		d.wantAccess(name, tokens.Access, core.CodeUnauthenticated)
	}
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	d := newDesk(t)
	for name, c := range map[string]struct {
		wanted Registration
		want   Reason
	}{
		"no address":    {Registration{}, InvalidRedirect},
		"plain http":    {Registration{Redirects: []string{"http://a.example/x"}}, InvalidRedirect},
		"a script":      {Registration{Redirects: []string{"javascript:x//y"}}, InvalidRedirect},
		"one of two":    {Registration{Redirects: []string{"https://a.example/x", "data:text/html,x"}}, InvalidRedirect},
		"a secret":      {Registration{Redirects: []string{"https://a.example/x"}, AuthMethod: "client_secret_post"}, InvalidClientMetadata},
		"another grant": {Registration{Redirects: []string{"https://a.example/x"}, GrantTypes: []string{"implicit"}}, InvalidClientMetadata},
		"too many":      {Registration{Redirects: strings.Split(strings.Repeat("https://a.example/x ", 30), " ")[:30]}, InvalidRedirect},
	} {
		_, err := d.Register(t.Context(), c.wanted)
		d.wantReason(name, err, c.want)
	}
}

// TestAFloodOfRegistrationsEnds: the unused ones go after an hour, the used one stays.
func TestAFloodOfRegistrationsEnds(t *testing.T) {
	d := newDesk(t)
	r := request()
	r.ClientID, r.Redirect = d.registered, "http://127.0.0.1:9/back"
	d.allow(r)
	err := d.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		for range MaxUnused {
			if err := tables.ProgramClients.Create(ctx, core.ProgramClient{ID: core.NewID(), CreatedAt: core.At(d.now)}); err != nil {
				return err
			}
		}
		return nil
	})
	d.must(err)
	wanted := Registration{Redirects: []string{"https://a.example/x"}}
	if _, err := d.Register(t.Context(), wanted); !core.IsCode(err, core.CodeRateLimited) {
		t.Errorf("got %v, want rate_limited", err)
	}
	d.now = d.now.Add(UnusedLifetime + time.Second)
	if _, err := d.Register(t.Context(), wanted); err != nil {
		t.Errorf("got %v an hour later, want a program", err)
	}
	if _, err := d.Ask(t.Context(), d.by, r); err != nil {
		t.Errorf("got %v for the program that somebody allowed, want it known", err)
	}
}

func TestNoProgramLeadsAroundTheFactorThatAWorkspaceRequires(t *testing.T) {
	d := newDesk(t)
	tables := d.store.Tables()
	space := core.NewWorkspace("Strict", false, nil, 1000)
	space.RequireMFA = true
	d.must(tables.Workspaces.Create(t.Context(), space))
	d.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space.ID, UserID: d.by.UserID, Role: core.RoleMember}))
	if _, err := d.Allow(t.Context(), d.by, request(), []string{"files:read"}); !core.IsCode(err, core.CodeMFASetupRequired) {
		t.Errorf("got %v, want %s", err, core.CodeMFASetupRequired)
	}
	d.must(tables.Factors.Put(t.Context(), core.Factor{UserID: d.by.UserID, Passkeys: 1}))
	if d.tokens().Access == "" {
		t.Error("got no token, want one for a person with a factor")
	}
}
