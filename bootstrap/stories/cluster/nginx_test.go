package cluster

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/ports/conformance"
)

// nginx puts the example's proxy in front of two processes that serve and two with
// rooms, without its certificates, and returns the address of both.
func (c *cluster) nginx(serves, rooms [2]*process.Service) *process.Service {
	c.t.Helper()
	example, err := os.ReadFile("../../examples/cluster/nginx.conf")
	if err != nil {
		c.t.Fatal(err)
	}
	port := conformance.FreePort(c.t)
	replaced := []string{"listen 443 ssl;", fmt.Sprintf("listen 127.0.0.1:%d;", port)}
	for i, machine := range []string{"10.0.0.2", "10.0.0.3"} {
		for at, service := range map[string]*process.Service{":8080": serves[i], ":8081": rooms[i]} {
			replaced = append(replaced, machine+at, strings.TrimPrefix(service.URL, "http://"))
		}
	}
	var http []string
	for line := range strings.Lines(strings.NewReplacer(replaced...).Replace(string(example))) {
		if !strings.HasPrefix(line, "ssl_certificate") {
			http = append(http, line)
		}
	}
	who, err := user.Current()
	if err != nil {
		c.t.Fatal(err)
	}
	dir := c.t.TempDir()
	config := fmt.Sprintf("user %s; daemon off; pid %[2]s/pid; error_log %[2]s/error.log;\nevents {}\nhttp {\naccess_log off;\n"+
		"client_body_temp_path %[2]s/b; proxy_temp_path %[2]s/p; fastcgi_temp_path %[2]s/f; uwsgi_temp_path %[2]s/u; scgi_temp_path %[2]s/s;\n%[3]s}\n",
		who.Username, dir, strings.Join(http, ""))
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		c.t.Fatal(err)
	}
	command := exec.Command("/usr/sbin/nginx", "-c", path, "-p", dir)
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if log, _ := os.ReadFile(filepath.Join(dir, "error.log")); c.t.Failed() {
			c.t.Logf("nginx says\n%s", log)
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	listens(c.t, "nginx", address)
	return &process.Service{URL: "http://" + address}
}

// TestNginxPassesEverythingOn uses the processes through the example's proxy: it writes
// files, types in the room, talks to the agent and follows it.
func TestNginxPassesEverythingOn(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	var second, rooms, others *process.Service
	together(t, func() { second = c.serve() }, func() { rooms = c.rooms() }, func() { others = c.rooms() })
	everythingWorks(t, c, c.nginx([2]*process.Service{c.first, second}, [2]*process.Service{rooms, others}))
}

// TestNginxSendsNobodyAwayWhileProcessesRestart stops one process after the other, as an
// update does, and asks while only the other is there: one that was away a moment ago
// counts as soon as it is back.
func TestNginxSendsNobodyAwayWhileProcessesRestart(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	second := c.serve()
	both := [2]*process.Service{c.first, second}
	front, who := c.nginx(both, both), c.signUp()
	for range 2 {
		for _, restarted := range both {
			restarted.Stop()
			for i := range 4 {
				who.call(front, http.StatusOK, http.MethodGet, "/auth/me", "", nil)
				who.call(front, http.StatusCreated, http.MethodPost, "/workspaces", fmt.Sprintf(`{"name": "W%d"}`, i), nil)
			}
			restarted.Restart()
		}
	}
}

// everythingWorks puts load on processes through a proxy.
func everythingWorks(t *testing.T, c *cluster, front *process.Service) {
	t.Helper()
	l := begin(t, c, []*process.Service{front}, []*process.Service{front})
	for range 3 {
		l.moves()
	}
	l.stop()
	l.checkChat()
	l.checkNumbers(c)
	l.checkTyping(c)
}
