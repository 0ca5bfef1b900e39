package bootstrap_test

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/domains"
)

// zone is where a test says what names have.
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
func (p program) serveWithNames(t testing.TB) (*site, zone) {
	t.Helper()
	names := pebble.StartNames(t)
	env := map[string]string{"DNS_RESOLVER": names.Resolver}
	for name, value := range p.env(t) {
		env[name] = value
	}
	s := serve(t, t.TempDir(), p.make, env)
	if inMemory, ok := s.app.DNS.(*memory.DNS); ok {
		return s, memoryZone{inMemory}
	}
	return s, names
}

// withNames plays a story against every program.
func withNames(t *testing.T, story func(t *testing.T, s *site, names zone)) {
	t.Helper()
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s, names := program.serveWithNames(t)
			story(t, s, names)
		})
	}
}

func (w *work) claim(name string) domains.View {
	w.t.Helper()
	var claim domains.View
	w.must(http.StatusCreated, http.MethodPost, "/domains/project/"+string(w.ID), fields{"domain": name}, &claim)
	return claim
}

func (w *work) verify(claim domains.View) domains.View {
	w.t.Helper()
	var after domains.View
	w.must(http.StatusOK, http.MethodPost, "/domains/"+string(claim.ID)+"/verify", nil, &after)
	return after
}

// here lets the names of the project's site, and of the domain, lead to one address.
func (w *work) here(names zone, domain string) {
	names.SetAddress(w.Slug+".localhost", "127.0.0.1")
	names.SetAddress(domain, "127.0.0.1")
}

// visit asks for a page by a host's name.
func (s *site) visit(host, path string) (status int, body string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Host = host
	request.Header.Set("Accept", "text/html")
	answer, err := s.http.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := answer.Header.Get("Set-Cookie"); got != "" {
		s.t.Errorf("%s%s: got the cookie %q, want none", host, path, got)
	}
	return answer.StatusCode, string(content)
}

// wantDomain holds the project's record to a domain, "" for none.
func (w *work) wantDomain(want string) {
	w.t.Helper()
	var project core.Project
	w.must(http.StatusOK, http.MethodGet, w.path(""), nil, &project)
	if got := project.CustomDomain; got == nil && want != "" || got != nil && *got != want {
		w.t.Errorf("got customDomain %v, want %q", got, want)
	}
}

func TestADomainFromItsClaimToItsEnd(t *testing.T) {
	withNames(t, func(t *testing.T, s *site, names zone) {
		w := s.signUp().create("static-html")
		w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
		claim := w.claim("Shop.Example.com.")
		if claim.Name != "shop.example.com" || claim.Status != core.DomainPendingDNS || claim.Target != w.Slug+".localhost" || !strings.Contains(claim.Message, claim.TXTValue) {
			t.Errorf("got %+v, want a claim that says what to do", claim)
		}
		names.SetAddress(w.Slug+".localhost", "127.0.0.1")
		names.SetAddress("shop.example.com", "192.0.2.9")
		if got := w.verify(claim); got.Status != core.DomainPendingDNS || !strings.Contains(got.Message, "192.0.2.9") {
			t.Errorf("got %s %q, want where it leads", got.Status, got.Message)
		}
		w.here(names, "shop.example.com")
		if got := w.verify(claim); got.Status != core.DomainPendingVerification {
			t.Errorf("got %s %q, want the proof missing", got.Status, got.Message)
		}
		w.wantDomain("")
		if status, _ := s.visit("shop.example.com", "/"); status == http.StatusOK {
			t.Error("got the site before its domain is active")
		}
		names.SetTexts(claim.TXTName, "v=spf1", claim.TXTValue)
		if got := w.verify(claim); got.Status != core.DomainActive || got.Message != "" {
			t.Errorf("got %s %q, want it active", got.Status, got.Message)
		}
		w.wantDomain("shop.example.com")
		w.wantSite("shop.example.com", http.StatusOK)
		if _, body := s.visit("shop.example.com", "/healthz"); strings.Contains(body, `"ok"`) {
			t.Errorf("got %q, want nothing of the API", body)
		}
		w.wantOnlyHolder(names, claim)
		w.endDomain(claim)
	})
}

// wantSite holds a host to the project's site.
func (w *work) wantSite(host string, status int) {
	w.t.Helper()
	got, body := w.visit(host, "/")
	if got != status || status == http.StatusOK && !strings.Contains(body, "<!doctype html>") {
		w.t.Errorf("%s: got %d %.100q, want %d", host, got, body, status)
	}
}

