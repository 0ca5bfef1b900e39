package sitehost_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// paths is a published site behind two servers: one with a fast path, which counts the
// requests to its handler, and one without.
type paths struct {
	*studio
	fast, slow *httptest.Server
	handled    atomic.Int64
}

// medium is as long as an answer of the fast path may be, or nearly.
var medium = strings.Repeat("0123456789abcdef", 16_000)

func newPaths(t *testing.T, idle, head time.Duration) *paths {
	p := &paths{studio: newSite(t)}
	p.write("public/empty.txt", "")
	p.write("public/medium.bin", medium)
	p.write("public/large.bin", strings.Repeat("0123456789abcdef", 20_000))
	p.mustPublish()
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.handled.Add(1)
		p.route(w, r)
	})
	p.fast, p.slow = httptest.NewUnstartedServer(counted), httptest.NewServer(http.HandlerFunc(p.route))
	p.fast.Config.IdleTimeout, p.fast.Config.ReadHeaderTimeout = idle, head
	p.fast.Listener = p.handler.FastPath(p.fast.Config, shortListener{p.fast.Listener})
	p.fast.Start()
	t.Cleanup(func() {
		for _, server := range []*httptest.Server{p.fast, p.slow} {
			server.CloseClientConnections()
			server.Close()
		}
	})
	// The compressed forms are made behind the answer to the publish.
	for _, as := range []string{"br", "gzip"} {
		conformance.Eventually(t, "the page as "+as, func() bool { return p.get(siteHost, "/", "Accept-Encoding", as).Header.Get("Content-Encoding") == as })
	}
	return p
}

// shortListener accepts connections with small send buffers.
type shortListener struct{ net.Listener }

func (l shortListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
	}
	return conn, err
}

// client is one connection to which a test writes any bytes.
type client struct {
	t testing.TB
	net.Conn
	reader *bufio.Reader
}

func dial(t testing.TB, server *httptest.Server) *client {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return &client{t, conn, bufio.NewReader(conn)}
}

func (c *client) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// read reads an answer as text: its status, its header but for the date, and its body.
func (c *client) read(method string) string {
	c.t.Helper()
	response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); response.StatusCode != http.StatusBadRequest && (err != nil || time.Since(date).Abs() > time.Minute) {
		c.t.Errorf("got the date %q", response.Header.Get("Date"))
	}
	response.Header.Del("Date")
	ours := response.Header.Get("X-Content-Type-Options") != "" // else it is net/http that refuses
	if ids := response.Header["X-Request-Id"]; ours && (len(ids) != 1 || len(ids[0]) < 3) {
		c.t.Errorf("got the request ids %q, want one", ids)
	} else if len(ids) == 1 && len(ids[0]) == 32 {
		response.Header.Del("X-Request-Id") // made for this request
	}
	var text strings.Builder
	fmt.Fprintln(&text, response.Status, response.ContentLength, response.Close)
	for _, name := range slices.Sorted(maps.Keys(response.Header)) {
		fmt.Fprintln(&text, name, response.Header[name])
	}
	fmt.Fprintf(&text, "%q", body)
	return text.String()
}

// readTwo reads an answer and the answer to one further request.
func (c *client) readTwo(method string) string {
	c.t.Helper()
	first := c.read(method)
	_, err := io.WriteString(c, head("/robots.txt"))
	if err == nil {
		_, err = c.reader.Peek(1)
	}
	if err != nil {
		return first + "\nclosed"
	}
	return first + "\n" + c.read(http.MethodGet)
}

// head writes the head of a GET for a path of the site.
func head(path string, fields ...string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: " + siteHost + "\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n"
}

