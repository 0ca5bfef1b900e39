package websocket_test

import (
	"net"
	"runtime"
	"testing"
	"time"
)

// BenchmarkIdleSockets opens sockets, a hundred in each room, and reports the cost of an
// idle one in bytes of heap and stacks. The cost includes its share of the room, and the
// client's end of the connection, which is in the same process.
//
//	go test -run '^$' -bench IdleSockets -benchtime 5000x ./adapters/websocket
func BenchmarkIdleSockets(b *testing.B) {
	for name, header := range map[string]string{"documents": "", "events": "Sec-WebSocket-Protocol: atelier.v1"} {
		b.Run(name, func(b *testing.B) {
			h := newHouse(b)
			open := func(at int) net.Conn {
				if at%100 == 0 {
					h.build()
				}
				return h.raw("owner", header)
			}
			open(1)
			before := used()
			conns := make([]net.Conn, b.N)
			for i := range conns {
				conns[i] = open(i)
			}
			time.Sleep(time.Second)
			b.ReportMetric(float64(used()-before)/float64(b.N), "B/socket")
			runtime.KeepAlive(conns)
			for _, conn := range conns {
				conn.Close()
			}
		})
	}
}

// used is the memory of heap and stacks.
func used() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
