package attacks_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestEveryRouteOfABackendAnswersAlikeFromEveryProcess plays the routes of backends against three
// processes in turn. One of them has the data of a project and the others forward to it, so that
// what a caller may has to arrive there, and only that.
func TestEveryRouteOfABackendAnswersAlikeFromEveryProcess(t *testing.T) {
	t.Parallel()
	c := newCast(threeProcesses(t))
	for _, visibility := range []core.Visibility{core.VisibilityPrivate, core.VisibilityPublic} {
		home := c.home(visibility)
		for _, route := range c.App.Routes() {
			if strings.Contains(route.Pattern(), "/backend") || nameOf(route) == "POST /projects/:projectId/publish" {
				home.play(t, route)
			}
		}
	}
}

// threeProcesses serves one installation three times, each with its own directory, and calls them in
// turn.
func threeProcesses(t *testing.T) *storytest.Site {
	t.Helper()
	nats := os.Getenv("ATELIER_TEST_NATS")
	if nats == "" {
		t.Fatal("ATELIER_TEST_NATS is not set: run `make test`, which starts a NATS server for the tests")
	}
	shared := t.TempDir()
	env := storytest.Postgres(t)
	maps.Copy(env, map[string]string{
		"NATS_URL": nats, "NATS_PREFIX": "test-" + string(core.NewID()), "COLLAB_EMBEDDED": "off",
		"PROJECTS_ROOT": filepath.Join(shared, "projects"), "SITES_DIR": filepath.Join(shared, "sites"),
		"JWT_SECRET": strings.Repeat("s", 64), "ENCRYPTION_KEY": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
	})
	var sites []*storytest.Site
	turn := &inTurn{}
	for range 3 {
		env["PEER_ADDR"] = fmt.Sprintf("127.0.0.1:%d", conformance.FreePort(t))
		site := storytest.Serve(t, t.TempDir(), local.New, env)
		address, err := url.Parse(site.URL)
		if err != nil {
			t.Fatal(err)
		}
		turn.hosts, sites = append(turn.hosts, address.Host), append(sites, site)
	}
	turn.over = sites[0].Client.Transport
	sites[0].Client.Transport = turn
	return sites[0]
}

// inTurn is an http.RoundTripper that sends each request to the next of several hosts.
type inTurn struct {
	hosts []string
	over  http.RoundTripper
	next  atomic.Uint64
}

// RoundTrip implements http.RoundTripper.
func (i *inTurn) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = i.hosts[i.next.Add(1)%uint64(len(i.hosts))]
	r.Host = r.URL.Host
	return i.over.RoundTrip(r)
}
