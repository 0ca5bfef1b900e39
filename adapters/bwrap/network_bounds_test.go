package bwrap_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sandbox/sandboxtest"
)

// networkRunner gives every command a network.
type networkRunner struct{ sandbox.Runner }

// Run implements sandbox.Runner.
func (n networkRunner) Run(ctx context.Context, project core.ID, command sandbox.Command) (sandbox.Outcome, error) {
	command.Hosts = core.HostPatterns{"*.allowed.test"}
	return n.Runner.Run(ctx, project, command)
}

func TestIsolationWithANetwork(t *testing.T) {
	sandboxtest.RunIsolation(t, func(t *testing.T) sandboxtest.Cell {
		p := newPlace(t)
		bench := p.bench(bwrap.ModeBwrap)
		bench.Runner = networkRunner{bench.Runner}
		return sandboxtest.Cell{
			Harness: bench, Dir: p.dir, Unconfined: p.runner(bwrap.ModeUnsafe, nil),
			FileBytes: tight.FileBytes, DiskBytes: tight.DiskBytes, MemoryBytes: tight.MemoryBytes, ScratchBytes: tight.ScratchBytes,
		}
	})
}

func TestAnAllowedNameOfAForbiddenAddressIsRefused(t *testing.T) {
	t.Parallel()
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	for _, private := range []bool{false, true} {
		guard := memory.NewGuard().Handle("127.0.0.1", hello).Handle("169.254.169.254", hello).
			Resolve("home.allowed.test", netip.MustParseAddr("127.0.0.1")).Resolve("metadata.allowed.test", netip.MustParseAddr("169.254.169.254"))
		if private {
			guard.AllowPrivate()
		}
		n := newInternet(t, func(c *bwrap.Config) { c.Guard = guard })
		for host, reached := range map[string]bool{"home": private, "metadata": false} {
			got := n.run(t, "curl -sS http://"+host+".allowed.test/")
			if strings.Contains(got.Output, "hello") != reached || !reached && !strings.Contains(got.Output, "resolves to an address that is not allowed") {
				t.Errorf("%s over HTTP with private networks permitted %v: got %+v", host, private, got)
			}
			if got = n.say(t, "CONNECT "+host+".allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.0\r\n\r\n"); strings.HasPrefix(got.Output, "HTTP/1.1 200 ") != reached || !reached && !strings.HasPrefix(got.Output, "HTTP/1.1 403 ") {
				t.Errorf("%s by a tunnel with private networks permitted %v: got %+v", host, private, got)
			}
		}
	}
}

func TestAHostThatDoesNotAnswerIsABadGateway(t *testing.T) {
	n := newInternet(t, nil)
	got := n.run(t, "curl -sS -w '%{http_code}' http://gone.allowed.test/; curl -sS https://gone.allowed.test/")
	if !strings.Contains(got.Output, "gone.allowed.test could not be reached\n502") || !strings.Contains(got.Output, "response 502") || got.Refused != nil {
		t.Errorf("got %+v, want a bad gateway twice", got)
	}
}

func TestCommandsDoNotShareTheirNetworks(t *testing.T) {
	n := newInternet(t, nil)
	ended := make(chan sandbox.Outcome, 1)
	go func() {
		got, err := n.Runner.Run(t.Context(), n.Project, sandbox.Command{Line: "touch open; while [ ! -e go ]; do sleep 0.05; done; curl -sS http://api.allowed.test/", Hosts: n.hosts})
		if err != nil {
			t.Error(err)
		}
		ended <- got
	}()
	conformance.Eventually(t, "the first command", func() bool { _, found := n.Read("open"); return found })
	ask := "curl -sS -m 5 -x http://127.0.0.1:3128 http://api.allowed.test/"
	without, err := n.Runner.Run(t.Context(), n.Other, sandbox.Command{Line: ask + "; env"})
	if err != nil || !strings.Contains(without.Output, "Failed to connect") || strings.Contains(strings.ToLower(without.Output), "_proxy=") {
		t.Errorf("without hosts: got %+v, %v, want no proxy", without, err)
	}
	others, err := n.Runner.Run(t.Context(), n.Other, sandbox.Command{Line: ask, Hosts: core.HostPatterns{"elsewhere.test"}})
	if err != nil || !strings.Contains(others.Output, "may not reach api.allowed.test, only: elsewhere.test") {
		t.Errorf("with other hosts: got %+v, %v, want it refused by those", others, err)
	}
	n.Write("go", "x")
	if got := <-ended; !strings.HasPrefix(got.Output, "hello from") {
		t.Errorf("got %+v, want the first command's network to last", got)
	}
}

// holdOpen opens tunnels that stay, in the background, and says "held".
func holdOpen(tunnels int) string {
	return fmt.Sprintf(`perl -MIO::Socket::INET -e '$SIG{HUP} = "IGNORE"; for (1 .. %d) { my $s = IO::Socket::INET->new("127.0.0.1:3128") or die; `+
		`print $s "CONNECT echo.allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"; $s->flush; push @all, $s } `+
		`for my $s (@all) { my $line = <$s>; open(my $f, ">>", "held"); print $f $line } sleep 60' >/dev/null 2>&1 & `, tunnels)
}

