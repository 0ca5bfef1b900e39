package bwrap_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sandbox/sandboxtest"
)

// TestMain lets the tests' own program be the helper, and a service.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == bwrap.EnterCommand {
		fmt.Fprintln(os.Stderr, "helper:", bwrap.Enter(os.Args[2:]))
		os.Exit(125)
	}
	if len(os.Args) == 4 && os.Args[1] == keepRunningCommand {
		keepRunning(os.Args[2], core.ID(os.Args[3]))
		os.Exit(0)
	}
	if err := sandboxWorks(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// sandboxWorks tries bubblewrap before the tests do: many of them wait for something
// inside a sandbox, and where it does not work they would wait until their time is up.
func sandboxWorks() error {
	err := bwrap.New(bwrap.Config{Mode: bwrap.ModeBwrap, Log: slog.New(slog.DiscardHandler)}).Available(context.Background())
	if err != nil {
		return fmt.Errorf("these tests need bubblewrap: %w", err)
	}
	return nil
}

// helper is the path of the helper.
func helper(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// directory is a guard that connects to the addresses that it lists, whatever
// they are.
type directory struct {
	*memory.Guard
	listed map[string]string
}

// Dial implements netguard.Guard.
func (d directory) Dial(ctx context.Context, address string) (net.Conn, error) {
	real, listed := d.listed[address]
	if !listed {
		return nil, core.Errorf(core.CodeUnavailable, "%s is not listed", address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", real)
}

// internet is a place whose commands reach servers of the test: api.allowed.test by TLS
// and by plain HTTP, and echo.allowed.test, which returns what it receives.
type internet struct {
	sandboxtest.Harness
	place *place
	hosts core.HostPatterns
	// seen are the requests that reached the server.
	mu   sync.Mutex
	seen []*http.Request
	// echoing counts the connections to echo.allowed.test; mostEchoing is the maximum at
	// any moment.
	echoing, mostEchoing atomic.Int64
}

func newInternet(t *testing.T, change func(*bwrap.Config)) *internet {
	t.Helper()
	n := &internet{place: newPlace(t), hosts: core.HostPatterns{"*.allowed.test"}}
	n.Harness = n.place.bench(bwrap.ModeBwrap)
	plain := httptest.NewServer(n)
	secret := httptest.NewUnstartedServer(n)
	secret.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	secret.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secret.Close)
	listed := map[string]string{
		"api.allowed.test:443": secret.Listener.Addr().String(), "api.allowed.test:80": plain.Listener.Addr().String(), "echo.allowed.test:443": n.echo(t), "stubborn.allowed.test:443": stubborn(t),
	}
	n.Runner = n.place.runner(bwrap.ModeBwrap, func(c *bwrap.Config) {
		c.Guard = directory{memory.NewGuard(), listed}
		if change != nil {
			change(c)
		}
	})
	return n
}

// ServeHTTP implements http.Handler.
func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen = append(n.seen, r)
	_, _ = io.WriteString(w, "hello from "+r.Host)
}

// requests returns the recorded requests and clears them.
func (n *internet) requests() []*http.Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	seen := n.seen
	n.seen = nil
	return seen
}

// echo starts a server that sends back what it receives, and returns its address.
func (n *internet) echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			now := n.echoing.Add(1)
			for most := n.mostEchoing.Load(); now > most && !n.mostEchoing.CompareAndSwap(most, now); most = n.mostEchoing.Load() {
			}
			go func() {
				// The other end learns of the end when it is counted.
				defer conn.Close()
				defer n.echoing.Add(-1)
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// stubborn starts a server that never ends a connection, and returns its address.
func stubborn(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
		}
	}()
	return listener.Addr().String()
}

// run runs a line with a network.
func (n *internet) run(t *testing.T, line string) sandbox.Outcome {
	t.Helper()
	got, err := n.Runner.Run(t.Context(), n.Project, sandbox.Command{Line: line, Hosts: n.hosts, Time: 30 * time.Second})
	if err != nil {
		t.Fatalf("%s: got error %v", line, err)
	}
	return got
}

// say sends bytes to the proxy and returns what it answers.
func (n *internet) say(t *testing.T, raw string) sandbox.Outcome {
	t.Helper()
	n.Write("raw", raw)
	return n.run(t, `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new("127.0.0.1:3128") or die "no proxy: $!"; undef $/; print $s <STDIN>; $s->flush; print <$s>' <raw`)
}