// requests are named by what is special about them. Those that the fast path answers are
// marked.
var requests = map[string]struct {
	text string
	fast bool
}{
	"a page":                     {head("/"), true},
	"gzip":                       {head("/", "Accept-Encoding: gzip"), true},
	"brotli":                     {head("/", "Accept-Encoding: gzip, br"), true},
	"as much as may be":          {head("/medium.bin"), true},
	"a picture":                  {head("/logo.png", "Accept-Encoding: br"), true},
	"a query":                    {head("/?a=b"), true},
	"escapes":                    {head("/l%6Fgo.png"), true},
	"a browser's fields":         {head("/", "Connection: keep-alive", "Accept: text/html,*/*;q=0.8", "Cookie: a=b", "User-Agent: x (y; z)"), true},
	"a long head":                {head("/", "X: "+strings.Repeat("y", 3000)), true},
	"a port":                     {"GET / HTTP/1.1\r\nHost: " + siteHost + ":8080\r\n\r\n", true},
	"a host in capitals":         {"GET / HTTP/1.1\r\nhOST:\t" + strings.ToUpper(siteHost) + " \r\n\r\n", true},
	"HEAD":                       {strings.Replace(head("/"), "GET", "HEAD", 1), false},
	"PUT":                        {strings.Replace(head("/"), "GET", "PUT", 1), false},
	"a body":                     {head("/", "Content-Length: 5") + "hello", false},
	"a body of no length":        {head("/", "Content-Length: 0"), false},
	"pieces":                     {head("/", "Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n", false},
	"a part":                     {head("/logo.png", "Range: bytes=1-3"), false},
	"a tag":                      {head("/", `If-None-Match: *`), false},
	"the end of the connection":  {head("/", "Connection: close"), false},
	"a field of this hop":        {head("/", "Connection: X", "X: y"), false},
	"an upgrade":                 {head("/", "Connection: Upgrade", "Upgrade: websocket"), false},
	"something expected":         {head("/", "Expect: 100-continue", "Content-Length: 0"), false},
	"an expectation":             {head("/", "Expect: something"), false},
	"HTTP/1.0":                   {"GET / HTTP/1.0\r\nHost: " + siteHost + "\r\n\r\n", false},
	"an empty host and another":  {"GET / HTTP/1.1\r\nHost:\r\nHost: " + siteHost + "\r\n\r\n", false},
	"an empty wish and another":  {head("/", "Accept-Encoding:", "Accept-Encoding: br"), false},
	"a refusal behind a tab":     {head("/", "Accept-Encoding: gzip;\tq=0"), true},
	"a whole address":            {"GET http://" + siteHost + "/ HTTP/1.1\r\nHost: " + siteHost + "\r\n\r\n", false},
	"an address without a path":  {"GET http://" + siteHost + " HTTP/1.1\r\nHost: " + siteHost + "\r\n\r\n", false},
	"a request's id":             {head("/", "X-Request-Id: mine-1.2_3"), true},
	"two of them":                {head("/", "X-Request-Id: first", "X-Request-Id: second"), true},
	"an invalid id":              {head("/", "X-Request-Id: a b"), true},
	"an empty id and another":    {head("/", "X-Request-Id:", "X-Request-Id: second"), true},
	"no host":                    {"GET / HTTP/1.1\r\n\r\n", false},
	"two hosts":                  {head("/", "host: "+siteHost), false},
	"a bad host":                 {"GET / HTTP/1.1\r\nHost: " + siteHost + ":<b>\r\n\r\n", false},
	"a host in the line":         {"GET http://" + siteHost + "/ HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n", false},
	"another host":               {"GET / HTTP/1.1\r\nHost: studio.test\r\n\r\n", false},
	"no site":                    {"GET / HTTP/1.1\r\nHost: nothing.sites.test\r\n\r\n", false},
	"the domain itself":          {"GET / HTTP/1.1\r\nHost: sites.test\r\n\r\n", false},
	"a file that is not there":   {head("/nothing.png"), false},
	"a route of the application": {head("/about"), false},
	"a directory":                {head("/sub/deep"), false},
	"a hidden file":              {head("/.env"), false},
	"a way out":                  {head("/../../etc/passwd"), false},
	"an empty file":              {head("/empty.txt"), false},
	"a large file":               {head("/large.bin"), false},
	"a bad escape":               {head("/%zz"), false},
	"a name with a blank":        {head("/", "X : y"), false},
	"a line that goes on":        {head("/", "X: y", " z"), false},
	"a bell":                     {head("/", "X: \a"), false},
	"no character":               {head("/", "X: \x00"), false},
	"a character that deletes":   {head("/", "X: \x7f"), false},
	"letters beyond ASCII":       {head("/", "X: ü"), true},
	"lines without returns":      {strings.ReplaceAll(head("/"), "\r\n", "\n"), false},
	"a return within a line":     {head("/", "X: y\rz"), false},
	"two accepted encodings":     {head("/", "Accept-Encoding: br", "Accept-Encoding: gzip"), false},
	"a blank in the path":        {head("/a b"), false},
	"letters in the path":        {head("/ü"), false},
	"a path from the root":       {head("//" + siteHost + "/"), false},
	"a fragment":                 {head("/#a"), false},
	"a path of no server":        {head("*"), false},
	"a colon in the path":        {head("/logo.png:x"), false},
	"an odd version":             {strings.Replace(head("/"), "HTTP/1.1", "HTTP/1.2", 1), false},
	"no fields":                  {"GET / HTTP/1.1\r\n\r\n", false},
	"a field without a colon":    {head("/", "Xy"), false},
	"a field without a name":     {head("/", ": y"), false},
	"an empty host":              {"GET / HTTP/1.1\r\nHost:\r\n\r\n", false},
	"no request":                 {"hello\r\n\r\n", false},
}

func methodOf(text string) string { method, _, _ := strings.Cut(text, " "); return method }

func TestTheFastPathAnswersAsTheHandlerDoes(t *testing.T) {
	p := newPaths(t, time.Minute, time.Minute)
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			slow := dial(t, p.slow)
			slow.write(request.text)
			want := slow.readTwo(methodOf(request.text))
			_, body, _ := strings.Cut(request.text, "\r\n\r\n")
			for _, first := range []int{len(request.text), len(request.text) - len(body), 1, 2, 3, 4, 5} {
				fast, before := dial(t, p.fast), p.handled.Load()
				fast.write(request.text[:first])
				if first < len(request.text) {
					time.Sleep(2 * time.Millisecond)
					fast.write(request.text[first:])
				}
				if got := fast.readTwo(methodOf(request.text)); got != want {
					t.Errorf("%d bytes first: got\n%.2000s\nwant\n%.2000s", first, got, want)
				}
				handled := p.handled.Load() - before
				if request.fast && first == len(request.text) && handled > 0 {
					t.Error("got an answer from the handler, want it from the fast path")
				}
			}
		})
	}
	if p.handled.Load() == 0 {
		t.Error("nothing reached the handler")
	}
}