// openDescriptors counts the descriptors of this process, without the pipes that
// Go keeps between copies until it collects garbage.
func openDescriptors(t *testing.T) int {
	t.Helper()
	runtime.GC()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestNothingOfTheNetworkOutlivesTheCommand(t *testing.T) {
	n := newInternet(t, nil)
	n.run(t, "true")
	before := openDescriptors(t)
	n.run(t, holdOpen(3)+`until [ "$(grep -c 200 held)" = 3 ]; do sleep 0.05; done`)
	if got := n.mostEchoing.Load(); got != 3 {
		t.Fatalf("got %d tunnels, want three to end", got)
	}
	conformance.Eventually(t, "the end of the tunnels", func() bool { return n.echoing.Load() == 0 })
	conformance.Eventually(t, "closed descriptors", func() bool { return openDescriptors(t) <= before })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conformance.Becomes(func() bool { return n.echoing.Load() > 0 })
		cancel()
	}()
	if _, err := n.Runner.Run(ctx, n.Project, sandbox.Command{Line: holdOpen(1) + "sleep 60", Hosts: n.hosts}); err == nil {
		t.Error("got no error, want the context's")
	}
	conformance.Eventually(t, "the end of the tunnel", func() bool { return n.echoing.Load() == 0 })
	conformance.Eventually(t, "closed descriptors", func() bool { return openDescriptors(t) <= before })
}

func TestAHostThatDoesNotHangUpHoldsNothingUp(t *testing.T) {
	n := newInternet(t, nil)
	ended := make(chan error, 1)
	go func() {
		line := strings.ReplaceAll(holdOpen(1), "echo.allowed", "stubborn.allowed") + `until [ "$(grep -c 200 held)" = 1 ]; do sleep 0.05; done`
		_, err := n.Runner.Run(t.Context(), n.Project, sandbox.Command{Line: line, Hosts: n.hosts})
		ended <- err
	}()
	if err := conformance.Await(t, "the end of the command", ended); err != nil {
		t.Error(err)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	n := newInternet(t, nil)
	const most = 64
	n.run(t, holdOpen(2*most)+fmt.Sprintf("until [ \"$(grep -c 200 held)\" = %d ]; do sleep 0.05; done; sleep 0.3", most))
	if got := n.mostEchoing.Load(); got != most {
		t.Errorf("got %d connections at once, want %d", got, most)
	}
}

func TestTrafficIsBounded(t *testing.T) {
	n := newInternet(t, func(c *bwrap.Config) { c.Limits.NetworkBytes = 1 << 20 })
	if got := n.run(t, "for i in 1 2 3; do curl -sS http://api.allowed.test/ >/dev/null; done; echo fine"); got.Output != "fine\n" {
		t.Errorf("a little: got %+v, want it to work", got)
	}
	line := `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new("127.0.0.1:3128") or die; print $s "CONNECT echo.allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"; ` +
		`$s->flush; my $line = <$s>; print $s "x" x 65536 while 1'`
	if got := n.run(t, line); got.Ended != sandbox.LimitNetwork {
		t.Errorf("too much: got %+v, want it ended", got)
	}
}

func TestAHelperThatDoesNotWorkIsNamed(t *testing.T) {
	for name, path := range map[string]string{"none": "", "no program": "/no/such/program", "another program": "/bin/true", "one that fails": failing(t, "echo I cannot >&2; exit 3")} {
		p := newPlace(t)
		runner := p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Helper = path })
		project := p.project()
		_, err := runner.Run(t.Context(), project, sandbox.Command{Line: "touch made", Hosts: core.HostPatterns{"a.allowed.test"}})
		for _, err := range []error{err, runner.Network(t.Context())} {
			if !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), "commands have no network here") {
				t.Errorf("%s: got %v, want sandbox_unavailable that says so", name, err)
			}
		}
		if err := runner.Available(t.Context()); err != nil {
			t.Errorf("%s: got %v, want commands without a network", name, err)
		}
		if _, err := os.Stat(p.dir(project) + "/made"); err == nil {
			t.Errorf("%s: got the command run, want it refused", name)
		}
	}
}

func TestWithoutIsolationThereIsNoListOfHosts(t *testing.T) {
	p := newPlace(t)
	if err := p.runner(bwrap.ModeUnsafe, nil).Network(t.Context()); !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), "SANDBOX=unsafe") {
		t.Errorf("got %v, want the setting named", err)
	}
	if err := p.runner(bwrap.ModeOff, nil).Network(t.Context()); !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), "SANDBOX=off") {
		t.Errorf("got %v, want the setting named", err)
	}
}

func TestTheHelperIsForTheServiceAlone(t *testing.T) {
	if err := bwrap.Enter(nil); err == nil {
		t.Error("got no error, want one without a program")
	}
}
