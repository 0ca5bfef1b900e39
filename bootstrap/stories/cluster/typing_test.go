package cluster

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// notes is the file in which people type.
var notes = core.MustPath("notes.md")

// typist types words that are each typed once, whether or not a room is there, and comes
// back to the next process after a connection has ended.
type typist struct {
	load *load
	name string
	copy *copy
	// turn chooses among the processes with rooms.
	turn int
	// typed is the number of words; heard counts those that were sent to a room.
	typed int
	heard atomic.Int64
}

// newTypist comes with a copy that has the file: two who make a file of one name at the
// same time do not write in the same one.
func newTypist(l *load, i int) *typist {
	p := &typist{load: l, name: fmt.Sprintf("typist-%d", i), copy: l.who.copy()}
	wait(l.t, p.name+" in the room", p.comes)
	p.copy.sees(notes, "Notes")
	return p
}

func (p *typist) count() int { return int(p.heard.Load()) }

// word returns the i-th word of the typist.
func (p *typist) word(i int) string { return fmt.Sprintf("<%s %d>\n", p.name, i) }

func (p *typist) write() {
	for p.load.rest(pace) {
		there := p.isThere() || p.comes()
		p.copy.types(notes, p.word(p.typed))
		p.typed++
		if there {
			p.heard.Add(1)
		}
	}
}

func (p *typist) isThere() bool {
	if p.copy.socket == nil {
		return false
	}
	select {
	case <-p.copy.gone:
		p.copy.socket = nil
		return false
	default:
		return true
	}
}

// comes opens the room, and leaves a process that is suspended.
func (p *typist) comes() bool {
	at := p.load.rooms[p.turn%len(p.load.rooms)]
	p.turn++
	if err := p.copy.tryConnect(at); err != nil {
		return false
	}
	socket, gone := p.copy.socket, p.copy.gone
	p.load.goes(func() {
		defer socket.CloseNow()
		for p.load.rest(time.Second) {
			ctx, cancel := p.load.within(callTime)
			err := socket.Ping(ctx)
			cancel()
			select {
			case <-gone:
				return
			default:
			}
			if err != nil {
				return
			}
		}
	})
	return true
}

// leaves ends the connection, after the load.
func (p *typist) leaves() {
	if p.copy.socket != nil {
		_ = p.copy.socket.CloseNow()
		<-p.copy.gone
		p.copy.socket = nil
	}
}

// roomHolder returns the process that has the project's room.
func (l *load) roomHolder() *process.Service {
	var holder *process.Service
	wait(l.t, "a process with the room", func() bool {
		for _, at := range l.rooms {
			socket, err := l.who.tryDial(at)
			if err == nil {
				_ = socket.CloseNow()
				holder = at
				return true
			}
		}
		return false
	})
	return holder
}
