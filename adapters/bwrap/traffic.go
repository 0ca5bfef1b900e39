package bwrap

import (
	"net"
	"sync"
	"sync/atomic"
)

// maxConnections is how many connections a command may have to the proxy at the same
// time. Others wait to be accepted.
const maxConnections = 64

// traffic is a net.Listener that counts the bytes of its connections and bounds their
// number.
type traffic struct {
	net.Listener
	// semaphore bounds the open connections.
	semaphore chan struct{}
	bytes     atomic.Int64
	most      int64
	// over is called on every transfer after the limit.
	over func()
}

func newTraffic(listener net.Listener, most int64, over func()) *traffic {
	return &traffic{Listener: listener, semaphore: make(chan struct{}, maxConnections), most: most, over: over}
}

// Accept implements net.Listener. While the semaphore is full, connections wait in the
// kernel.
func (t *traffic) Accept() (net.Conn, error) {
	t.semaphore <- struct{}{}
	conn, err := t.Listener.Accept()
	if err != nil {
		<-t.semaphore
		return nil, err
	}
	return &countedConn{Conn: conn, traffic: t}, nil
}

func (t *traffic) add(n int) {
	if t.bytes.Add(int64(n)) > t.most {
		t.over()
	}
}

// countedConn is one of the connections.
type countedConn struct {
	net.Conn
	traffic *traffic
	once    sync.Once
}

// Read implements net.Conn.
func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.traffic.add(n)
	return n, err
}

// Write implements net.Conn.
func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.traffic.add(n)
	return n, err
}

// CloseWrite closes the sending half and leaves the receiving half open.
func (c *countedConn) CloseWrite() error { return closeWrite(c.Conn) }

// Close implements net.Conn.
func (c *countedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.traffic.semaphore })
	return err
}

// closeWrite closes the sending half, or the whole connection if its type has no halves.
func closeWrite(conn net.Conn) error {
	if half, can := conn.(interface{ CloseWrite() error }); can {
		return half.CloseWrite()
	}
	return conn.Close()
}
