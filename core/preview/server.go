package preview

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// Server is a project's development server that answers requests. It may be used by
// many goroutines.
type Server struct {
	// ID identifies this start of the server.
	ID      string
	running toolchain.Server
	address netip.AddrPort
}

// Dial connects to the server.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) { return s.running.Dial(ctx, s.address) }

// Times of a development server.
const (
	// startLimit is how long it may take to answer. Some compile a whole application
	// for the first request.
	startLimit = 90 * time.Second
	// askAgain is the pause between two requests to a server that does not answer
	// yet.
	askAgain = 50 * time.Millisecond
	// noticeTime is how long it gets to notice a change of the files.
	noticeTime = 250 * time.Millisecond
	// The back-off after a crash begins with firstPause and doubles up to lastPause.
	// A server that ran for stableTime counts as new. After maxCrashes it is only
	// restarted when files change.
	firstPause = time.Second
	lastPause  = 30 * time.Second
	stableTime = time.Minute
	maxCrashes = 5
)

// devServer is a development server that was started. Only its session's goroutine
// uses it.
type devServer struct {
	Server
	plan    builds.Plan
	heard   *builds.OutputTail
	began   time.Time
	browser *http.Client
}

// over reports whether the server has ended.
func (d *devServer) over() bool {
	select {
	case <-d.running.Done():
		return true
	default:
		return false
	}
}

func (d *devServer) stop() {
	d.running.Stop()
	d.browser.CloseIdleConnections()
}

// awaitAnswer waits until one of the server's addresses gives an HTTP answer,
// whatever its status.
func (d *devServer) awaitAnswer(ctx context.Context) ([]core.Diagnostic, error) {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	for {
		for _, address := range likeliest(d.running.Listening()) {
			d.address = address
			if _, err := d.get(limited, "/"); err == nil {
				return nil, nil
			}
		}
		select {
		case <-d.running.Done():
			return builds.ExplainFailure("the development server", d.running.Outcome(), d.heard.Since(0)), nil
		case <-limited.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			said := builds.ExplainFailure("the development server", toolchain.Outcome{Ended: "time to answer"}, d.heard.Since(0))
			return said, nil
		case <-ticker.C:
		}
	}
}

// likeliest sorts the port that servers are told to use first.
func likeliest(addresses []netip.AddrPort) []netip.AddrPort {
	var first, others []netip.AddrPort
	for _, address := range addresses {
		if address.Port() == builds.DevPort {
			first = append(first, address)
			continue
		}
		others = append(others, address)
	}
	return append(first, others...)
}

// Bounds of how much is read of a server's answers.
const (
	maxModuleBytes = 2 << 20
	moduleTime     = 30 * time.Second
)

// answer is a server's answer to a request.
type answer struct {
	status int
	kind   string
	body   []byte
}

// get requests a path as a browser does.
func (d *devServer) get(ctx context.Context, path string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, moduleTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost:5173"+path, nil)
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Accept", "*/*")
	if path == "/" {
		request.Header.Set("Accept", "text/html,*/*")
	}
	response, err := d.browser.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxModuleBytes))
	return answer{response.StatusCode, response.Header.Get("Content-Type"), body}, err
}
