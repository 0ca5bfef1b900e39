package sites_test

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/domains"
)

// zone holds the records that a test sets for names.
type zone interface {
	SetTexts(name string, texts ...string)
	SetAddress(name, address string)
}

// memoryZone tells the resolver of a program that asks no network.
type memoryZone struct{ names *memory.DNS }

func (z memoryZone) SetTexts(name string, texts ...string) {
	z.names.Set(name, memory.DNSRecords{Texts: texts})
}

func (z memoryZone) SetAddress(name, address string) {
	z.names.Set(name, memory.DNSRecords{Addresses: []netip.Addr{netip.MustParseAddr(address)}})
}

// serveWithNames starts the program beside a name server.
func serveWithNames(p storytest.Program, t testing.TB) (*storytest.Site, zone) {
	t.Helper()
	names := pebble.StartNames(t)
	env := map[string]string{"DNS_RESOLVER": names.Resolver}
	for name, value := range p.Env(t) {
		env[name] = value
	}
	s := storytest.Serve(t, t.TempDir(), p.Make, env)
	if inMemory, ok := s.App.DNS.(*memory.DNS); ok {
		return s, memoryZone{inMemory}
	}
	return s, names
}

// withNames plays a story against every program.
func withNames(t *testing.T, story func(t *testing.T, s *storytest.Site, names zone)) {
	t.Helper()
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s, names := serveWithNames(program, t)
			story(t, s, names)
		})
	}
}

func claimName(w *storytest.Work, name string) domains.View {
	w.T.Helper()
	var claim domains.View
	w.Must(http.StatusCreated, http.MethodPost, "/domains/project/"+string(w.ID), storytest.Fields{"domain": name}, &claim)
	return claim
}

func verify(w *storytest.Work, claim domains.View) domains.View {
	w.T.Helper()
	var after domains.View
	w.Must(http.StatusOK, http.MethodPost, "/domains/"+string(claim.ID)+"/verify", nil, &after)
	return after
}

// here lets the names of the project's site, and of the domain, lead to one address.
func here(w *storytest.Work, names zone, domain string) {
	names.SetAddress(w.Slug+".localhost", "127.0.0.1")
	names.SetAddress(domain, "127.0.0.1")
}

// visit asks for a page by a host's name.
func visit(s *storytest.Site, host, path string) (status int, body string) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	request.Host = host
	request.Header.Set("Accept", "text/html")
	answer, err := s.Client.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	if got := answer.Header.Get("Set-Cookie"); got != "" {
		s.T.Errorf("%s%s: got the cookie %q, want none", host, path, got)
	}
	return answer.StatusCode, string(content)
}

// wantDomain checks the domain in the project's record, "" for none.
func wantDomain(w *storytest.Work, want string) {
	w.T.Helper()
	var project core.Project
	w.Must(http.StatusOK, http.MethodGet, w.Path(""), nil, &project)
	if got := project.CustomDomain; got == nil && want != "" || got != nil && *got != want {
		w.T.Errorf("got customDomain %v, want %q", got, want)
	}
}

func TestADomainFromItsClaimToItsEnd(t *testing.T) {
	withNames(t, func(t *testing.T, s *storytest.Site, names zone) {
		w := s.SignUp().Create("static-html")
		w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
		claim := claimName(w, "Shop.Example.com.")
		if claim.Name != "shop.example.com" || claim.Status != core.DomainPendingDNS || claim.Target != w.Slug+".localhost" || !strings.Contains(claim.Message, claim.TXTValue) {
			t.Errorf("got %+v, want a claim that says what to do", claim)
		}
		names.SetAddress(w.Slug+".localhost", "127.0.0.1")
		names.SetAddress("shop.example.com", "192.0.2.9")
		if got := verify(w, claim); got.Status != core.DomainPendingDNS || !strings.Contains(got.Message, "192.0.2.9") {
			t.Errorf("got %s %q, want where it leads", got.Status, got.Message)
		}
		here(w, names, "shop.example.com")
		if got := verify(w, claim); got.Status != core.DomainPendingVerification {
			t.Errorf("got %s %q, want the proof missing", got.Status, got.Message)
		}
		wantDomain(w, "")
		if status, _ := visit(s, "shop.example.com", "/"); status == http.StatusOK {
			t.Error("got the site before its domain is active")
		}
		names.SetTexts(claim.TXTName, "v=spf1", claim.TXTValue)
		if got := verify(w, claim); got.Status != core.DomainActive || got.Message != "" {
			t.Errorf("got %s %q, want it active", got.Status, got.Message)
		}
		wantDomain(w, "shop.example.com")
		wantSite(w, "shop.example.com", http.StatusOK)
		if _, body := visit(s, "shop.example.com", "/healthz"); strings.Contains(body, `"ok"`) {
			t.Errorf("got %q, want nothing of the API", body)
		}
		wantOnlyHolder(w, names, claim)
		endDomain(w, claim)
	})
}

