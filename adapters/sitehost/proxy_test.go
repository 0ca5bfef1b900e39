package sitehost_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// devServer is a development server that records its requests.
type devServer struct {
	mu    sync.Mutex
	asked []*http.Request
	// hold keeps requests for /slow until it is closed.
	hold chan struct{}
}

func (d *devServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.asked = append(d.asked, r)
	d.mu.Unlock()
	switch r.URL.Path {
	case "/", "/page":
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Etag", `"one"`)
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "unsafe-url")
		header.Set("Strict-Transport-Security", "max-age=1")
		header.Set("Content-Security-Policy", "img-src 'self'")
		header.Add("Set-Cookie", "own=1")
		header.Add("Set-Cookie", "tossed=1; Domain=sites.test")
		_, _ = io.WriteString(w, "<!doctype html><html><head><title>dev</title></head><body>"+strings.Repeat("x", 200_000)+"</body></html>")
	case "/fragment":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>part</p>")
	case "/away":
		http.Redirect(w, r, "http://localhost:5173/page", http.StatusFound)
	case "/slow":
		<-d.hold
	case "/socket":
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		line, _ := buffered.ReadString('\n')
		_, _ = io.WriteString(conn, "echo "+line)
	default:
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RequestURI(), body)
	}
}

// last is the last request that was for a path.
func (d *devServer) last(path string) *http.Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.asked) - 1; i >= 0; i-- {
		if d.asked[i].URL.Path == path {
			return d.asked[i]
		}
	}
	return &http.Request{Header: http.Header{}}
}

// served is a studio whose project has a running development server.
func served(t *testing.T, server *devServer) (*studio, string) {
	t.Helper()
	s := newStudio(t)
	s.tools.Script("dev", memory.ToolScript{Serves: server})
	s.write("package.json", `{"scripts": {"dev": "dev"}, "dependencies": {"vue": "3"}}`)
	host := s.previewHost()
	conformance.Eventually(t, "a server", func() bool { return s.preview.Server(s.project) != nil })
	return s, host
}

