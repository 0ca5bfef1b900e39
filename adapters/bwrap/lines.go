package bwrap

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// How fast a server may print. A faster one is slowed down by back-pressure, so that
// readers need not keep up with it.
const (
	byteBurst = 1 << 20
	byteRate  = 256 << 10
	// lineBurst and lineRate bound the lines that are passed on.
	lineBurst = 500
	lineRate  = 100
)

// escape matches the codes by which terminals show colour. Many tools print them whatever
// they are told.
var escape = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// lineWriter is an io.Writer that cuts a tool's output into lines. A tool with a time
// limit is ended when it prints too much; a server is slowed down.
type lineWriter struct {
	say func(string)
	// most is 0 for a tool that is slowed down.
	most int64
	end  context.CancelCauseFunc
	done <-chan struct{}

	mu    sync.Mutex
	line  []byte
	total int64
	lines bucket
	bytes bucket
}

func newLineWriter(ctx context.Context, say func(string), most int64, end context.CancelCauseFunc) *lineWriter {
	if say == nil {
		say = func(string) {}
	}
	return &lineWriter{
		say: say, most: most, end: end, done: ctx.Done(),
		lines: bucket{size: lineBurst, rate: lineRate}, bytes: bucket{size: byteBurst, rate: byteRate},
	}
}

// Write implements io.Writer. It fails when the tool must end.
func (s *lineWriter) Write(said []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += int64(len(said))
	if s.most > 0 && s.total > s.most {
		s.end(limitError{sandbox.LimitOutput})
	}
	for rest := said; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte("\n"))
		s.line = append(s.line, piece[:min(len(piece), toolchain.MaxLineBytes-len(s.line))]...)
		if rest = after; ended {
			s.flush()
		}
	}
	if wait := s.bytes.take(float64(len(said)), time.Now()); wait > 0 && s.most == 0 {
		return len(said), s.pause(wait)
	}
	return len(said), nil
}

// flush passes the line on, unless there are too many.
func (s *lineWriter) flush() {
	text := strings.TrimRight(escape.ReplaceAllString(string(s.line), ""), "\r")
	s.line = s.line[:0]
	if s.lines.take(1, time.Now()) > 0 {
		s.lines.give(1)
		return
	}
	s.say(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"))
}

// close passes on the last line without a newline. Nothing may be written afterwards.
func (s *lineWriter) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.line) > 0 {
		s.flush()
	}
}

func (s *lineWriter) pause(wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.done:
		return context.Canceled
	}
}

// bucket is a token bucket: it holds a bounded number of tokens and refills with time.
type bucket struct {
	size, rate float64
	level      float64
	filled     time.Time
}

// take removes tokens and returns how long the bucket stays below empty.
func (b *bucket) take(amount float64, now time.Time) time.Duration {
	if b.filled.IsZero() {
		b.level, b.filled = b.size, now
	}
	b.level = min(b.size, b.level+now.Sub(b.filled).Seconds()*b.rate) - amount
	b.filled = now
	if b.level >= 0 {
		return 0
	}
	return time.Duration(-b.level / b.rate * float64(time.Second))
}

// give returns tokens that were taken but not used.
func (b *bucket) give(amount float64) { b.level += amount }