// TestRequestsShareAConnection sends many requests over one connection, one after the
// other and all together, in pieces of any size.
func TestRequestsShareAConnection(t *testing.T) {
	p := newPaths(t, time.Minute, time.Minute)
	var texts []string
	for _, name := range []string{"a page", "gzip", "a picture", "HEAD", "a body", "pieces", "a part", "a tag", "another host", "no site", "a route of the application", "as much as may be", "a long head", "lines without returns", "letters beyond ASCII"} {
		texts = append(texts, requests[name].text)
	}
	want := map[string]string{}
	for _, text := range texts {
		alone := dial(t, p.slow)
		alone.write(text)
		want[text] = alone.read(methodOf(text))
	}
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		var order []string
		for range 12 {
			order = append(order, texts[random.IntN(len(texts))])
		}
		c := dial(t, p.fast)
		check := func(text string) {
			t.Helper()
			if got := c.read(methodOf(text)); got != want[text] {
				t.Fatalf("seed %d, %q: got\n%.2000s\nwant\n%.2000s", seed, text, got, want[text])
			}
		}
		if seed%2 == 0 {
			for _, text := range order {
				c.write(text)
				check(text)
			}
			continue
		}
		go writeInPieces(c, strings.Join(order, ""), random)
		for _, text := range order {
			check(text)
		}
	}
}

// writeInPieces writes a text in pieces, each of which may arrive separately.
func writeInPieces(c *client, text string, random *rand.Rand) {
	for len(text) > 0 {
		n := min(len(text), 1+random.IntN(200))
		if _, err := io.WriteString(c, text[:n]); err != nil {
			return
		}
		text = text[n:]
		time.Sleep(time.Duration(random.IntN(500)) * time.Microsecond)
	}
}

// TestNobodyIsAnsweredOutOfTurn sends text that looks like a request where none begins.
func TestNobodyIsAnsweredOutOfTurn(t *testing.T) {
	p := newPaths(t, time.Minute, time.Minute)
	page := head("/")
	put := fmt.Sprintf("PUT / HTTP/1.1\r\nHost: studio.test\r\nContent-Length: %d\r\n\r\n", len(page))
	bare := fmt.Sprintf("PUT / HTTP/1.1\nHost: studio.test\nContent-Length: %d\n\n\r\n\r\n", len(page)+4)
	ask := "GET / HTTP/1.1\nHost: studio.test\n\n"
	const api, site, refused = "the API", "home", "400 Bad Request"
	for name, c := range map[string]struct{ pieces, answers []string }{
		"a body":                             {[]string{put, page}, []string{api}},
		"a body behind pieces":               {[]string{put[:10], put[10 : len(put)-2], put[len(put)-2:], page}, []string{api}},
		"a body behind bare lines":           {[]string{bare, page}, []string{api}},
		"a body of the second request":       {[]string{ask + bare, page}, []string{api, api}},
		"a field of the second request":      {[]string{put, page + "GET / HTTP/1.1\r\nHost: studio.test\r\nX: ", page}, []string{api, refused}},
		"two requests in one, by bare lines": {[]string{strings.ReplaceAll(page, "\r\n", "\n") + page}, []string{site, site}},
		"two requests, by bare returns":      {[]string{strings.ReplaceAll(page, "\r\n", "\r") + page}, []string{refused}},
	} {
		t.Run(name, func(t *testing.T) {
			client := dial(t, p.fast)
			for _, piece := range c.pieces {
				client.write(piece)
				time.Sleep(10 * time.Millisecond)
			}
			for _, want := range c.answers {
				got := client.read(http.MethodPut)
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
				if want == refused {
					return
				}
			}
			client.write(head("/robots.txt"))
			if got := client.read(http.MethodGet); !strings.Contains(got, "User-agent: *") {
				t.Errorf("got %s, want the answer to the next request", got)
			}
		})
	}
}

