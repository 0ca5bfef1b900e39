package peers

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// The sockets of BenchmarkIdleSockets, and how long they rest until all have been asked
// whether they are there.
const (
	idleSockets   = 10_000
	socketsInRoom = 100
	socketsRest   = 22 * time.Second
)

// socketAddresses is from how many addresses they come: the ports of one are few.
const socketAddresses = 16

// from is a client of the service at an address of the loopback interface.
func (s *studio) from(address net.IP) *http.Client {
	to := strings.Replace(strings.TrimPrefix(s.URL, "http://"), "localhost", "127.0.0.1", 1)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp4", to)
	}}}
}

// raw opens a socket in the project's room by hand, and leaves it at that.
func (p *project) raw() *net.TCPConn {
	p.b.Helper()
	request, err := http.NewRequest(http.MethodGet, p.URL+"/ws/project/"+string(p.ID), nil)
	if err != nil {
		p.b.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + p.token, "Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
	} {
		request.Header.Set(name, value)
	}
	to, err := net.ResolveTCPAddr("tcp4", request.URL.Host)
	if err != nil {
		p.b.Fatal(err)
	}
	conn, err := net.DialTCP("tcp4", nil, to)
	if err != nil {
		p.b.Fatal(err)
	}
	p.b.Cleanup(func() { conn.Close() })
	if err := request.Write(conn); err != nil {
		p.b.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), request)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		p.b.Fatalf("got %+v, %v, want a socket", response, err)
	}
	return conn
}

// everydayReads makes the garbage collector run, as any use of the service does: garbage
// of opening is not part of the sockets' memory.
func (p *project) everydayReads() {
	p.b.Helper()
	for range 3000 {
		p.send(http.StatusOK, http.MethodGet, p.URL+p.path(""), "", nil)
	}
}

// BenchmarkIdleSockets opens idle sockets, a hundred in a room, and measures what one
// adds to the service's process, including its share of the room.
func BenchmarkIdleSockets(b *testing.B) {
	s := signUp(b, process.Start(b, process.Build(b), "MAX_STREAMS_PER_PERSON=0"))
	used := s.createFrom("blank")
	seats := used.seats(socketsInRoom)
	for len(seats) < idleSockets {
		seats = append(seats, s.createFrom("blank").seats(socketsInRoom)...)
	}
	var clients []*http.Client
	for n := range socketAddresses {
		clients = append(clients, s.from(net.IPv4(127, 0, 0, byte(2+n))))
	}
	for b.Loop() {
		used.everydayReads()
		before := memoryOf(b, s.PID())
		members := make([]*member, 0, idleSockets)
		for n := range idleSockets {
			at := seats[n]
			at.client = clients[n%socketAddresses]
			m := at.join(b)
			m.joined()
			members = append(members, m)
		}
		time.Sleep(socketsRest)
		used.everydayReads()
		b.ReportMetric(float64(memoryOf(b, s.PID())-before)/1024/idleSockets, "KiB/socket")
		if open := socketsOf(b, s.PID()); open < idleSockets {
			b.Fatalf("got %d sockets at the end, want all %d", open, idleSockets)
		}
		for _, m := range members {
			_ = m.socket.CloseNow()
		}
	}
}

// socketsOf is how many connections a process has open.
func socketsOf(b *testing.B, pid int) int {
	b.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	count := 0
	for _, file := range files {
		// Ignore a file that was closed meanwhile.
		to, _ := os.Readlink(filepath.Join(folder, file.Name()))
		if strings.HasPrefix(to, "socket:") {
			count++
		}
	}
	return count
}