func TestAnAllowedHostIsReached(t *testing.T) {
	t.Parallel()
	n := newInternet(t, nil)
	for _, line := range []string{"curl -sSk https://api.allowed.test/secret/path", "curl -sS http://api.allowed.test/secret/path", "curl -sS http://api.allowed.test:80/secret/path"} {
		got := n.run(t, line)
		if !strings.HasPrefix(got.Output, "hello from api.allowed.test") || got.ExitCode != 0 || got.Refused != nil {
			t.Errorf("%s: got %+v, want the server's greeting", line, got)
		}
		for _, seen := range n.requests() {
			if seen.URL.Path != "/secret/path" || len(seen.Header["Proxy-Connection"])+len(seen.Header["X-Forwarded-For"])+len(seen.Header["Via"]) > 0 {
				t.Errorf("%s: got %s with %v, want the path and nothing of the proxy", line, seen.URL, seen.Header)
			}
		}
	}
	if log := n.place.log.String(); !strings.Contains(log, "api.allowed.test:1") || strings.Contains(log, "secret") {
		t.Errorf("got the log %s, want the host and no path", log)
	}
}

func TestATunnelCarriesBytesBothWays(t *testing.T) {
	n := newInternet(t, nil)
	n.Write("tunnel.pl", `use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:3128") or die; binmode $s;
		my $sent = join("", map { chr(int(rand(256))) } 1 .. 300000); my $back = "";
		print $s "CONNECT echo.allowed.test:443 HTTP/1.1\r\nHost: echo.allowed.test\r\n\r\n" . "early";
		$s->flush; while (<$s>) { last if $_ eq "\r\n" }
		if (fork() == 0) { print $s $sent; $s->flush; shutdown($s, 1); exit 0 }
		while (read($s, my $piece, 65536)) { $back .= $piece }
		print $back eq "early$sent" ? "same" : "different: " . length($back);`)
	if got := n.run(t, "perl tunnel.pl"); got.Output != "same" {
		t.Errorf("got %+v, want what was sent", got)
	}
}

func TestAHostThatIsNotListedIsRefused(t *testing.T) {
	n := newInternet(t, nil)
	got := n.run(t, "curl -sS http://evil.test/; curl -sSk https://evil.test/; curl -sS http://allowed.test/")
	for _, want := range []string{"commands of this workspace may not reach evil.test, only: *.allowed.test", "may not reach allowed.test", "403"} {
		if !strings.Contains(got.Output, want) {
			t.Errorf("got %q, want %q in it", got.Output, want)
		}
	}
	if fmt.Sprint(got.Refused) != "[allowed.test evil.test]" {
		t.Errorf("got %v refused, want both hosts", got.Refused)
	}
	if log := n.place.log.String(); !strings.Contains(log, "evil.test:2") {
		t.Errorf("got the log %s, want what was refused", log)
	}
}

