package peers

import (
	"context"
	"encoding/binary"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	ws "github.com/coder/websocket"
)

// clockTick is the unit of time in /proc (USER_HZ), the same on all that Go runs on.
const clockTick = 10 * time.Millisecond

// place is where a room is, on whatever server, and how to get in.
type place struct {
	url    string
	header http.Header
	client *http.Client
}

// room is the project's place.
func (p *project) room() place { return p.roomOf(p.token) }

func (p *project) roomOf(token string) place {
	return place{
		url:    strings.Replace(p.URL, "http", "ws", 1) + "/ws/project/" + string(p.ID),
		header: http.Header{"Authorization": {"Bearer " + token}}, client: p.http,
	}
}

// seats are places of the owner's teammates in the room, each of whom has a few.
func (p *project) seats(count int) (all []place) {
	p.b.Helper()
	for n := range count {
		all = append(all, p.roomOf(p.teammate(n/seatsEach)))
	}
	return all
}

// seatsEach is less than one member may have in a room.
const seatsEach = 10

// The messages of y-websocket that members take: numbers, and bytes with their length in
// front.
const (
	messageSync = 0
	syncStep1   = 0
	syncStep2   = 1
	syncUpdate  = 2
)

// nothing is both the update of somebody who has nothing to say and, but for its second
// byte, the state vector of somebody who has nothing.
var nothing = []byte{0, 0}

// frameOf is one message.
func frameOf(step byte, body []byte) []byte {
	return append(binary.AppendUvarint([]byte{messageSync, step}, uint64(len(body))), body...)
}

// member is somebody in a room who keeps no copy: the same for every server.
type member struct {
	b      *testing.B
	socket *ws.Conn
	// state receives the room's state when the member joined, once.
	state chan []byte
	// updates counts the received updates; latest is the time of the last. arrived
	// receives each, if somebody listens.
	updates atomic.Int64
	latest  atomic.Pointer[time.Time]
	arrived chan struct{}
}

// join opens a socket and asks for all that the room has.
func (p place) join(b *testing.B) *member {
	b.Helper()
	socket, _, err := ws.Dial(b.Context(), p.url, &ws.DialOptions{HTTPHeader: p.header, HTTPClient: p.client})
	if err != nil {
		b.Fatal(err)
	}
	socket.SetReadLimit(-1)
	b.Cleanup(func() { _ = socket.CloseNow() })
	m := &member{b: b, socket: socket, state: make(chan []byte, 1), arrived: make(chan struct{}, 1)}
	go m.listen()
	m.send(syncStep1, nothing[:1])
	return m
}

func (m *member) send(step byte, body []byte) {
	m.b.Helper()
	if err := m.socket.Write(context.Background(), ws.MessageBinary, frameOf(step, body)); err != nil {
		m.b.Fatal(err)
	}
}

func (m *member) listen() {
	for {
		_, frame, err := m.socket.Read(context.Background())
		if err != nil {
			return
		}
		if frame[0] != messageSync {
			continue
		}
		switch frame[1] {
		case syncStep1:
			_ = m.socket.Write(context.Background(), ws.MessageBinary, frameOf(syncStep2, nothing))
		case syncStep2:
			_, length := binary.Uvarint(frame[2:])
			m.state <- frame[2+length:]
		case syncUpdate:
			now := time.Now()
			m.latest.Store(&now)
			m.updates.Add(1)
			select {
			case m.arrived <- struct{}{}:
			default:
			}
		}
	}
}

// joined waits for the room's state.
func (m *member) joined() []byte {
	m.b.Helper()
	select {
	case state := <-m.state:
		return state
	case <-time.After(patience):
		m.b.Fatalf("got no state of the room within %s", patience)
		return nil
	}
}

// hears waits until a number of updates came in all.
func (m *member) hears(count int64) {
	m.b.Helper()
	if m.updates.Load() >= count {
		return
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for m.updates.Load() < count {
		select {
		case <-m.arrived:
		case <-late.C:
			m.b.Fatalf("got %d updates within %s, want %d", m.updates.Load(), patience, count)
		}
	}
}

func (m *member) leave() { _ = m.socket.Close(ws.StatusNormalClosure, "") }

// cpuOf is the time that a process has spent computing, in its own code and the
// system's.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	// The name, in brackets, may hold blanks. Behind it the fields count from the third.
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick
}