func TestPagesOfADevelopmentServer(t *testing.T) {
	t.Run("have the client and the preview's own rules", func(t *testing.T) {
		s, host := served(t, &devServer{})
		got := s.get(host, "/page", "Accept", "text/html", "If-None-Match", `"one"`, "Accept-Encoding", "gzip")
		if got.StatusCode != http.StatusOK || strings.Count(got.body, `</script><script data-runtime="node" type="module" src="/@atelier/client.js" data-build="`) != 1 || !strings.HasSuffix(got.body, "x</body></html>") {
			t.Errorf("got %d %.300q, want the page with the client", got.StatusCode, got.body)
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "", "Referrer-Policy": "no-referrer", "Strict-Transport-Security": "", "X-Content-Type-Options": "nosniff",
			"X-Robots-Tag": "noindex", "Etag": "", "Cache-Control": "no-store", "Set-Cookie": "own=1",
		} {
			if is := strings.Join(got.Header.Values(name), "; "); is != want {
				t.Errorf("got %s %q, want %q", name, is, want)
			}
		}
		if policies := got.Header.Values("Content-Security-Policy"); len(policies) != 2 || policies[0] != "frame-ancestors http://studio.test:8080" {
			t.Errorf("got %q, want the frame's policy beside the server's own", policies)
		}
	})

	t.Run("are asked for without secrets, as on the server's own machine", func(t *testing.T) {
		server := &devServer{}
		s, host := served(t, server)
		s.get(host, "/page?a=1;b", "Accept", "text/html", "Cookie", "app_access_token=x", "Authorization", "Bearer x", "Origin", "http://"+host, "If-None-Match", `"one"`, "Connection", "X-Hop", "X-Hop", "1")
		asked := server.last("/page")
		for _, name := range []string{"Cookie", "Authorization", "If-None-Match", "X-Hop", "X-Forwarded-For", "X-Forwarded-Host"} {
			if got := asked.Header.Get(name); got != "" {
				t.Errorf("got %s %q, want none", name, got)
			}
		}
		if asked.Host != "localhost:5173" || asked.Header.Get("Origin") != "http://localhost:5173" || asked.URL.RawQuery != "a=1;b" {
			t.Errorf("got host %q, origin %q, query %q, want the server's own", asked.Host, asked.Header.Get("Origin"), asked.URL.RawQuery)
		}
	})

	t.Run("take every method, and paths that no site has", func(t *testing.T) {
		s, host := served(t, &devServer{})
		for path, want := range map[string]string{"/form?/save": "POST /form?/save hello", "/node_modules/.vite/deps/x.js?v=1": "POST /node_modules/.vite/deps/x.js?v=1 hello", "/@fs/app/a": "POST /@fs/app/a hello"} {
			if got := s.send(http.MethodPost, host, path, strings.NewReader("hello")); got.body != want {
				t.Errorf("got %q, want %q", got.body, want)
			}
		}
		if taken := s.pour(host, "/form", 40<<20); taken > 33<<20 {
			t.Errorf("got %d bytes taken, want a body over 32 MiB cut off", taken)
		}
	})

	t.Run("stay as they are where they are no pages", func(t *testing.T) {
		s, host := served(t, &devServer{})
		if got := s.get(host, "/fragment", "Accept", "*/*"); got.body != "<p>part</p>" {
			t.Errorf("got %q, want the fragment alone", got.body)
		}
		if got := s.get(host, "/away"); got.Header.Get("Location") != "/page" {
			t.Errorf("got a redirect to %q, want one on the preview's host", got.Header.Get("Location"))
		}
		if got := s.get(host, "/@atelier/client.js"); !strings.Contains(got.body, "EventSource") {
			t.Errorf("got %.100q, want the client", got.body)
		}
	})

	t.Run("keep their sockets", func(t *testing.T) {
		s, host := served(t, &devServer{})
		conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
		s.must(err)
		defer conn.Close()
		fmt.Fprintf(conn, "GET /socket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: vite-hmr\r\n\r\n", host)
		reader := bufio.NewReader(conn)
		response, err := http.ReadResponse(reader, nil)
		s.must(err)
		if response.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("got %d, want 101", response.StatusCode)
		}
		fmt.Fprintf(conn, "hello\n")
		if line, err := reader.ReadString('\n'); err != nil || line != "echo hello\n" {
			t.Errorf("got %q, %v, want the echo", line, err)
		}
	})

	t.Run("are asked for by so many at once at most", func(t *testing.T) {
		server := &devServer{hold: make(chan struct{})}
		s, host := served(t, server)
		statuses := make(chan int, 160)
		var all sync.WaitGroup
		for range cap(statuses) {
			all.Go(func() { statuses <- s.get(host, "/slow").StatusCode })
		}
		for got := range statuses {
			if got != http.StatusTooManyRequests {
				t.Errorf("got %d while the others wait, want 429", got)
			}
			if len(statuses) == 0 {
				break
			}
		}
		close(server.hold)
		all.Wait()
	})

	t.Run("are a notice that renews itself while there are none", func(t *testing.T) {
		s, host := served(t, &devServer{})
		s.tools.Script("npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=warn", memory.ToolScript{Endless: true})
		s.write("package.json", `{"scripts": {"dev": "dev"}, "dependencies": {"vue": "3.1"}}`)
		conformance.Eventually(t, "the end of the old server", func() bool { return s.preview.Server(s.project) == nil })
		got := s.get(host, "/", "Accept", "text/html")
		if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "Installing packages…") || !strings.Contains(got.body, `http-equiv="refresh" content="2"`) {
			t.Errorf("got %d %.900q, want what is done at the moment", got.StatusCode, got.body)
		}
	})

	t.Run("say why there are none any more", func(t *testing.T) {
		s, host := served(t, &devServer{})
		s.tools.Script("dev", memory.ToolScript{Ends: true})
		s.tools.Crash(s.project, toolchain.Outcome{Ended: "memory"})
		conformance.Eventually(t, "no server", func() bool { return s.preview.Server(s.project) == nil })
		if got := s.get(host, "/", "Accept", "text/html"); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "too much memory") && !strings.Contains(got.body, "starting") {
			t.Errorf("got %d %.900q, want how it ended", got.StatusCode, got.body)
		}
	})
}

// endlessBody is a body without an end.
type endlessBody struct{}

func (endlessBody) Read(p []byte) (int, error) { return len(p), nil }

// pour sends a body of a number of bytes to a server that reports how much it received,
// and returns that. A connection that was closed on the way received nothing.
func (s *studio) pour(host, path string, size int64) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.server.URL+path, io.LimitReader(endlessBody{}, size))
	s.must(err)
	request.Host = host
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return 0
	}
	return len(body)
}