func TestTricksWithRequestsReachNothing(t *testing.T) {
	t.Parallel()
	n := newInternet(t, nil)
	for name, c := range map[string]struct{ raw, want string }{
		"another port":                 {"CONNECT api.allowed.test:22 HTTP/1.1\r\nHost: x\r\n\r\n", " 403 "},
		"the port of plain HTTP":       {"CONNECT api.allowed.test:80 HTTP/1.1\r\nHost: x\r\n\r\n", " 403 "},
		"a port in words":              {"CONNECT api.allowed.test:https HTTP/1.1\r\nHost: x\r\n\r\n", " 40"},
		"no port":                      {"CONNECT api.allowed.test HTTP/1.1\r\nHost: x\r\n\r\n", " 400 "},
		"another port by HTTP":         {"GET http://api.allowed.test:8080/ HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 403 "},
		"an allowed Host header":       {"CONNECT evil.test:443 HTTP/1.1\r\nHost: api.allowed.test:443\r\n\r\n", " 403 "},
		"an allowed Host, plain":       {"GET http://evil.test/ HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 403 "},
		"no absolute address":          {"GET / HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 400 "},
		"a user before the host":       {"GET http://api.allowed.test@evil.test/ HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 40"},
		"a user of an allowed host":    {"GET http://evil.test@api.allowed.test/ HTTP/1.1\r\nHost: x\r\n\r\n", " 400 "},
		"a user in a tunnel":           {"CONNECT evil.test@api.allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n", " 40"},
		"TLS by the proxy":             {"GET https://api.allowed.test/ HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 400 "},
		"another scheme":               {"GET ftp://api.allowed.test/ HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 400 "},
		"a path as a tunnel":           {"CONNECT /api.allowed.test:443 HTTP/1.1\r\nHost: api.allowed.test:443\r\n\r\n", " 40"},
		"an address":                   {"CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 403 "},
		"an address in brackets":       {"CONNECT [::1]:443 HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n", " 403 "},
		"a NUL in the host":            {"CONNECT evil.test\x00.allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n", " 40"},
		"an encoded host":              {"GET http://evil.test%2f.allowed.test/ HTTP/1.1\r\nHost: x\r\n\r\n", " 40"},
		"a fragment for a host":        {"GET http://evil.test#.allowed.test/ HTTP/1.1\r\nHost: x\r\n\r\n", " 40"},
		"a backslash in the host":      {"GET http://evil.test\\.allowed.test/ HTTP/1.1\r\nHost: x\r\n\r\n", " 40"},
		"two lengths":                  {"POST http://evil.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", " 400 "},
		"two Host headers":             {"GET http://api.allowed.test/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", " 400 "},
		"a request that is no request": {"\x16\x03\x01\x02\x00\r\n\r\n", " 400 "},
	} {
		got := n.say(t, c.raw)
		if first, _, _ := strings.Cut(got.Output, "\n"); !strings.Contains(first, c.want) {
			t.Errorf("%s: got %.200q, want%sfirst", name, got.Output, c.want)
		}
		if seen := n.requests(); len(seen) > 0 {
			t.Errorf("%s: got %s to %s through, want nothing", name, seen[0].Method, seen[0].Host)
		}
	}
}

func TestTheHostHeaderIsTheAddressed(t *testing.T) {
	n := newInternet(t, nil)
	n.say(t, "GET http://api.allowed.test/a HTTP/1.1\r\nHost: evil.test\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nProxy-Authorization: Basic eA==\r\n\r\n")
	seen := n.requests()
	if len(seen) != 1 || seen[0].Host != "api.allowed.test" || len(seen[0].Header["X-Hop"])+len(seen[0].Header["Proxy-Authorization"]) > 0 {
		t.Fatalf("got %+v, want one request for the host that was checked, without what belongs to the hop", seen)
	}
	// Bytes after a body are a separate request, and are checked as one.
	smuggled := "GET http://evil.test/b HTTP/1.1\r\nHost: api.allowed.test\r\n\r\n"
	got := n.say(t, "POST http://api.allowed.test/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"+smuggled)
	for _, request := range n.requests() {
		if request.URL.Path != "/a" || request.ContentLength > 0 {
			t.Errorf("got %s %s, want no request within another", request.Method, request.URL)
		}
	}
	if strings.Contains(got.Output, "hello from evil.test") {
		t.Errorf("got %q, want nothing from another host", got.Output)
	}
}

func TestNoOtherWayLeadsOut(t *testing.T) {
	t.Parallel()
	n := newInternet(t, nil)
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	for _, line := range []string{
		fmt.Sprintf("bash -c 'echo hi >/dev/tcp/127.0.0.1/%d'", port),
		fmt.Sprintf("curl -sS --noproxy '*' http://127.0.0.1:%d/", port),
		"curl -sS --noproxy '*' -m 5 http://1.1.1.1/",
		"curl -sS --noproxy '*' -m 5 http://api.allowed.test/",
		`perl -e 'exit(defined gethostbyname("api.allowed.test") ? 0 : 1)'`,
		`perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "1.1.1.1:53") or exit 1; print $s "x"; $s->flush or exit 1'`,
		"ls -d /tmp/*.sock /run /var", "find / -xdev -type s | grep .",
	} {
		if got := n.run(t, "("+line+") && echo DONE"); strings.Contains(got.Output, "DONE") {
			t.Errorf("%s: got %q, want no way", line, got.Output)
		}
	}
	if got := n.run(t, "sed 1d /proc/net/route; ls /sys/class/net /proc/sys/net/ipv4/conf | tr '\\n' ' '; for i in $(seq 3 300); do readlink /proc/$$/fd/$i; done"); strings.Contains(got.Output, "eth") || strings.Contains(got.Output, "socket:") {
		t.Errorf("got %q, want loopback alone and no descriptor", got.Output)
	}
}
