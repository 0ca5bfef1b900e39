package sites_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// secureService is the real binary with certificates from a real authority.
type secureService struct {
	*process.Service
	*storytest.Site
	authority *pebble.Authority
	port      int
}

// startSecure starts it as studio.test, with sites below sites.test.
func startSecure(t *testing.T) *secureService {
	t.Helper()
	port, plain := conformance.FreePort(t), conformance.FreePort(t)
	authority := pebble.Start(t, pebble.Ports{HTTP: plain, TLS: port})
	service := process.Start(t, process.Build(t),
		"TLS=acme", "ACME_CA="+authority.Directory, "ACME_EMAIL=admin@example.com", fmt.Sprintf("TLS_LISTEN_ADDR=127.0.0.1:%d", port),
		fmt.Sprintf("APP_URL=https://studio.test:%d", port), fmt.Sprintf("APP_DOMAIN=sites.test:%d", port),
		"DNS_RESOLVER="+authority.Resolver, "SSL_CERT_FILE="+authority.Trust,
	)
	s := &secureService{Service: service, authority: authority, port: port}
	s.Site = &storytest.Site{T: t, URL: fmt.Sprintf("https://studio.test:%d", port), Client: s.client()}
	return s
}

// client trusts the authority, and finds the service under every name.
func (s *secureService) client() *http.Client {
	address := net.JoinHostPort("127.0.0.1", fmt.Sprint(s.port))
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: s.authority.Roots()},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}}
}

// browse asks for a page over TLS, as somebody who trusts the authority.
func (s *secureService) browse(host, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, fmt.Sprintf("https://%s:%d%s", host, s.port, path), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/html")
	answer, err := s.client().Do(request)
	if err == nil {
		answer.Body.Close()
	}
	return answer, err
}

// wantPage checks that a name has its page. A refusal from before it had one is kept for two seconds.
func (s *secureService) wantPage(host string) {
	s.T.Helper()
	var answer *http.Response
	var err error
	served := func() bool {
		answer, err = s.browse(host, "/")
		return err == nil && answer.StatusCode == http.StatusOK
	}
	if !conformance.Becomes(served) {
		s.T.Errorf("https://%s: got %v, %v, want the page\n%s", host, answer, err, s.Log())
	}
}

// wantRefused checks that a name has no certificate, and that clients learn that.
func (s *secureService) wantRefused(host string) {
	s.T.Helper()
	if answer, err := s.browse(host, "/"); err == nil {
		s.T.Errorf("https://%s: got %d, want no connection", host, answer.StatusCode)
	}
}

// published creates a project with a live site and an active domain.
func (s *secureService) published(domain string) *storytest.Work {
	s.T.Helper()
	w := s.SignUp().Create("static-html")
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{"slug": "s" + strings.ReplaceAll(string(w.ID), "-", "")}, nil)
	claim := claimName(w, domain)
	s.authority.SetTexts(claim.TXTName, claim.TXTValue)
	if got := verify(w, claim); got.Status != core.DomainActive {
		s.T.Fatalf("got %s %q, want it active", got.Status, got.Message)
	}
	return w
}

