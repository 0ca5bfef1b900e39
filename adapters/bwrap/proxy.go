package bwrap

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// Bounds on what the proxy reads and waits for. The proxy ends with the command.
const (
	maxProxyHeader  = 64 << 10
	maxAnswerHeader = 1 << 20
	headerTime      = 30 * time.Second
	// maxHostsLogged bounds the distinct hosts in the log line of one command.
	maxHostsLogged = 100
)

// proxy is an HTTP proxy for one command: it tunnels to port 443 and forwards plain
// requests to port 80. It reports problems in its answers, which the command's programs
// show.
type proxy struct {
	hosts   core.HostPatterns
	guard   netguard.Guard
	log     *slog.Logger
	project core.ID
	forward http.Handler

	// closing ends all requests.
	closing context.Context
	close   context.CancelFunc
	// handlers counts the requests in progress.
	handlers sync.WaitGroup

	mu      sync.Mutex
	reached map[string]int
	refused map[string]int
}

func newProxy(hosts core.HostPatterns, guard netguard.Guard, project core.ID, log *slog.Logger) *proxy {
	p := &proxy{hosts: hosts, guard: guard, project: project, log: log, reached: map[string]int{}, refused: map[string]int{}}
	p.closing, p.close = context.WithCancel(context.Background())
	p.forward = &httputil.ReverseProxy{
		// The outgoing request is the incoming one without hop-by-hop headers.
		Rewrite: func(*httputil.ProxyRequest) {},
		Transport: &http.Transport{
			DialContext:            func(ctx context.Context, _, address string) (net.Conn, error) { return guard.Dial(ctx, address) },
			DisableCompression:     true,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxAnswerHeader,
		},
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ErrorHandler:  func(w http.ResponseWriter, r *http.Request, err error) { answerFailure(w, r.URL.Hostname(), err) },
	}
	return p
}

// serve accepts from the listener until the proxy is closed, and waits for every request
// that it has begun.
func (p *proxy) serve(listener net.Listener) {
	server := &http.Server{
		Handler: p, MaxHeaderBytes: maxProxyHeader, ReadHeaderTimeout: headerTime,
		BaseContext: func(net.Listener) context.Context { return p.closing },
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	defer context.AfterFunc(p.closing, func() { _ = server.Close() })()
	_ = server.Serve(listener)
	p.handlers.Wait()
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		return
	}
	defer p.handlers.Done()
	host, port, wanted := target(r)
	switch {
	case host == "":
		answer(w, http.StatusBadRequest, "this is a proxy: it accepts only CONNECT host:443 and requests for http://host/path")
	case !p.hosts.Allow(host):
		p.note(p.refused, host)
		answer(w, http.StatusForbidden, fmt.Sprintf("commands of this workspace may not reach %s, only: %s. An admin of the workspace can add it to commandHosts.", host, p.hosts))
	case port != wanted:
		answer(w, http.StatusForbidden, fmt.Sprintf("commands may reach %s only on port 443 (TLS) and port 80 (HTTP), not on port %s", host, port))
	case r.Method == http.MethodConnect:
		p.note(p.reached, host)
		p.tunnel(w, r, net.JoinHostPort(host, port))
	default:
		p.note(p.reached, host)
		p.forward.ServeHTTP(w, r)
	}
}

// begin counts a request in. It fails once the proxy is closed.
func (p *proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing.Err() != nil {
		return false
	}
	p.handlers.Add(1)
	return true
}

// target returns the host of a request and the port that it must name. The host is "" if
// the request is not meant for a proxy. The Host header does not matter: Go's server has
// replaced it with the host of the request line.
func target(r *http.Request) (host, port, wanted string) {
	if r.Method == http.MethodConnect {
		host, port, err := net.SplitHostPort(r.RequestURI)
		if err != nil {
			return "", "", ""
		}
		return host, port, "443"
	}
	if r.URL.Scheme != "http" || r.URL.User != nil || r.Host != r.URL.Host {
		return "", "", ""
	}
	if port = r.URL.Port(); port == "" {
		port = "80"
	}
	return r.URL.Hostname(), port, "80"
}

// tunnel joins the command with a host.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request, address string) {
	far, err := p.guard.Dial(p.closing, address)
	if err != nil {
		answerFailure(w, address, err)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		answerFailure(w, address, err)
		return
	}
	// Close the far end first: closing the near end admits the next connection.
	defer func() { far.Close(); near.Close() }()
	defer context.AfterFunc(p.closing, func() { far.Close(); near.Close() })()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var sending sync.WaitGroup
	sending.Go(func() {
		_, _ = io.Copy(far, buffered)
		_ = closeWrite(far)
	})
	_, _ = io.Copy(near, far)
	_ = closeWrite(near)
	sending.Wait()
}

// answer sends a response of the proxy itself.
func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

// answerFailure says why a host could not be reached.
func answerFailure(w http.ResponseWriter, host string, err error) {
	if core.IsCode(err, core.CodeForbiddenAddress) {
		answer(w, http.StatusForbidden, host+" resolves to an address that is not allowed")
		return
	}
	answer(w, http.StatusBadGateway, host+" could not be reached")
}

// note counts a host, up to a maximum of hosts.
func (p *proxy) note(counts map[string]int, host string) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	host = strings.ToValidUTF8(host[:min(len(host), 253)], "\uFFFD")
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := counts[host]; known || len(counts) < maxHostsLogged {
		counts[host]++
	}
}

// report logs the hosts that the command asked for, without paths, and returns those that
// it was refused.
func (p *proxy) report(bytes int64) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.reached)+len(p.refused) > 0 {
		p.log.Info("a command used the network", "project", p.project, "reached", p.reached, "refused", p.refused, "bytes", bytes)
	}
	refused := slices.Sorted(maps.Keys(p.refused))
	return refused[:min(len(refused), sandbox.MaxRefused)]
}
