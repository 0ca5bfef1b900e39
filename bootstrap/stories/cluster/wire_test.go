package cluster

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"
)

// wire is a TCP connection between a process and a server that a test can break. Bytes
// arrive in order or not at all.
type wire struct {
	server   string
	listener net.Listener

	mu sync.Mutex
	// cut refuses all connections; delay is how long every piece of data is held; open is
	// closed unless the wire is silent.
	cut   bool
	delay time.Duration
	open  chan struct{}
	conns map[net.Conn]struct{}
}

// newWire lays a wire to the server of an address, and returns the address through it.
func newWire(t *testing.T, address string) (*wire, string) {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{server: parsed.Host, listener: listener, conns: map[net.Conn]struct{}{}}
	w.Heal()
	go w.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		w.Cut()
	})
	parsed.Host = listener.Addr().String()
	return w, parsed.String()
}

func (w *wire) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.carry(conn)
	}
}

func (w *wire) carry(near net.Conn) {
	if !w.keep(near) {
		return
	}
	defer w.drop(near)
	far, err := net.Dial("tcp", w.server)
	if err != nil || !w.keep(far) {
		return
	}
	defer w.drop(far)
	back := make(chan struct{})
	go func() {
		defer close(back)
		w.pump(near, far)
	}()
	w.pump(far, near)
	<-back
}

// pump forwards bytes until one of the two ends closes; then it closes both.
func (w *wire) pump(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		open, delay := w.state()
		<-open
		time.Sleep(delay)
		if _, failed := to.Write(piece[:n]); err != nil || failed != nil {
			return
		}
	}
}

func (w *wire) state() (<-chan struct{}, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open, w.delay
}

// keep takes a connection up, unless the wire is cut.
func (w *wire) keep(conn net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		_ = conn.Close()
		return false
	}
	w.conns[conn] = struct{}{}
	return true
}

func (w *wire) drop(conn net.Conn) {
	_ = conn.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, conn)
}

// Cut drops all connections, and new ones as soon as they come.
func (w *wire) Cut() {
	w.set(true, 0)
	w.mu.Lock()
	defer w.mu.Unlock()
	for conn := range w.conns {
		_ = conn.Close()
	}
}

// Silence holds all data back, in both directions. Connections stay, and new ones are
// accepted.
func (w *wire) Silence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = make(chan struct{})
}

// Slow delays every piece of data.
func (w *wire) Slow(delay time.Duration) { w.set(false, delay) }

// Heal repairs the wire. Data that was held back arrives.
func (w *wire) Heal() { w.set(false, 0) }

func (w *wire) set(cut bool, delay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.delay = cut, delay
	if w.open != nil {
		select {
		case <-w.open:
			return
		default:
			close(w.open)
		}
		return
	}
	w.open = make(chan struct{})
	close(w.open)
}

// echo answers every line with itself, and returns where.
func echo(t *testing.T) string {
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
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return "echo://" + listener.Addr().String()
}

func TestAWireBreaksAsItIsTold(t *testing.T) {
	server := echo(t)
	w, through := newWire(t, server)
	_, beside := newWire(t, server)
	dialTo := func(through string) *bufio.ReadWriter {
		conn, err := net.Dial("tcp", through[len("echo://"):])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(patience))
		return bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn))
	}
	dial := func() *bufio.ReadWriter { return dialTo(through) }
	say := func(conn *bufio.ReadWriter, line string) {
		_, _ = conn.WriteString(line)
		_ = conn.Flush()
	}
	hears := func(conn *bufio.ReadWriter, want string) {
		t.Helper()
		if got, err := conn.ReadString('\n'); got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	one := dial()
	say(one, "whole\n")
	hears(one, "whole\n")
	w.Slow(30 * time.Millisecond)
	begun := time.Now()
	say(one, "slow\n")
	hears(one, "slow\n")
	if took := time.Since(begun); took < 60*time.Millisecond {
		t.Errorf("got an answer after %s, want the delay of both ways", took)
	}
	w.Silence()
	two := dial()
	say(one, "held\n")
	say(two, "held too\n")
	heard := make(chan string, 1)
	go func() {
		line, _ := one.ReadString('\n')
		heard <- line
	}()
	// Meanwhile a wire beside it answers a hundred times.
	sound := dialTo(beside)
	for range 100 {
		say(sound, "sound\n")
		hears(sound, "sound\n")
	}
	select {
	case line := <-heard:
		t.Fatalf("got %q over a silent wire, want nothing", line)
	default:
	}
	w.Heal()
	if line := <-heard; line != "held\n" {
		t.Fatalf("got %q, want what was held", line)
	}
	hears(two, "held too\n")
	w.Cut()
	for _, conn := range []*bufio.ReadWriter{one, dial()} {
		if line, err := conn.ReadString('\n'); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %q, %v over a wire that is cut, want the end of the connection", line, err)
		}
	}
	w.Heal()
	three := dial()
	say(three, "again\n")
	hears(three, "again\n")
}