func TestSitesHaveCertificatesUnderTheirOwnNames(t *testing.T) {
	t.Parallel()
	s := startSecure(t)
	w := s.SignUp().Create("static-html")
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{"slug": "shop"}, nil)
	claim := claimName(w, "shop.example.test")
	s.wantRefused("shop.example.test")
	s.authority.SetTexts(claim.TXTName, "atelier-verify=a guess")
	s.authority.SetAddress("shop.example.test", "192.0.2.7")
	if got := verify(w, claim); got.Status != core.DomainPendingDNS {
		t.Errorf("got %s %q, want it to lead elsewhere", got.Status, got.Message)
	}
	s.authority.SetAddress("shop.example.test", "127.0.0.1")
	if got := verify(w, claim); got.Status != core.DomainPendingVerification {
		t.Errorf("got %s %q, want the proof missing", got.Status, got.Message)
	}
	s.wantRefused("shop.example.test")
	s.authority.SetTexts(claim.TXTName, claim.TXTValue)
	if got := verify(w, claim); got.Status != core.DomainActive {
		t.Fatalf("got %s %q, want it active", got.Status, got.Message)
	}
	for _, host := range []string{"shop.example.test", "shop.sites.test", "studio.test"} {
		if host == "studio.test" {
			if answer, err := s.browse(host, "/healthz"); err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("got %v, %v, want the API", answer, err)
			}
			continue
		}
		s.wantPage(host)
	}
	if answer, err := s.browse("shop.example.test", "/healthz"); err != nil || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("got %v, %v, want the site's page and nothing of the API", answer, err)
	}

	t.Run("and nobody else's", func(t *testing.T) {
		for _, host := range []string{"www.shop.example.test", "nobody.sites.test", "sites.test", "api.studio.test", "x.preview.sites.test"} {
			s.wantRefused(host)
		}
	})
	t.Run("which visitors without TLS are sent to", func(t *testing.T) {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Service.URL+"/a?b=c", nil)
		request.Host = "shop.example.test"
		answer, err := storytest.LocalClient().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got, want := answer.Header.Get("Location"), fmt.Sprintf("https://shop.example.test:%d/a?b=c", s.port); answer.StatusCode != http.StatusPermanentRedirect || got != want {
			t.Errorf("got %d to %q, want %q", answer.StatusCode, got, want)
		}
	})
	t.Run("of which each project holds its own", func(t *testing.T) {
		other := s.SignUp().Create("static-html")
		got := other.Do(http.MethodPost, "/domains/project/"+string(other.ID), storytest.Fields{"domain": "shop.example.test"})
		if got.Code() != core.CodeDomainTaken {
			t.Errorf("got %d %s, want %s", got.Status, got.Body, core.CodeDomainTaken)
		}
	})
	t.Run("and previews have one too", func(t *testing.T) {
		var preview struct{ URL string }
		w.Must(http.StatusOK, http.MethodPost, w.Path("/preview"), nil, &preview)
		host, _, _ := strings.Cut(strings.TrimPrefix(preview.URL, "https://"), ":")
		if answer, err := s.browse(host, "/"); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: got %v, %v, want the preview", host, answer, err)
		}
	})
	t.Run("and keep them through a restart", func(t *testing.T) {
		s.authority.Close()
		s.Stop()
		s.Restart()
		s.wantPage("shop.example.test")
	})
	t.Run("until the domain is given up", func(t *testing.T) {
		w.Must(http.StatusNoContent, http.MethodDelete, "/domains/"+string(claim.ID), nil, nil)
		s.Stop()
		s.Restart()
		s.wantRefused("shop.example.test")
		s.wantPage("shop.sites.test")
	})
	if log := s.Log(); strings.Contains(log, "PRIVATE KEY") || strings.Contains(log, claim.TXTValue) {
		t.Errorf("got %q, want no secret in the log", log)
	}
}

func TestAnAuthorityThatIsAwayLeavesOtherSitesAlone(t *testing.T) {
	s := startSecure(t)
	s.published("old.example.test")
	s.wantPage("old.example.test")
	s.authority.Close()
	s.published("new.example.test")
	if _, err := s.browse("new.example.test", "/"); err == nil {
		t.Error("got a page of a name that can have no certificate, want no connection")
	}
	s.wantRefused("new.example.test")
	s.wantPage("old.example.test")
	if log := s.Log(); !strings.Contains(log, "could not obtain a certificate") || !strings.Contains(log, "new.example.test") {
		t.Errorf("got %q, want the log to say which name waits for what", log)
	}
	if status, _ := visit(s.Site, "new.example.test", "/"); status != http.StatusOK {
		t.Errorf("got %d over plain HTTP, want the site", status)
	}
}
