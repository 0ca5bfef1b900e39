// Package netguardtest tests a netguard.Guard against its port.
package netguardtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
)

// Harness is a guard and the network that it sees. A server listens on
// loopback; it answers "canary" to every path but /redirect, which redirects to
// the URL in its query's to.
type Harness struct {
	Guard netguard.Guard
	// Port is the server's, on 127.0.0.1.
	Port int
	// Hits counts the requests that reached the server.
	Hits func() int
	// Resolve sets the addresses of a name from now on.
	Resolve func(name string, addrs ...string)
}

// Run tests a netguard.Guard against its contract.
func Run(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	clauses := []struct {
		name  string
		check func(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness)
	}{
		// First, because net/http reads the environment's proxy once a process.
		{"no proxy is used", usesNoProxy},
		{"every spelling is judged by what it means", judgesSpellings},
		{"no spelling of a forbidden address is reached", reachesNoSpelling},
		{"a name that leads to a forbidden address is refused", refusesNames},
		{"a name whose address changes is judged at every connection", survivesRebinding},
		{"private addresses are reached where they are permitted", reachesPrivate},
		{"a redirect is handed back and not followed", followsNothing},
		{"a connection is judged as a request is", judgesConnections},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, open) })
	}
}

// Class is a guard's view of a URL.
type Class int

// The classes of URLs.
const (
	// Public passes the check.
	Public Class = iota
	// Private passes where private networks are permitted.
	Private
	// Never is forbidden everywhere.
	Never
	// NoURL cannot be parsed as a URL. A guard may also refuse it as forbidden.
	NoURL
)

func judgesSpellings(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	for _, allowPrivate := range []bool{false, true} {
		guard := open(t, allowPrivate).Guard
		for class, spellings := range Spellings() {
			for _, text := range spellings {
				err := guard.Check(text)
				if !agrees(class, allowPrivate, err) {
					t.Errorf("private networks permitted %v: %q: got %v, want class %d", allowPrivate, text, err, class)
				}
			}
		}
	}
}

func agrees(class Class, allowPrivate bool, err error) bool {
	code := core.CodeOf(err)
	switch {
	case class == Public, class == Private && allowPrivate:
		return err == nil
	case class == NoURL:
		return code == core.CodeValidationFailed || code == core.CodeForbiddenAddress
	}
	return code == core.CodeForbiddenAddress
}

func reachesNoSpelling(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	network := open(t, false)
	for class, spellings := range Spellings() {
		if class == Public {
			continue
		}
		for _, text := range spellings {
			// Each spelling is tried with the canary's port, which decides nothing.
			if parsed, err := url.Parse(text); err == nil && parsed.Port() == "" && parsed.Host != "" {
				parsed.Host += fmt.Sprintf(":%d", network.Port)
				text = parsed.String()
			}
			if err := get(t, network, text); err == nil {
				t.Errorf("%q: got an answer, want an error", text)
			}
		}
	}
	if hits := network.Hits(); hits != 0 {
		t.Errorf("hits: got %d, want 0", hits)
	}
}

// get gets a URL on a connection of its own.
func get(t *testing.T, network Harness, address string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := network.Guard.Client()
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	client.CloseIdleConnections()
	if err == nil && !strings.Contains(string(body), "canary") {
		err = fmt.Errorf("got %q, want the canary", body)
	}
	return err
}

func refusesNames(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	network := open(t, false)
	for i, addrs := range [][]string{
		{"127.0.0.1"}, {"127.8.8.8"}, {"10.0.0.1"}, {"192.168.1.1"}, {"172.31.0.1"}, {"169.254.169.254"}, {"0.0.0.0"},
		{"100.64.0.1"}, {"::1"}, {"::"}, {"fe80::1"}, {"fd00:ec2::254"}, {"fc00::1"}, {"::ffff:127.0.0.1"}, {"64:ff9b::7f00:1"},
		{"2002:7f00:1::"}, {"127.0.0.1", "::1"}, {"10.0.0.1", "127.0.0.1", "169.254.169.254"},
	} {
		name := fmt.Sprintf("host-%d.guard.test", i)
		network.Resolve(name, addrs...)
		address := fmt.Sprintf("http://%s:%d/", name, network.Port)
		if err := network.Guard.Check(address); err != nil {
			t.Errorf("Check of a name: got %v, want no error", err)
		}
		if err := get(t, network, address); !core.IsCode(err, core.CodeForbiddenAddress) {
			t.Errorf("%s at %q: got %v, want %s", name, addrs, err, core.CodeForbiddenAddress)
		}
	}
	if hits := network.Hits(); hits != 0 {
		t.Errorf("hits: got %d, want 0", hits)
	}
}