func TestTheFastPathServesWhatIsLive(t *testing.T) {
	p := newPaths(t, time.Minute, time.Minute)
	c := dial(t, p.fast)
	c.write(head("/robots.txt"))
	if got := c.read(http.MethodGet); !strings.Contains(got, "User-agent: *") {
		t.Errorf("got %s", got)
	}
	p.write("public/robots.txt", "User-agent: none")
	p.mustPublish()
	c.write(head("/robots.txt"))
	if got := c.read(http.MethodGet); !strings.Contains(got, "User-agent: none") {
		t.Errorf("got %s, want what was published last", got)
	}
	p.must(p.publish.Unpublish(t.Context(), p.owner, p.project))
	c.write(head("/robots.txt"))
	if got := c.read(http.MethodGet); !strings.HasPrefix(got, "404") {
		t.Errorf("got %s, want nothing of a site that is gone", got)
	}
}

func TestAnIdleClientOfTheFastPathIsLetGo(t *testing.T) {
	p := newPaths(t, 100*time.Millisecond, time.Minute)
	// A client that the machine keeps from asking within 100 ms is idle, too.
	conformance.Eventually(t, "three answers, then the end of the connection", func() bool {
		c := dial(t, p.fast)
		for range 3 {
			_, _ = io.WriteString(c, head("/"))
			response, err := http.ReadResponse(c.reader, nil)
			if err != nil {
				return false
			}
			_, _ = io.Copy(io.Discard, response.Body)
		}
		_, err := c.reader.ReadByte()
		return err == io.EOF
	})
}

// TestAHeadThatDoesNotComeEndsTheConnection sends the beginning of one, first of all
// and behind an answer of each path.
func TestAHeadThatDoesNotComeEndsTheConnection(t *testing.T) {
	p := newPaths(t, time.Hour, 500*time.Millisecond)
	for name, before := range map[string][]string{"first of all": nil, "behind the fast path": {"a page"}, "behind the handler": {"a page", "HEAD"}} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, p.fast)
			for _, request := range before {
				c.write(requests[request].text)
				c.read(methodOf(requests[request].text))
			}
			c.write("GET / HT")
			if got, err := io.ReadAll(c.reader); err != nil || strings.Contains(string(got), "200 OK") {
				t.Errorf("got %q, %v, want the connection closed", got, err)
			}
		})
	}
}

// TestAStopWaitsForTheFastPath stops a server while one client has not received its
// answer, and another is idle.
func TestAStopWaitsForTheFastPath(t *testing.T) {
	p := newPaths(t, time.Minute, time.Minute)
	idle, slow := p.dialIdle(), p.dialIdle()
	_ = slow.Conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	slow.write(head("/medium.bin"))
	if _, err := slow.reader.Peek(1); err != nil {
		t.Fatal(err)
	}
	ctx := conformance.Bounded(t)
	stopped := make(chan error, 1)
	go func() { stopped <- p.fast.Config.Shutdown(ctx) }()
	if _, err := idle.reader.ReadByte(); err != io.EOF {
		t.Errorf("got %v, want the idle connection closed", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if p.handler.Drain(ended) == nil {
		t.Fatal("got the end of all answers, want one under way")
	}
	_ = slow.SetDeadline(time.Now().Add(2 * time.Minute))
	received, err := io.ReadAll(slow.reader)
	if err != nil {
		t.Error(err)
	}
	if err := errors.Join(<-stopped, p.handler.Drain(ctx)); err != nil {
		t.Error(err)
	}
	if _, last, _ := bytes.Cut(received[bytes.LastIndex(received, []byte("HTTP/1.1 200 OK")):], []byte("\r\n\r\n")); string(last) != medium {
		t.Errorf("got %d bytes of the last answer, want all %d", len(last), len(medium))
	}
}

// dialIdle returns a connection on which net/http has answered, so that it counts as
// idle, and which is still on the fast path. net/http may otherwise have begun to read
// the next request.
func (p *paths) dialIdle() (c *client) {
	p.t.Helper()
	conformance.Eventually(p.t, "a connection on the fast path", func() bool {
		c = dial(p.t, p.fast)
		c.write(requests["HEAD"].text)
		c.read(http.MethodHead)
		before := p.handled.Load()
		c.write(head("/"))
		c.read(http.MethodGet)
		return p.handled.Load() == before
	})
	return c
}
