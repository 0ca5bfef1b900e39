package bwrap

import (
	"errors"
	"net"
	"os"
	"os/exec"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// pipes are the pipes between the service and bubblewrap.
type pipes struct {
	status *os.File
	// gate is the socket at which the command waits to begin.
	gate *net.UnixConn
	// door is the socket that carries the port of the command's network out; nil without
	// a network.
	door       *net.UnixConn
	childFiles []*os.File
}

// connectPipes gives the process its descriptors beyond the standard three.
func connectPipes(cmd *exec.Cmd, how launch, networked bool) (*pipes, error) {
	p := &pipes{}
	if !how.reports {
		return p, nil
	}
	if err := p.connect(how, networked); err != nil {
		p.close()
		return nil, err
	}
	cmd.ExtraFiles = p.childFiles
	return p, nil
}

// connect creates the ends, in the order of the descriptors.
func (p *pipes) connect(how launch, networked bool) error {
	if err := p.hand(how.filter); err != nil {
		return err
	}
	status, report, err := os.Pipe()
	if err != nil {
		return err
	}
	p.status, p.childFiles = status, append(p.childFiles, report)
	if err := p.hand(how.options); err != nil {
		return err
	}
	gate, asking, err := bubblewrap.OpenGate()
	if err != nil {
		return err
	}
	p.gate, p.childFiles = gate, append(p.childFiles, asking)
	if !networked {
		return nil
	}
	door, inner, err := newDoor()
	if err != nil {
		return err
	}
	p.door, p.childFiles = door, append(p.childFiles, inner)
	return nil
}

// hand gives the process a descriptor to read data from. The data is a few KiB, which a
// pipe holds whole, so the write does not wait for a reader.
func (p *pipes) hand(content []byte) error {
	theirs, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	p.childFiles = append(p.childFiles, theirs)
	_, err = feed.Write(content)
	return errors.Join(err, feed.Close())
}

// closeChildFiles closes the service's copies of the ends that the started process has.
func (p *pipes) closeChildFiles() {
	for _, file := range p.childFiles {
		_ = file.Close()
	}
	p.childFiles = nil
}

func (p *pipes) close() {
	p.closeChildFiles()
	if p.status != nil {
		_ = p.status.Close()
	}
	for _, socket := range []*net.UnixConn{p.gate, p.door} {
		if socket != nil {
			_ = socket.Close()
		}
	}
}
