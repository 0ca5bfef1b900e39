// Package accesslog writes the access log of published sites, in the format that web servers call
// vhost_combined and log analysers read:
//
//	host address - - [time] "method path protocol" status bytes "referrer" "program"
//
// It leaves queries out, because those of files and forms may hold tokens. Anything that is not
// printable ASCII is escaped as \xhh, and no field has more than maxFieldBytes.
package accesslog

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/felixge/httpsnoop"
)

const (
	maxFieldBytes = 1024
	timeLayout    = "02/Jan/2006:15:04:05 -0700"
)

// Log is the middleware. It may be used concurrently.
type Log struct {
	visitor func(*http.Request) netip.Addr
	now     func() time.Time
	log     *slog.Logger

	mu  sync.Mutex
	out io.Writer
	// broken says that the last write failed, which is logged once.
	broken bool
}

// New returns a log that writes to out, and closes it if it can be closed. visitor returns the address of a visitor, the zero Addr
// if it is unknown. log gets failures to write.
func New(out io.Writer, visitor func(*http.Request) netip.Addr, now func() time.Time, log *slog.Logger) *Log {
	return &Log{visitor: visitor, now: now, log: log, out: out}
}

// Around returns a handler that does as next, and writes a line when an answer has ended.
func (l *Log) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun, address, target := l.now(), l.visitor(r), *r.URL
		answer := httpsnoop.Metrics{Code: http.StatusOK}
		defer func() { l.write(lineOf(r, target, address, begun, answer)) }()
		answer.CaptureMetrics(w, func(w http.ResponseWriter) { next.ServeHTTP(w, r) })
	})
}

// Close ends the log. Call it when no answer is under way.
func (l *Log) Close() error {
	if file, is := l.out.(io.Closer); is {
		return file.Close()
	}
	return nil
}

func (l *Log) write(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := io.WriteString(l.out, line)
	if err != nil && !l.broken {
		l.log.Warn("could not write the access log of sites", "error", err)
	}
	l.broken = err != nil
}

func lineOf(r *http.Request, target url.URL, address netip.Addr, begun time.Time, answer httpsnoop.Metrics) string {
	visitor := "-"
	if address.IsValid() {
		visitor = address.String()
	}
	referrer := r.Referer()
	if from, err := url.Parse(referrer); err == nil {
		from.RawQuery, from.Fragment, from.User = "", "", nil
		referrer = from.String()
	}
	return fmt.Sprintf("%s %s - - [%s] \"%s %s %s\" %d %d \"%s\" \"%s\"\n",
		field(strings.ToLower(r.Host)), visitor, begun.Format(timeLayout), field(r.Method), field(target.EscapedPath()), field(r.Proto),
		answer.Code, answer.Written, field(referrer), field(r.UserAgent()))
}

// field returns a text of a visitor's as part of a line, "-" for none.
func field(text string) string {
	if text == "" {
		return "-"
	}
	var written strings.Builder
	for i := 0; i < len(text) && written.Len() < maxFieldBytes; i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&written, `\x%02x`, c)
		} else {
			written.WriteByte(c)
		}
	}
	return written.String()
}
