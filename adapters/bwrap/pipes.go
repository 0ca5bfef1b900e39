package bwrap

import (
	"errors"
	"net"
	"os"
	"os/exec"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// wires are the pipes between the service and bubblewrap.
type wires struct {
	status *os.File
	// gate is the socket at which the command waits to begin.
	gate *net.UnixConn
	// door is the socket that carries the port of the command's network out; nil without
	// a network.
	door   *net.UnixConn
	theirs []*os.File
}

// wire gives the process its descriptors beyond the standard three.
func wire(cmd *exec.Cmd, how launch, networked bool) (*wires, error) {
	w := &wires{}
	if !how.reports {
		return w, nil
	}
	if err := w.connect(how, networked); err != nil {
		w.close()
		return nil, err
	}
	cmd.ExtraFiles = w.theirs
	return w, nil
}

// connect creates the ends, in the order of the descriptors.
func (w *wires) connect(how launch, networked bool) error {
	if err := w.hand(how.filter); err != nil {
		return err
	}
	status, report, err := os.Pipe()
	if err != nil {
		return err
	}
	w.status, w.theirs = status, append(w.theirs, report)
	if err := w.hand(how.options); err != nil {
		return err
	}
	gate, asking, err := bubblewrap.OpenGate()
	if err != nil {
		return err
	}
	w.gate, w.theirs = gate, append(w.theirs, asking)
	if !networked {
		return nil
	}
	door, inner, err := newDoor()
	if err != nil {
		return err
	}
	w.door, w.theirs = door, append(w.theirs, inner)
	return nil
}

// hand gives the process a descriptor to read data from. The data is a few KiB, which a
// pipe holds whole, so the write does not wait for a reader.
func (w *wires) hand(content []byte) error {
	theirs, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	w.theirs = append(w.theirs, theirs)
	_, err = feed.Write(content)
	return errors.Join(err, feed.Close())
}

// closeTheirs closes the service's copies of the ends that the started process has.
func (w *wires) closeTheirs() {
	for _, file := range w.theirs {
		_ = file.Close()
	}
	w.theirs = nil
}

func (w *wires) close() {
	w.closeTheirs()
	if w.status != nil {
		_ = w.status.Close()
	}
	for _, socket := range []*net.UnixConn{w.gate, w.door} {
		if socket != nil {
			_ = socket.Close()
		}
	}
}
