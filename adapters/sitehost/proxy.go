package sitehost

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/streams"
)

// Bounds on the traffic with a development server.
const (
	maxProxied      = 128
	maxProxiedBody  = 32 << 20
	proxyHeaderTime = 90 * time.Second
	// maxHead is how many bytes of a page are searched for its head.
	maxHead = 64 << 10
)

// devHost is the host in requests to development servers, which refuse requests for
// unknown hosts.
const devHost = "localhost:5173"

// proxy is a reverse proxy to the development servers of previews. Their answers come
// from untrusted code: it gets no cookie and no token, and affects only its own pages.
type proxy struct {
	previews *preview.Service
	streams  *streams.Budget
	// tag is the tag of the preview's client in pages of a server.
	tag     func(server string) []byte
	log     *slog.Logger
	forward *httputil.ReverseProxy

	mu    sync.Mutex
	under map[core.ID]int
}

func newProxy(deps Deps, tag func(string) []byte) *proxy {
	p := &proxy{previews: deps.Previews, streams: deps.Streams, tag: tag, log: deps.Log, under: map[core.ID]int{}}
	p.forward = &httputil.ReverseProxy{
		Rewrite: p.rewrite,
		Transport: &http.Transport{
			DialContext:           p.dial,
			DisableCompression:    true,
			MaxIdleConnsPerHost:   16,
			IdleConnTimeout:       time.Minute,
			ResponseHeaderTimeout: proxyHeaderTime,
		},
		FlushInterval:  -1,
		ModifyResponse: p.clean,
		ErrorHandler:   p.fail,
		ErrorLog:       slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	return p
}

// target names one run of a project's server, so that a connection to an earlier run is
// never reused for a later one.
type target struct {
	project core.ID
	server  string
}

type targetKey struct{}

// serve hands a request on to a server.
func (p *proxy) serve(w http.ResponseWriter, r *http.Request, project core.ID, server *preview.Server) {
	if !p.enter(project) {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "too many requests to this preview at once")
		return
	}
	defer p.leave(project)
	if r.Header.Get("Upgrade") != "" {
		// A socket lasts as long as its page.
		done, err := p.streams.OpenPage(project)
		if err != nil {
			refuseStream(w, err)
			return
		}
		defer done()
	}
	r = r.WithContext(context.WithValue(r.Context(), targetKey{}, target{project, server.ID}))
	r.Body = http.MaxBytesReader(w, r.Body, maxProxiedBody)
	p.forward.ServeHTTP(w, r)
}

func (p *proxy) enter(project core.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.under[project] >= maxProxied {
		return false
	}
	p.under[project]++
	return true
}

func (p *proxy) leave(project core.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.under[project]--; p.under[project] == 0 {
		delete(p.under, project)
	}
}

// rewrite builds the request for the server.
func (p *proxy) rewrite(request *httputil.ProxyRequest) {
	at, _ := request.In.Context().Value(targetKey{}).(target)
	out := request.Out
	out.URL.Scheme, out.URL.Host = "http", string(at.project)+"."+at.server
	out.URL.RawQuery = request.In.URL.RawQuery
	out.Host = devHost
	out.Header.Del("Accept-Encoding")
	if origin, err := url.Parse(out.Header.Get("Origin")); err == nil && strings.EqualFold(origin.Host, request.In.Host) {
		out.Header.Set("Origin", "http://"+devHost)
	}
	if wantsDocument(request.In) {
		// The page with the client differs from the server's page, so its entity tag does
		// not apply.
		out.Header.Del("If-None-Match")
		out.Header.Del("If-Modified-Since")
	}
}

func wantsDocument(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// dial connects to the server that rewrite has named.
func (p *proxy) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	project, id, _ := strings.Cut(host, ".")
	server := p.previews.Server(core.ID(project))
	if server == nil || server.ID != id {
		return nil, os.ErrClosed
	}
	return server.Dial(ctx)
}

// withheld are headers that only the preview host itself may set, or nobody.
func withheld() []string {
	return []string{
		"X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy", "X-Robots-Tag", "Strict-Transport-Security", "Service-Worker-Allowed",
		"Alt-Svc", "Clear-Site-Data", "Nel", "Report-To", "Reporting-Endpoints", "Public-Key-Pins", "Expect-Ct",
	}
}

// clean removes from an answer what would affect more than the preview, and inserts the
// client into pages.
func (p *proxy) clean(response *http.Response) error {
	header := response.Header
	for _, name := range withheld() {
		header.Del(name)
	}
	header.Del(requestid.Header) // The answer already has one.
	keepOwnCookies(header)
	if rest, found := strings.CutPrefix(header.Get("Location"), "http://"+devHost); found && strings.HasPrefix(rest, "/") {
		header.Set("Location", rest)
	}
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if kind != "text/html" || header.Get("Content-Encoding") != "" || !wantsDocument(response.Request) {
		return nil
	}
	header.Del("Content-Length")
	header.Del("Etag")
	header.Del("Last-Modified")
	header["Cache-Control"] = noStore
	if response.Request.Method == http.MethodHead || response.StatusCode == http.StatusNotModified {
		return nil
	}
	at, _ := response.Request.Context().Value(targetKey{}).(target)
	return p.bringClient(response, at.server)
}

// keepOwnCookies drops cookies that would also be sent to other hosts.
func keepOwnCookies(header http.Header) {
	lines := header["Set-Cookie"]
	if len(lines) == 0 {
		return
	}
	header.Del("Set-Cookie")
	for _, line := range lines {
		if cookie, err := http.ParseSetCookie(line); err == nil && cookie.Domain == "" {
			header.Add("Set-Cookie", line)
		}
	}
}

// bringClient inserts the client into the head of a page and streams the rest.
func (p *proxy) bringClient(response *http.Response, server string) error {
	body := response.Body
	var head []byte
	piece := make([]byte, 4<<10)
	var ended error
	for ended == nil && len(head) < maxHead && !bytes.Contains(head, []byte("<body")) && !bytes.Contains(head, []byte("</head")) {
		var n int
		n, ended = body.Read(piece)
		head = append(head, piece[:n]...)
	}
	if ended != nil && ended != io.EOF {
		return ended
	}
	page := inject(head, p.tag(server))
	if ended == io.EOF {
		response.Header.Set("Content-Length", strconv.Itoa(len(page)))
		response.ContentLength = int64(len(page))
	} else {
		response.ContentLength = -1
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(page), body), body}
	return nil
}

// fail answers that the server did not respond. It may have just ended; the page then
// shows when it is back.
func (p *proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	at, _ := r.Context().Value(targetKey{}).(target)
	p.log.DebugContext(r.Context(), "development server did not answer", "request_id", w.Header().Get(requestid.Header), "project", at.project, "error", err)
	w.Header().Set("Retry-After", "2")
	showNotice(w, r, http.StatusServiceUnavailable, starting("The development server did not answer. Trying again.", p.tag("")))
}
