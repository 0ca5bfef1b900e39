package operation_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// leanClient is a client on one connection that costs little beside the server, because
// both share the machine: it sends the same bytes and reads no more of the answer
// than it must.
type leanClient struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
}

func dialLean(tb testing.TB, s *storytest.Site, token, path string) *leanClient {
	tb.Helper()
	host := strings.TrimPrefix(s.URL, "http://")
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		tb.Fatal(err)
	}
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		tb.Fatal(err)
	}
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, token)
	return &leanClient{conn, bufio.NewReader(conn), []byte(request)}
}

// get sends the request and fails for any answer but 200.
func (l *leanClient) get() error {
	if _, err := l.conn.Write(l.request); err != nil {
		return err
	}
	response, err := http.ReadResponse(l.reader, nil)
	if err != nil {
		return err
	}
	if _, err := l.reader.Discard(int(response.ContentLength)); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("got %s, want 200", response.Status)
	}
	return nil
}

// hammer has connections clients ask for the caller's account until stop says so,
// and returns how long each answer took, sorted.
func hammer(c *storytest.Caller, tb testing.TB, connections int, stop func() bool) []time.Duration {
	tb.Helper()
	return hammerResting(c, tb, connections, 0, stop)
}

// hammerResting is hammer by clients that rest between an answer and the next call.
func hammerResting(c *storytest.Caller, tb testing.TB, connections int, rest time.Duration, stop func() bool) []time.Duration {
	tb.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var group sync.WaitGroup
	for range connections {
		client := dialLean(tb, c.Site, c.Token, "/auth/me")
		group.Go(func() {
			defer client.conn.Close()
			var mine []time.Duration
			for !stop() {
				begun := time.Now()
				if err := client.get(); err != nil {
					tb.Error(err)
					return
				}
				mine = append(mine, time.Since(begun))
				time.Sleep(rest)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	group.Wait()
	slices.Sort(all)
	return all
}

// p99 is the time within which 99 of 100 came.
func p99(sorted []time.Duration) time.Duration { return sorted[len(sorted)*99/100] }

func after(d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return time.Now().After(end) }
}

// peerMeRate is how many calls for the own account a second the nearest peer answers, a
// Node service on PostgreSQL. It is the best of 1,500 to 2,400 that were measured over 16
// connections on the same kind of machine, with two cores that client and server share.
const peerMeRate = 2400

// BenchmarkMe measures how many calls for the own account the service answers over 16
// connections, as a multiple of the peer's. Like the peer's, it is the best of several
// measurements, because the machine may have other guests.
func BenchmarkMe(b *testing.B) {
	service := process.Start(b, process.Build(b))
	c := (&storytest.Site{T: b, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	hammer(c, b, 16, after(time.Second))
	for b.Loop() {
		var best float64
		for range 4 {
			begun := time.Now()
			answers := hammer(c, b, 16, after(3*time.Second))
			best = max(best, float64(len(answers))/time.Since(begun).Seconds())
		}
		b.ReportMetric(best, "calls/s")
		b.ReportMetric(best/peerMeRate, "x-peer")
	}
}

// BenchmarkSignIns measures how much concurrent sign-ins, each of which computes a slow
// hash, slow down users who are signed in. The metric is the 99th percentile of the time
// of a call, as a multiple of that without sign-ins. Clients that never rest, as many as
// in BenchmarkMe and one alone, meet 250 sign-ins. Four that rest 2 ms, more like
// people's browsers, meet 50.
func BenchmarkSignIns(b *testing.B) {
	service := process.Start(b, process.Build(b))
	c := (&storytest.Site{T: b, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	hammer(c, b, 16, after(time.Second))
	for name, load := range map[string]struct {
		connections int
		rest        time.Duration
		signIns     int32
	}{
		"connections=16": {16, 0, 250}, "connections=1": {1, 0, 250}, "resting=4": {4, 2 * time.Millisecond, 50},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				idle := hammerResting(c, b, load.connections, load.rest, after(5*time.Second))
				begun := time.Now()
				busy := hammerResting(c, b, load.connections, load.rest, signInAtOnce(c, load.signIns))
				b.ReportMetric(float64(p99(busy))/float64(p99(idle)), "x-idle-p99")
				b.ReportMetric(float64(p99(idle))/float64(time.Millisecond), "ms-idle-p99")
				b.ReportMetric(float64(load.signIns)/time.Since(begun).Seconds(), "sign-ins/s")
			}
		})
	}
}

// signInAtOnce signs the caller in n times concurrently, and returns whether all of that
// is over.
func signInAtOnce(c *storytest.Caller, n int32) (over func() bool) {
	var left atomic.Int32
	left.Store(n)
	for range n {
		go func() {
			defer left.Add(-1)
			guest := &storytest.Caller{Site: c.Site}
			guest.Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": c.User.Email, "password": "long enough"}, nil)
		}()
	}
	return func() bool { return left.Load() == 0 }
}