func survivesRebinding(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	network := open(t, true)
	address := fmt.Sprintf("http://rebind.guard.test:%d/", network.Port)
	for i := range 5 {
		network.Resolve("rebind.guard.test", "127.0.0.1")
		if err := get(t, network, address); err != nil {
			t.Errorf("round %d, permitted: got %v, want no error", i, err)
		}
		network.Resolve("rebind.guard.test", "169.254.169.254")
		if err := get(t, network, address); !core.IsCode(err, core.CodeForbiddenAddress) {
			t.Errorf("round %d, forbidden: got %v, want %s", i, err, core.CodeForbiddenAddress)
		}
	}
	network.Resolve("rebind.guard.test", "169.254.169.254", "127.0.0.1")
	if err := get(t, network, address); err != nil {
		t.Errorf("a permitted address beside a forbidden one: got %v, want no error", err)
	}
}

func reachesPrivate(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	network := open(t, true)
	if err := get(t, network, fmt.Sprintf("http://127.0.0.1:%d/", network.Port)); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if hits := network.Hits(); hits != 1 {
		t.Errorf("hits: got %d, want 1", hits)
	}
}

func followsNothing(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	network := open(t, true)
	for _, target := range []string{
		"http://169.254.169.254/latest/meta-data/", fmt.Sprintf("http://127.0.0.1:%d/", network.Port), "file:///etc/passwd",
	} {
		address := fmt.Sprintf("http://127.0.0.1:%d/redirect?to=%s", network.Port, url.QueryEscape(target))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := network.Hits()
		response, err := network.Guard.Client().Do(request)
		if err != nil {
			t.Errorf("redirect to %s: got %v, want the redirect itself", target, err)
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusFound || response.Header.Get("Location") != target {
			t.Errorf("redirect: got %d to %q, want 302 to %q", response.StatusCode, response.Header.Get("Location"), target)
		}
		if hits := network.Hits() - before; hits != 1 {
			t.Errorf("hits: got %d, want 1", hits)
		}
	}
}

// dial connects and asks for the canary.
func dial(t *testing.T, network Harness, address string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := network.Guard.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		return err
	}
	got, err := io.ReadAll(conn)
	if !strings.Contains(string(got), "canary") {
		return fmt.Errorf("got %q, %w, want the canary", got, err)
	}
	return nil
}

func judgesConnections(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	for _, allowPrivate := range []bool{false, true} {
		network := open(t, allowPrivate)
		network.Resolve("home.guard.test", "127.0.0.1")
		network.Resolve("metadata.guard.test", "169.254.169.254")
		for _, host := range []string{"127.0.0.1", "home.guard.test"} {
			err := dial(t, network, fmt.Sprintf("%s:%d", host, network.Port))
			if allowPrivate && err != nil || !allowPrivate && !core.IsCode(err, core.CodeForbiddenAddress) {
				t.Errorf("%s with private networks permitted %v: got %v", host, allowPrivate, err)
			}
		}
		for _, host := range []string{"metadata.guard.test", "169.254.169.254", "2130706433", "0x7f.1", "metadata.google.internal", "[fe80::1]"} {
			if err := dial(t, network, fmt.Sprintf("%s:%d", host, network.Port)); !core.IsCode(err, core.CodeForbiddenAddress) {
				t.Errorf("%s: got %v, want %s", host, err, core.CodeForbiddenAddress)
			}
		}
		if err := dial(t, network, fmt.Sprintf("unknown.guard.test:%d", network.Port)); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("a name without an address: got %v, want %s", err, core.CodeUnavailable)
		}
		for _, address := range []string{"", "home.guard.test", "home.guard.test:", ":80", "home.guard.test:http", "home.guard.test:0", "a b:80", "a@home.guard.test:80"} {
			if err := dial(t, network, address); !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("%q: got %v, want %s", address, err, core.CodeValidationFailed)
			}
		}
	}
}

func usesNoProxy(t *testing.T, open func(t *testing.T, allowPrivate bool) Harness) {
	// The proxy's address is permitted, the target's is not.
	network := open(t, true)
	proxy := fmt.Sprintf("http://127.0.0.1:%d", network.Port)
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	network.Resolve("proxied.guard.test", "169.254.169.254")
	err := get(t, network, fmt.Sprintf("http://proxied.guard.test:%d/", network.Port))
	if !core.IsCode(err, core.CodeForbiddenAddress) || network.Hits() != 0 {
		t.Errorf("got %v and %d hits, want %s and none", err, network.Hits(), core.CodeForbiddenAddress)
	}
}