// wantOnlyHolder holds a name to its first claim, whatever others prove.
func (w *work) wantOnlyHolder(names zone, claim domains.View) {
	w.t.Helper()
	other := w.signUp().create("static-html")
	got := other.do(http.MethodPost, "/domains/project/"+string(other.ID), fields{"domain": claim.Name})
	if got.status != http.StatusConflict || got.code() != core.CodeDomainTaken {
		w.t.Errorf("got %d %s, want %s", got.status, got.body, core.CodeDomainTaken)
	}
	again := w.do(http.MethodPost, "/domains/project/"+string(w.ID), fields{"domain": claim.Name})
	if again.code() != core.CodeConflict {
		w.t.Errorf("got %d %s, want %s for a second claim of the project's", again.status, again.body, core.CodeConflict)
	}
}

// endDomain goes through what becomes of an active domain when its project changes.
func (w *work) endDomain(claim domains.View) {
	w.t.Helper()
	host := claim.Name
	w.must(http.StatusNoContent, http.MethodDelete, w.path("/publish"), nil, nil)
	w.wantSite(host, http.StatusNotFound)
	w.wantDomain(host)
	w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{"slug": "another"}, nil)
	w.wantSite(host, http.StatusOK)
	w.must(http.StatusNoContent, http.MethodDelete, w.path(""), nil, nil)
	w.wantSite(host, http.StatusNotFound)
	w.must(http.StatusNotFound, http.MethodGet, "/domains/project/"+string(w.ID), nil, nil)
	w.must(http.StatusOK, http.MethodPost, w.path("/restore"), nil, nil)
	w.wantSite(host, http.StatusOK)
	w.must(http.StatusNoContent, http.MethodDelete, "/domains/"+string(claim.ID), nil, nil)
	w.must(http.StatusNotFound, http.MethodDelete, "/domains/"+string(claim.ID), nil, nil)
	w.wantDomain("")
	var list struct{ Items []domains.View }
	w.must(http.StatusOK, http.MethodGet, "/domains/project/"+string(w.ID), nil, &list)
	if len(list.Items) != 0 {
		w.t.Errorf("got %+v, want no claims", list.Items)
	}
	if status, body := w.visit(host, "/"); status == http.StatusOK {
		w.t.Errorf("got %d %.100q, want the site gone", status, body)
	}
	var log struct{ Items []core.AuditEntry }
	w.must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.workspace)+"/audit", nil, &log)
	var seen []string
	for _, entry := range log.Items {
		if strings.HasPrefix(string(entry.Action), "domain.") {
			seen = append(seen, string(entry.Action))
		}
	}
	if got := strings.Join(seen, " "); got != "domain.removed domain.verified domain.added" {
		w.t.Errorf("got %q in the security log, want each change", got)
	}
}

func TestOtherActiveDomainsRedirectToThePrimaryOne(t *testing.T) {
	withNames(t, func(t *testing.T, s *site, names zone) {
		w := s.signUp().create("static-html")
		w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
		var claims []domains.View
		for _, name := range []string{"shop.example.com", "www.example.com"} {
			claim := w.claim(name)
			if got := w.do(http.MethodPost, "/domains/"+string(claim.ID)+"/primary", nil); got.code() != core.CodeConflict {
				t.Errorf("got %d %s, want %s for one that is not active", got.status, got.body, core.CodeConflict)
			}
			names.SetTexts(claim.TXTName, claim.TXTValue)
			w.here(names, name)
			claims = append(claims, w.verify(claim))
		}
		wantPrimary := func(primary, other string) {
			t.Helper()
			w.wantDomain(primary)
			w.wantSite(primary, http.StatusOK)
			w.wantSite(other, http.StatusPermanentRedirect)
			var list struct{ Items []domains.View }
			w.must(http.StatusOK, http.MethodGet, "/domains/project/"+string(w.ID), nil, &list)
			for _, claim := range list.Items {
				if claim.Status != core.DomainActive || claim.Primary != (claim.Name == primary) {
					t.Errorf("got %+v, want both active and %s primary", claim, primary)
				}
			}
		}
		wantPrimary("shop.example.com", "www.example.com")
		var chosen domains.View
		w.must(http.StatusOK, http.MethodPost, "/domains/"+string(claims[1].ID)+"/primary", nil, &chosen)
		if !chosen.Primary {
			t.Errorf("got %+v, want it primary", chosen)
		}
		wantPrimary("www.example.com", "shop.example.com")
		var project struct{ URL string }
		w.must(http.StatusOK, http.MethodGet, w.path(""), nil, &project)
		if !strings.HasPrefix(project.URL, "http://www.example.com") {
			t.Errorf("got the address %q, want the primary domain", project.URL)
		}
		w.must(http.StatusNoContent, http.MethodDelete, "/domains/"+string(claims[1].ID), nil, nil)
		w.wantDomain("shop.example.com")
		w.wantSite("shop.example.com", http.StatusOK)
	})
}

