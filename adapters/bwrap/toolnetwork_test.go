package bwrap

import (
	"context"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// opened returns a toolNetwork whose sandbox has opened its port, and the sandbox's end
// of the door.
func opened(t *testing.T) (*toolNetwork, *os.File) {
	t.Helper()
	door, theirs, err := newDoor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { door.Close(); theirs.Close() })
	l := &toolNetwork{inner: bubblewrap.NewProcess(), door: door, opened: true, ready: make(chan struct{}), asking: ctxsync.NewMutex()}
	close(l.ready)
	return l, theirs
}

// hand sends a descriptor of a file with a content.
func hand(t *testing.T, door *os.File, content string) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	_, err = in.WriteString(content)
	if err = errors.Join(err, in.Close(), unix.Sendmsg(int(door.Fd()), []byte{askedSocket}, unix.UnixRights(int(out.Fd())), nil, 0)); err != nil {
		t.Fatal(err)
	}
}

func TestAnAnswerThatComesLateIsNobodyElses(t *testing.T) {
	l, door := opened(t)
	l.owed = 2
	hand(t, door, "late")
	if err := unix.Sendmsg(int(door.Fd()), []byte{refusedSocket}, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	hand(t, door, "mine")
	got, err := l.ask(t.Context(), askIPv4)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	said := make([]byte, 8)
	if n, err := got.Read(said); err != nil || string(said[:n]) != "mine" || l.owed != 0 {
		t.Errorf("got %q, %v, %d owed, want mine and none", said[:n], err, l.owed)
	}
}

func TestAskEndsWithADoorThatIsClosed(t *testing.T) {
	l, door := opened(t)
	l.owed = 3
	door.Close()
	if got, err := l.ask(t.Context(), askIPv4); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

func TestAskGivesUpWithWhoeverAsks(t *testing.T) {
	l, _ := opened(t)
	if err := l.asking.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.ask(ctx, askIPv4); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled while another asks", err)
	}
}

func TestMoreDescriptorsThanOneAreRefusedAndClosed(t *testing.T) {
	l, door := opened(t)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := unix.Sendmsg(int(door.Fd()), []byte{askedSocket}, unix.UnixRights(int(in.Fd()), int(in.Fd())), nil, 0); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if got, err := receive(l.door); !errors.Is(err, errNothing) {
		t.Errorf("got %v, %v, want nothing", got, err)
	}
	// The pipe ends when nobody holds its other end.
	if n, err := out.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("got %d bytes, %v, want the end", n, err)
	}
}