// wantSite checks that a host serves the project's site.
func wantSite(w *storytest.Work, host string, status int) {
	w.T.Helper()
	got, body := visit(w.Caller.Site, host, "/")
	if got != status || status == http.StatusOK && !strings.Contains(body, "<!doctype html>") {
		w.T.Errorf("%s: got %d %.100q, want %d", host, got, body, status)
	}
}

// wantOnlyHolder checks that a name stays with its first claim, whatever others prove.
func wantOnlyHolder(w *storytest.Work, names zone, claim domains.View) {
	w.T.Helper()
	other := w.SignUp().Create("static-html")
	got := other.Do(http.MethodPost, "/domains/project/"+string(other.ID), storytest.Fields{"domain": claim.Name})
	if got.Status != http.StatusConflict || got.Code() != core.CodeDomainTaken {
		w.T.Errorf("got %d %s, want %s", got.Status, got.Body, core.CodeDomainTaken)
	}
	again := w.Do(http.MethodPost, "/domains/project/"+string(w.ID), storytest.Fields{"domain": claim.Name})
	if again.Code() != core.CodeConflict {
		w.T.Errorf("got %d %s, want %s for a second claim of the project's", again.Status, again.Body, core.CodeConflict)
	}
}

// endDomain plays what happens to an active domain when its project changes.
func endDomain(w *storytest.Work, claim domains.View) {
	w.T.Helper()
	host := claim.Name
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/publish"), nil, nil)
	wantSite(w, host, http.StatusNotFound)
	wantDomain(w, host)
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{"slug": "another"}, nil)
	wantSite(w, host, http.StatusOK)
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path(""), nil, nil)
	wantSite(w, host, http.StatusNotFound)
	w.Must(http.StatusNotFound, http.MethodGet, "/domains/project/"+string(w.ID), nil, nil)
	w.Must(http.StatusOK, http.MethodPost, w.Path("/restore"), nil, nil)
	wantSite(w, host, http.StatusOK)
	w.Must(http.StatusNoContent, http.MethodDelete, "/domains/"+string(claim.ID), nil, nil)
	w.Must(http.StatusNotFound, http.MethodDelete, "/domains/"+string(claim.ID), nil, nil)
	wantDomain(w, "")
	var list struct{ Items []domains.View }
	w.Must(http.StatusOK, http.MethodGet, "/domains/project/"+string(w.ID), nil, &list)
	if len(list.Items) != 0 {
		w.T.Errorf("got %+v, want no claims", list.Items)
	}
	if status, body := visit(w.Caller.Site, host, "/"); status == http.StatusOK {
		w.T.Errorf("got %d %.100q, want the site gone", status, body)
	}
	var log struct{ Items []core.AuditEntry }
	w.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.Workspace)+"/audit", nil, &log)
	var seen []string
	for _, entry := range log.Items {
		if strings.HasPrefix(string(entry.Action), "domain.") {
			seen = append(seen, string(entry.Action))
		}
	}
	if got := strings.Join(seen, " "); got != "domain.removed domain.verified domain.added" {
		w.T.Errorf("got %q in the security log, want each change", got)
	}
}

func TestOtherActiveDomainsRedirectToThePrimaryOne(t *testing.T) {
	withNames(t, func(t *testing.T, s *storytest.Site, names zone) {
		w := s.SignUp().Create("static-html")
		w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
		var claims []domains.View
		for _, name := range []string{"shop.example.com", "www.example.com"} {
			claim := claimName(w, name)
			if got := w.Do(http.MethodPost, "/domains/"+string(claim.ID)+"/primary", nil); got.Code() != core.CodeConflict {
				t.Errorf("got %d %s, want %s for one that is not active", got.Status, got.Body, core.CodeConflict)
			}
			names.SetTexts(claim.TXTName, claim.TXTValue)
			here(w, names, name)
			claims = append(claims, verify(w, claim))
		}
		wantPrimary := func(primary, other string) {
			t.Helper()
			wantDomain(w, primary)
			wantSite(w, primary, http.StatusOK)
			wantSite(w, other, http.StatusPermanentRedirect)
			var list struct{ Items []domains.View }
			w.Must(http.StatusOK, http.MethodGet, "/domains/project/"+string(w.ID), nil, &list)
			for _, claim := range list.Items {
				if claim.Status != core.DomainActive || claim.Primary != (claim.Name == primary) {
					t.Errorf("got %+v, want both active and %s primary", claim, primary)
				}
			}
		}
		wantPrimary("shop.example.com", "www.example.com")
		var chosen domains.View
		w.Must(http.StatusOK, http.MethodPost, "/domains/"+string(claims[1].ID)+"/primary", nil, &chosen)
		if !chosen.Primary {
			t.Errorf("got %+v, want it primary", chosen)
		}
		wantPrimary("www.example.com", "shop.example.com")
		var project struct{ URL string }
		w.Must(http.StatusOK, http.MethodGet, w.Path(""), nil, &project)
		if !strings.HasPrefix(project.URL, "http://www.example.com") {
			t.Errorf("got the address %q, want the primary domain", project.URL)
		}
		w.Must(http.StatusNoContent, http.MethodDelete, "/domains/"+string(claims[1].ID), nil, nil)
		wantDomain(w, "shop.example.com")
		wantSite(w, "shop.example.com", http.StatusOK)
	})
}

