package websocket

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// recorder is a connection that records each write.
type recorder struct {
	net.Conn
	writes []string
	fails  error
}

func (r *recorder) Write(data []byte) (int, error) {
	r.writes = append(r.writes, string(data))
	return len(data), r.fails
}

func (r *recorder) SetWriteDeadline(time.Time) error { return nil }

func TestWhatIsHeldIsWrittenAtOnce(t *testing.T) {
	r := &recorder{}
	l := &deadlineConn{Conn: r}
	write := func(data string) {
		t.Helper()
		if n, err := l.Write([]byte(data)); n != len(data) || err != nil {
			t.Errorf("got %d, %v, want all %d bytes", n, err, len(data))
		}
	}
	release := func() {
		t.Helper()
		if err := l.release(); err != nil {
			t.Error(err)
		}
	}
	write("1")
	l.hold()
	write("2")
	l.hold()
	write("3")
	release()
	release()
	write("4")
	if got, want := strings.Join(r.writes, " "), "1 23 4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.held != nil {
		t.Errorf("got %d bytes kept for nothing", cap(l.held))
	}
}

func TestLittleIsHeld(t *testing.T) {
	r := &recorder{}
	l := &deadlineConn{Conn: r}
	l.hold()
	frame := bytes.Repeat([]byte("x"), 1000)
	for range 100 {
		if _, err := l.Write(frame); err != nil {
			t.Fatal(err)
		}
		if len(l.held) > heldBytes {
			t.Fatalf("got %d bytes held, want at most %d", len(l.held), heldBytes)
		}
	}
	if len(r.writes) == 0 {
		t.Error("got nothing written of 100 KB")
	}
}

func TestALineThatBreaksSaysSoWhereverItIsWritten(t *testing.T) {
	broken := errors.New("broken")
	l := &deadlineConn{Conn: &recorder{fails: broken}}
	if _, err := l.Write([]byte("x")); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	l.hold()
	if _, err := l.Write([]byte("x")); err != nil {
		t.Errorf("held: got %v, want nil", err)
	}
	if err := l.release(); !errors.Is(err, broken) {
		t.Errorf("released: got %v, want %v", err, broken)
	}
	if _, err := l.Write(make([]byte, 0)); err != nil {
		t.Errorf("nothing: got %v, want nil", err)
	}
}
