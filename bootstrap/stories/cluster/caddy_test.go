package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/domains"
	"github.com/atelierhq/atelier/ports/conformance"
)

// proxy is the example's Caddy, which people reach without certificates at its URL, and
// with those of an authority at the names of their own domains.
type proxy struct {
	*process.Service
	authority *pebble.Authority
	ports     pebble.Ports
}

// caddy puts the example's proxy in front of processes. The certificate of its wildcards
// is one of its own making, and the studio has none.
func (c *cluster) caddy(authority *pebble.Authority, ports pebble.Ports, serves, rooms []*process.Service) proxy {
	c.t.Helper()
	example, err := os.ReadFile("../../examples/cluster/Caddyfile")
	if err != nil {
		c.t.Fatal(err)
	}
	dir, studio, ask := c.t.TempDir(), conformance.FreePort(c.t), conformance.FreePort(c.t)
	config := strings.NewReplacer(
		"\n{\n", fmt.Sprintf("\n{\nadmin off\nskip_install_trust\nhttp_port %d\nhttps_port %d\nacme_ca %s\nacme_ca_root %s\n", ports.HTTP, ports.TLS, authority.Directory, authority.Trust),
		"\natelier.example.com {", fmt.Sprintf("\nhttp://127.0.0.1:%d {", studio),
		"Host atelier.example.com", "Host localhost",
		"localhost:2020", fmt.Sprintf("localhost:%d", ask),
		"tls /etc/ssl/atelier/fullchain.pem /etc/ssl/atelier/key.pem", "tls internal",
	).Replace(string(example))
	path := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		c.t.Fatal(err)
	}
	var said strings.Builder
	command := exec.Command("caddy", "run", "--config", path, "--adapter", "caddyfile")
	command.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "SERVE="+addresses(serves), "ROOMS="+addresses(rooms))
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if c.t.Failed() {
			c.t.Logf("Caddy says\n%s", &said)
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", studio)
	listens(c.t, "Caddy", address)
	return proxy{&process.Service{URL: "http://" + address}, authority, ports}
}

// addresses are those of processes, as Caddy takes them.
func addresses(of []*process.Service) string {
	var all []string
	for _, at := range of {
		all = append(all, strings.TrimPrefix(at.URL, "http://"))
	}
	return strings.Join(all, " ")
}

// visit asks for the first page of a name over TLS, as somebody who trusts the authority.
func (p proxy) visit(ctx context.Context, name string) (status int, err error) {
	client := http.Client{Timeout: patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: p.authority.Roots()},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", p.ports.TLS))
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+name+"/", nil)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// TestCaddyPassesEverythingOn uses the processes through the example's proxy, and visits
// a custom domain.
func TestCaddyPassesEverythingOn(t *testing.T) {
	t.Parallel()
	ports := pebble.Ports{HTTP: conformance.FreePort(t), TLS: conformance.FreePort(t)}
	authority := pebble.Start(t, ports)
	c := prepare(t)
	c.env = append(c.env, "DNS_RESOLVER="+authority.Resolver)
	c.first = c.serve()
	var second, rooms, others *process.Service
	together(t, func() { second = c.serve() }, func() { rooms = c.rooms() }, func() { others = c.rooms() })
	front := c.caddy(authority, ports, []*process.Service{c.first, second}, []*process.Service{rooms, others})

	t.Run("what people do", func(t *testing.T) { everythingWorks(t, c, front.Service) })
	t.Run("a domain of somebody's own", func(t *testing.T) {
		who := c.signUp()
		who.publish(front.Service)
		who.claim(front, "shop.example.org")
		if status, err := front.visit(t.Context(), "shop.example.org"); err != nil || status != http.StatusOK {
			t.Errorf("got %d, %v, want the site with a certificate of the authority", status, err)
		}
	})
	t.Run("a name without a site", func(t *testing.T) {
		if status, err := front.visit(t.Context(), "nobody.example.org"); err == nil {
			t.Errorf("got %d, want no certificate and so no answer", status)
		}
	})
}

// publish puts the caller's project on the net.
func (who *caller) publish(at *process.Service) {
	who.t.Helper()
	slug := "s" + strings.ReplaceAll(string(who.project), "-", "")
	who.call(at, http.StatusOK, http.MethodPost, "/projects/"+string(who.project)+"/publish", toJSON(who.t, map[string]string{"slug": slug}), nil)
}

// claim makes a domain lead to the caller's project.
func (who *caller) claim(front proxy, name string) {
	who.t.Helper()
	var claim domains.View
	who.call(front.Service, http.StatusCreated, http.MethodPost, "/domains/project/"+string(who.project), toJSON(who.t, map[string]string{"domain": name}), &claim)
	front.authority.SetTexts(claim.TXTName, claim.TXTValue)
	who.call(front.Service, http.StatusOK, http.MethodPost, "/domains/"+string(claim.ID)+"/verify", "", &claim)
	if claim.Status != core.DomainActive {
		who.t.Fatalf("got %s %q, want the domain active", claim.Status, claim.Message)
	}
}
