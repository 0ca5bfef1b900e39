// Package traces is a tracing.Tracer that keeps the spans in memory.
package traces

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/tracing"
)

var _ tracing.Tracer = (*Tracer)(nil)

// Tracer is a tracing.Tracer that keeps what has ended.
type Tracer struct {
	mu     sync.Mutex
	closed bool
	ended  []EndedSpan
}

// EndedSpan is a span of a Tracer.
type EndedSpan struct {
	Trace, ID, Parent, Name string
	Kind                    tracing.Kind
	Facts                   map[string]any
	Links                   []string
	Failed                  core.Code
}

// New returns a tracer without spans.
func New() *Tracer { return &Tracer{} }

// Ended returns what has ended, the oldest first.
func (t *Tracer) Ended() []EndedSpan {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.ended)
}

// Begin implements tracing.Tracer.
func (t *Tracer) Begin(start tracing.Start) tracing.Span {
	first := newSpan(t, start)
	first.is.Trace = randomHex(16)
	remote := traceparent().FindStringSubmatch(start.Remote)
	if remote == nil || zeros(remote[1]) || zeros(remote[2]) {
		return first
	}
	if !start.Trusted {
		first.is.Links = append(first.is.Links, remote[2])
		return first
	}
	first.is.Trace, first.is.Parent = remote[1], remote[2]
	if flags, err := hex.DecodeString(remote[3]); err != nil || flags[0]&1 == 0 {
		return tracing.Off{}.Begin(start)
	}
	return first
}

// traceparent is the header's version 00 of W3C Trace Context.
func traceparent() *regexp.Regexp {
	return regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$`)
}

func zeros(text string) bool { return strings.Trim(text, "0") == "" }

// Close implements tracing.Tracer.
func (t *Tracer) Close(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return nil
}

type span struct {
	tracer *Tracer
	mu     sync.Mutex
	over   bool
	is     EndedSpan
}

func newSpan(t *Tracer, start tracing.Start) *span {
	made := &span{tracer: t, is: EndedSpan{ID: randomHex(8), Name: start.Name, Kind: start.Kind, Facts: map[string]any{}}}
	made.Add(start.Facts...)
	if cause, ok := start.Cause.(*span); ok {
		made.is.Links = append(made.is.Links, cause.is.ID)
	}
	return made
}

func randomHex(bytes int) string {
	random := make([]byte, bytes)
	_, _ = rand.Read(random) // never fails, as crypto/rand says
	return hex.EncodeToString(random)
}

// Begin implements tracing.Span.
func (s *span) Begin(start tracing.Start) tracing.Span {
	child := newSpan(s.tracer, start)
	child.is.Trace, child.is.Parent = s.is.Trace, s.is.ID
	return child
}

// change changes a span that has not ended.
func (s *span) change(do func(*EndedSpan)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		do(&s.is)
	}
}

// Name implements tracing.Span.
func (s *span) Name(name string) { s.change(func(is *EndedSpan) { is.Name = name }) }

// Add implements tracing.Span.
func (s *span) Add(facts ...tracing.Fact) {
	s.change(func(is *EndedSpan) {
		for _, fact := range facts {
			switch fact.Value.(type) {
			case string, int64, bool:
				is.Facts[fact.Key] = fact.Value
			}
		}
	})
}

// Fail implements tracing.Span.
func (s *span) Fail(code core.Code) { s.change(func(is *EndedSpan) { is.Failed = code }) }

// End implements tracing.Span.
func (s *span) End() {
	s.change(func(is *EndedSpan) {
		s.over = true
		s.tracer.mu.Lock()
		defer s.tracer.mu.Unlock()
		if !s.tracer.closed {
			ended := *is
			ended.Facts = maps.Clone(is.Facts)
			s.tracer.ended = append(s.tracer.ended, ended)
		}
	})
}

// TraceID implements tracing.Span.
func (s *span) TraceID() string { return s.is.Trace }
