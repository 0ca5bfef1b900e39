package npm_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
)

// witness is a registry that remembers the tokens that were sent to it.
type witness struct {
	*fakeRegistry
	mu     sync.Mutex
	tokens []string
}

func newWitness(t *testing.T) *witness {
	w := &witness{fakeRegistry: newFakeRegistry(t)}
	w.watch(func(http.ResponseWriter, *http.Request) bool { return false })
	return w
}

func (w *witness) watch(before func(http.ResponseWriter, *http.Request) bool) {
	w.intercept(func(answer http.ResponseWriter, r *http.Request) bool {
		w.mu.Lock()
		w.tokens = append(w.tokens, r.Header.Get("Authorization"))
		w.mu.Unlock()
		return before(answer, r)
	})
}

// seen returns the tokens without repetition.
func (w *witness) seen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var distinct []string
	known := make(map[string]bool)
	for _, token := range w.tokens {
		if !known[token] {
			known[token] = true
			distinct = append(distinct, token)
		}
	}
	return strings.Join(distinct, ",")
}

func openPrivate(t *testing.T, config npm.Config) *npm.Resolver {
	t.Helper()
	config.Dir = t.TempDir()
	resolver, err := npm.New(config)
	if err != nil {
		t.Fatal(err)
	}
	npm.RetryQuickly(resolver)
	return resolver
}

func TestATokenGoesToItsRegistry(t *testing.T) {
	registry := newWitness(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	install(t, openPrivate(t, npm.Config{Registry: npm.Source{URL: registry.URL + "/", Token: "secret"}}), map[string]string{"engine": "*"})
	if got := registry.seen(); got != "Bearer secret" {
		t.Errorf("got %q, want the token with every request", got)
	}
}

func TestATokenGoesToNoOtherHost(t *testing.T) {
	registry, other := newWitness(t), newWitness(t)
	registry.publish(t, "engine", "1.0.0", nil, nil)
	other.publish(t, "engine", "1.0.0", nil, nil)
	path := registry.tarballPath("engine", "1.0.0")
	config := npm.Config{Registry: npm.Source{URL: registry.URL, Token: "secret"}, PrivateNetworks: true}
	t.Run("by the address of an archive", func(t *testing.T) {
		dist := registry.packuments["engine"].Versions["1.0.0"]["dist"].(map[string]string)
		registry.setDist("engine", "1.0.0", map[string]string{"integrity": dist["integrity"], "tarball": other.URL + path})
		install(t, openPrivate(t, config), map[string]string{"engine": "*"})
	})
	t.Run("by a redirect", func(t *testing.T) {
		registry.watch(func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
			return true
		})
		install(t, openPrivate(t, config), map[string]string{"engine": "*"})
	})
	t.Run("by a redirect and back", func(t *testing.T) {
		registry.watch(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Has("back") {
				return false
			}
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
			return true
		})
		other.watch(func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, registry.URL+r.URL.Path+"?back", http.StatusFound)
			return true
		})
		install(t, openPrivate(t, config), map[string]string{"engine": "*"})
	})
	if got := other.seen(); got != "" {
		t.Errorf("got %q at the other host, want no token", got)
	}
}

func TestAScopeHasARegistryOfItsOwn(t *testing.T) {
	public, acme := newWitness(t), newWitness(t)
	public.publish(t, "engine", "1.0.0", nil, nil)
	public.publish(t, "@acme/engine", "6.6.6", nil, nil)
	acme.publish(t, "@acme/engine", "1.0.0", map[string]any{"dependencies": map[string]string{"engine": "*"}}, nil)
	resolver := openPrivate(t, npm.Config{
		Registry: npm.Source{URL: public.URL},
		Scopes:   map[string]npm.Source{"@acme": {URL: acme.URL, Token: "secret"}},
	})
	set := install(t, resolver, map[string]string{"@acme/engine": "*"})
	wantVersion(t, versionsIn(t, set.Dir), "@acme/engine", "@acme/engine@1.0.0")
	if got := acme.seen(); got != "Bearer secret" {
		t.Errorf("got %q at the scope's registry, want its token", got)
	}
	if got := public.seen(); got != "" {
		t.Errorf("got %q at the public registry, want no token", got)
	}
	if _, err := npm.New(npm.Config{Dir: t.TempDir(), Scopes: map[string]npm.Source{"@acme": {URL: "nowhere"}}}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("a scope's invalid address: got %v, want code %s", err, core.CodeValidationFailed)
	}
}

func TestNoErrorRepeatsAToken(t *testing.T) {
	registry := newWitness(t)
	registry.watch(func(w http.ResponseWriter, r *http.Request) bool {
		http.Error(w, r.Header.Get("Authorization"), http.StatusForbidden)
		return true
	})
	config := npm.Config{Registry: npm.Source{URL: registry.URL, Token: "s3cr3t"}}
	_, err := openPrivate(t, config).Install(t.Context(), map[string]string{"engine": "*"})
	registry.Close()
	_, closed := openPrivate(t, config).Install(t.Context(), map[string]string{"engine": "*"})
	for _, got := range []error{err, closed} {
		if got == nil || strings.Contains(got.Error(), "s3cr3t") {
			t.Errorf("got %v, want an error without the token", got)
		}
	}
}

// The operator's own registry may be on a private address, as the fake one is; it
// may not send requests on to another.
func TestARegistryLeadsToNoPrivateAddress(t *testing.T) {
	reached := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	targets := []string{
		inside.URL + "/", strings.Replace(inside.URL, "127.0.0.1", "localhost", 1) + "/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/",
		"http://[::1]:80/", "http://2130706433/", "http://metadata.google.internal/", "file:///etc/passwd", "gopher://127.0.0.1/",
	}
	for _, target := range targets {
		for name, asArchive := range map[string]bool{"a redirect": false, "the address of an archive": true} {
			registry := newFakeRegistry(t)
			registry.publish(t, "engine", "1.0.0", nil, nil)
			if asArchive {
				registry.setDist("engine", "1.0.0", map[string]string{"integrity": "sha512-" + strings.Repeat("A", 86) + "==", "tarball": target})
			} else {
				registry.intercept(func(w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Location", target)
					w.WriteHeader(http.StatusFound)
					return true
				})
			}
			_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
			if !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("%s to %s: got %v, want code %s", name, target, err, core.CodeUnavailable)
			}
			if asked := registry.asked(); len(asked) != 1 {
				t.Errorf("%s to %s: got requests %q, want no second try", name, target, asked)
			}
		}
	}
	if reached {
		t.Error("got a request at an address that is not the registry's")
	}
}

func TestARedirectInACircleEnds(t *testing.T) {
	registry := newFakeRegistry(t)
	registry.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
		return true
	})
	if _, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}