func TestOfTwoProjectsThatProveANameOneGetsIt(t *testing.T) {
	withNames(t, func(t *testing.T, s *storytest.Site, names zone) {
		for range 5 {
			name := storytest.NewDomainName()
			pair := []*storytest.Work{s.SignUp().Create("static-html"), s.SignUp().Create("static-html")}
			claims := []domains.View{claimName(pair[0], name), claimName(pair[1], name)}
			names.SetTexts(claims[0].TXTName, claims[0].TXTValue, claims[1].TXTValue)
			here(pair[0], names, name)
			here(pair[1], names, name)
			answers := make([]storytest.Answer, len(pair))
			var both sync.WaitGroup
			for i, w := range pair {
				both.Go(func() { answers[i] = w.Do(http.MethodPost, "/domains/"+string(claims[i].ID)+"/verify", nil) })
			}
			both.Wait()
			winner := 0
			if answers[1].Status == http.StatusOK {
				winner = 1
			}
			if answers[winner].Status != http.StatusOK || answers[1-winner].Code() != core.CodeDomainTaken {
				t.Fatalf("got %d %s and %d %s, want one winner", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
			}
			wantDomain(pair[winner], name)
			wantDomain(pair[1-winner], "")
		}
	})
}

func TestAPurgedProjectsDomainIsFree(t *testing.T) {
	withNames(t, func(t *testing.T, s *storytest.Site, names zone) {
		w := s.SignUp().Create("static-html")
		claim := claimName(w, "shop.example.com")
		names.SetTexts(claim.TXTName, claim.TXTValue)
		here(w, names, "shop.example.com")
		if got := verify(w, claim); got.Status != core.DomainActive {
			t.Fatalf("got %s %q, want it active", got.Status, got.Message)
		}
		w.Must(http.StatusNoContent, http.MethodDelete, w.Path("?hard=true"), nil, nil)
		next := s.SignUp().Create("static-html")
		claimName(next, "shop.example.com")
	})
}

func TestBadDomainsAreRefused(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			for _, row := range []struct {
				body any
				code core.Code
			}{
				{storytest.Fields{"domain": "127.0.0.1"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "com"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "co.uk"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "*.example.com"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "shop.localhost"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "https://shop.example.com"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "shop.example.com:443"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "shop\x00.example.com"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": "xn--zz.example.com"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": strings.Repeat("a.", 200) + "example.com"}, core.CodeValidationFailed},
				{storytest.Fields{"domain": strings.Repeat("x", 1<<19)}, core.CodeValidationFailed},
				{storytest.Fields{"domain": strings.Repeat("x", 2<<20)}, core.CodePayloadTooLarge},
				{storytest.Fields{"domain": nil}, core.CodeInvalidRequest},
				{storytest.Fields{"domain": 1}, core.CodeInvalidRequest},
				{storytest.Fields{}, core.CodeInvalidRequest},
				{storytest.Fields{"domain": "shop.example.com", "status": "active"}, core.CodeInvalidRequest},
				{strings.NewReader("domain=x"), core.CodeUnsupportedMediaType},
			} {
				if got := w.Do(http.MethodPost, "/domains/project/"+string(w.ID), row.body); got.Code() != row.code {
					t.Errorf("%.60v: got %d %.300s, want %s", row.body, got.Status, got.Body, row.code)
				}
			}
			if got := claimName(w, "BÜCHER.example.com"); got.Name != "xn--bcher-kva.example.com" {
				t.Errorf("got %q, want the name as DNS writes it", got.Name)
			}
			for _, path := range []string{"/domains/nothing/verify", "/domains/" + string(core.NewID()) + "/verify"} {
				w.Must(http.StatusNotFound, http.MethodPost, path, nil, nil)
			}
		})
	}
}