func TestOfTwoProjectsThatProveANameOneGetsIt(t *testing.T) {
	withNames(t, func(t *testing.T, s *site, names zone) {
		for range 5 {
			name := newDomainName()
			pair := []*work{s.signUp().create("static-html"), s.signUp().create("static-html")}
			claims := []domains.View{pair[0].claim(name), pair[1].claim(name)}
			names.SetTexts(claims[0].TXTName, claims[0].TXTValue, claims[1].TXTValue)
			pair[0].here(names, name)
			pair[1].here(names, name)
			answers := make([]answer, len(pair))
			var both sync.WaitGroup
			for i, w := range pair {
				both.Go(func() { answers[i] = w.do(http.MethodPost, "/domains/"+string(claims[i].ID)+"/verify", nil) })
			}
			both.Wait()
			winner := 0
			if answers[1].status == http.StatusOK {
				winner = 1
			}
			if answers[winner].status != http.StatusOK || answers[1-winner].code() != core.CodeDomainTaken {
				t.Fatalf("got %d %s and %d %s, want one winner", answers[0].status, answers[0].body, answers[1].status, answers[1].body)
			}
			pair[winner].wantDomain(name)
			pair[1-winner].wantDomain("")
		}
	})
}

func TestAPurgedProjectsDomainIsFree(t *testing.T) {
	withNames(t, func(t *testing.T, s *site, names zone) {
		w := s.signUp().create("static-html")
		claim := w.claim("shop.example.com")
		names.SetTexts(claim.TXTName, claim.TXTValue)
		w.here(names, "shop.example.com")
		if got := w.verify(claim); got.Status != core.DomainActive {
			t.Fatalf("got %s %q, want it active", got.Status, got.Message)
		}
		w.must(http.StatusNoContent, http.MethodDelete, w.path("?hard=true"), nil, nil)
		next := s.signUp().create("static-html")
		next.claim("shop.example.com")
	})
}

func TestBadDomainsAreRefused(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			for _, row := range []struct {
				body any
				code core.Code
			}{
				{fields{"domain": "127.0.0.1"}, core.CodeValidationFailed},
				{fields{"domain": "com"}, core.CodeValidationFailed},
				{fields{"domain": "co.uk"}, core.CodeValidationFailed},
				{fields{"domain": "*.example.com"}, core.CodeValidationFailed},
				{fields{"domain": "shop.localhost"}, core.CodeValidationFailed},
				{fields{"domain": "https://shop.example.com"}, core.CodeValidationFailed},
				{fields{"domain": "shop.example.com:443"}, core.CodeValidationFailed},
				{fields{"domain": "shop\x00.example.com"}, core.CodeValidationFailed},
				{fields{"domain": "xn--zz.example.com"}, core.CodeValidationFailed},
				{fields{"domain": strings.Repeat("a.", 200) + "example.com"}, core.CodeValidationFailed},
				{fields{"domain": strings.Repeat("x", 1<<19)}, core.CodeValidationFailed},
				{fields{"domain": strings.Repeat("x", 2<<20)}, core.CodePayloadTooLarge},
				{fields{"domain": nil}, core.CodeInvalidRequest},
				{fields{"domain": 1}, core.CodeInvalidRequest},
				{fields{}, core.CodeInvalidRequest},
				{fields{"domain": "shop.example.com", "status": "active"}, core.CodeInvalidRequest},
				{strings.NewReader("domain=x"), core.CodeUnsupportedMediaType},
			} {
				if got := w.do(http.MethodPost, "/domains/project/"+string(w.ID), row.body); got.code() != row.code {
					t.Errorf("%.60v: got %d %.300s, want %s", row.body, got.status, got.body, row.code)
				}
			}
			if got := w.claim("BÜCHER.example.com"); got.Name != "xn--bcher-kva.example.com" {
				t.Errorf("got %q, want the name as DNS writes it", got.Name)
			}
			for _, path := range []string{"/domains/nothing/verify", "/domains/" + string(core.NewID()) + "/verify"} {
				w.must(http.StatusNotFound, http.MethodPost, path, nil, nil)
			}
		})
	}
}
