package nats

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// serverVariable names the server that bootstrap/tools/testenv starts for all tests.
const serverVariable = "ATELIER_TEST_NATS"

// sharedServer is the address of the server that all tests use, each under a prefix of
// its own.
func sharedServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv(serverVariable)
	if address == "" {
		t.Fatal(serverVariable + " is not set: run `make test`, which starts a NATS server for the tests")
	}
	return address
}

// connect opens a connection that is closed with the test.
func connect(t testing.TB, config Config) *Conn {
	t.Helper()
	if config.OwnerOf == nil {
		config.OwnerOf = new(claims).ownerOf
	}
	if config.Log == nil {
		config.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	conn, err := Connect(context.Background(), config)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// claims are those of rooms, as the database has them.
type claims struct{ owners sync.Map }

func (c *claims) claim(project, owner core.ID) { c.owners.Store(project, owner) }

func (c *claims) ownerOf(_ context.Context, project core.ID) (core.ID, error) {
	owner, _ := c.owners.LoadOrStore(project, core.ID(""))
	return owner.(core.ID), nil
}

// ends are n connections to the shared server under one new prefix.
func ends(t testing.TB, n int) []*Conn {
	t.Helper()
	return endsWith(t, n, new(claims))
}

func endsWith(t testing.TB, n int, claimed *claims) []*Conn {
	t.Helper()
	config := Config{URL: sharedServer(t), Prefix: "test-" + string(core.NewID()), OwnerOf: claimed.ownerOf}
	all := make([]*Conn, n)
	for i := range all {
		all[i] = connect(t, config)
	}
	return all
}

// server is a NATS server of one test, which stops and starts it.
type server struct {
	t         *testing.T
	host      string
	arguments []string
	process   *exec.Cmd
}

func newServer(t *testing.T, arguments ...string) *server {
	t.Helper()
	s := &server{t: t, host: fmt.Sprintf("127.0.0.1:%d", conformance.FreePort(t)), arguments: arguments}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) url() string { return "nats://" + s.host }

func (s *server) start() {
	s.t.Helper()
	host, port, _ := net.SplitHostPort(s.host)
	program, err := exec.LookPath("nats-server")
	if err != nil {
		program = "/usr/sbin/nats-server" // Where Debian has it, and not everybody looks.
	}
	s.process = exec.Command(program, append([]string{"-a", host, "-p", port}, s.arguments...)...)
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	// The port is open a while before the server speaks first.
	eventually(s.t, "the server does not speak", func() bool {
		conn, err := net.Dial("tcp", s.host)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close() }()
		_, err = conn.Read(make([]byte, 1))
		return err == nil
	})
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// signal sends a signal. After SIGSTOP it waits until the process is stopped.
func (s *server) signal(number syscall.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(number); err != nil {
		s.t.Fatal(err)
	}
	if number != syscall.SIGSTOP {
		return
	}
	eventually(s.t, "the process does not stop", func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", s.process.Process.Pid))
		for _, task := range tasks {
			if stat, err := os.ReadFile(task); err == nil && !bytes.Contains(stat, []byte(") T ")) {
				return false
			}
		}
		return len(tasks) > 0
	})
}

// eventually waits until a condition holds. It only waits long if something is broken.
func eventually(t testing.TB, missing string, holds func() bool) {
	t.Helper()
	if !conformance.Becomes(holds) {
		t.Fatal(missing)
	}
}

// pipe passes bytes on between one client and a server until it is cut, like a network
// that fails for this client alone.
type pipe struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	cut      bool
	conns    []net.Conn
}

func newPipe(t *testing.T, to string) *pipe {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pipe{listener: listener, to: to}
	t.Cleanup(func() { p.setCut(true); _ = listener.Close() })
	go p.serve()
	return p
}

func (p *pipe) url() string { return "nats://" + p.listener.Addr().String() }

func (p *pipe) serve() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil || !p.add(near, far) {
			_ = near.Close()
			continue
		}
		go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
	}
}

func (p *pipe) add(ends ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		for _, end := range ends {
			_ = end.Close()
		}
		return false
	}
	p.conns = append(p.conns, ends...)
	return true
}

// setCut cuts existing connections and refuses new ones, or allows them.
func (p *pipe) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

func newLogger(to io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(to, nil)) }

func containsOnce(text, part string) bool { return strings.Count(text, part) == 1 }
