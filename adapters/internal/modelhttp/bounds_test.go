package modelhttp_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// flood is a reader of an endless text that counts what was read.
type flood struct {
	text string
	at   int
	read int
}

func (f *flood) Read(p []byte) (int, error) {
	for filled := 0; filled < len(p); {
		n := copy(p[filled:], f.text[f.at:])
		filled += n
		f.at = (f.at + n) % len(f.text)
	}
	f.read += len(p)
	return len(p), nil
}

func TestNothingFillsTheMemory(t *testing.T) {
	const bound = 5 << 20
	for _, row := range []struct {
		name, head, text string
		lines            bool
	}{
		{"a line of events without end", "data: ", "x", false},
		{"a line of JSON without end", "{", "x", true},
		{"an event of lines without end", "", "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", false},
		{"a document without end", "{", "x", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			endless := &flood{text: row.text}
			canned := aitest.CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader {
				return io.MultiReader(strings.NewReader(row.head), endless)
			}}
			call := modelhttp.Call{Path: "chat", Body: 1, Lines: row.lines}
			_, err := newCaller(t, canned).Play(t.Context(), call, ignore, echo)
			wantFailure(t, err, false, "too long")
			if limit := bound * 2; endless.read > limit {
				t.Errorf("read %d bytes, want at most %d", endless.read, limit)
			}
		})
	}
}

func TestPiecesOfNothingEnd(t *testing.T) {
	for name, lines := range map[string]bool{"events": false, "lines": true} {
		piece := "{}" + strings.Repeat(" ", 40_000) + "\n"
		if !lines {
			piece = "data: " + piece + "\n"
		}
		endless := &flood{text: piece}
		canned := aitest.CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader { return endless }}
		call := modelhttp.Call{Path: "chat", Body: 1, Lines: lines}
		nothing := func(*modelhttp.Answer, modelhttp.Event) error { return nil }
		_, err := newCaller(t, canned).Play(t.Context(), call, ignore, nothing)
		wantFailure(t, err, false, "too long")
		if limit := 70 << 20; endless.read > limit {
			t.Errorf("%s: read %d bytes, want at most %d", name, endless.read, limit)
		}
	}
}

func TestALongEventIsWhole(t *testing.T) {
	text := strings.Repeat("ä", 1<<20)
	canned := aitest.CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader {
		return strings.NewReader("data: " + text + "\n\ndata: end\n\n")
	}}
	heard := ""
	_, err := newCaller(t, canned).Play(t.Context(), modelhttp.Call{Path: "chat"}, ignore,
		func(answer *modelhttp.Answer, event modelhttp.Event) error {
			if string(event.Data) != "end" {
				heard = string(event.Data)
			}
			return echo(answer, event)
		})
	if err != nil || heard != text {
		t.Errorf("got %d bytes and %v, want %d and no error", len(heard), err, len(text))
	}
}

func TestToolCallsAreBounded(t *testing.T) {
	for _, row := range []struct {
		name  string
		piece func(i int) modelhttp.Piece
	}{
		{"arguments without end", func(int) modelhttp.Piece {
			return modelhttp.Piece{ID: "a", Tool: "t", Args: []byte(strings.Repeat("x", 1000))}
		}},
		{"calls without end", func(i int) modelhttp.Piece { return modelhttp.Piece{Index: &i, Tool: "t"} }},
		{"names without end", func(i int) modelhttp.Piece { return modelhttp.Piece{ID: "a", Tool: strings.Repeat("t", 1000)} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			canned := aitest.CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader {
				return &flood{text: "data: x\n\n"}
			}}
			pieces := 0
			_, err := newCaller(t, canned).Play(t.Context(), modelhttp.Call{Path: "chat"}, ignore,
				func(answer *modelhttp.Answer, _ modelhttp.Event) error {
					pieces++
					return answer.Piece(row.piece(pieces))
				})
			wantFailure(t, err, false, "too long")
			if pieces > 10_000 {
				t.Errorf("took %d pieces, want at most 10000", pieces)
			}
		})
	}
}

func TestDocumentsAreBounded(t *testing.T) {
	endless := &flood{text: " "}
	canned := aitest.CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader { return endless }}
	var out struct{}
	err := newCaller(t, canned).Document(t.Context(), "models", nil, &out)
	wantFailure(t, err, false, "too long")
}

func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var targets []string
		transport := roundTrip(func(request *http.Request) (*http.Response, error) {
			targets = append(targets, request.URL.String())
			header := http.Header{"Location": {"https://elsewhere.test/" + aitest.Key}}
			return &http.Response{StatusCode: status, Header: header, Body: http.NoBody, Request: request}, nil
		})
		wantFailure(t, play(t, t.Context(), transport, ignore), false, "use that as the base URL")
		if len(targets) != 1 {
			t.Errorf("status %d: got requests %q, want one", status, targets)
		}
	}
}

func TestUnreachableVendors(t *testing.T) {
	for _, row := range []struct {
		name      string
		err       error
		temporary bool
		words     string
	}{
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true, "does not answer at http://vendor.test/v1"},
		{"reset", syscall.ECONNRESET, true, "does not answer"},
		{"no such host", &net.DNSError{Name: "vendor.test", IsNotFound: true}, false, `no host "vendor.test"`},
		{"name server away", &net.DNSError{Name: "vendor.test", IsTemporary: true}, true, "does not answer"},
		{"forbidden", core.Errorf(core.CodeForbiddenAddress, "loopback"), false, "not allowed"},
		{"certificate", &tls.CertificateVerificationError{Err: errors.New("expired")}, false, "certificate"},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := roundTrip(func(*http.Request) (*http.Response, error) { return nil, row.err })
			err := play(t, t.Context(), transport, ignore)
			wantFailure(t, err, row.temporary, row.words)
			if !errors.Is(err, row.err) {
				t.Errorf("cause: got %v, want it kept", err)
			}
		})
	}
}

func TestARequestThatCannotBeWrittenIsInternal(t *testing.T) {
	call := modelhttp.Call{Path: "chat", Body: func() {}}
	_, err := newCaller(t, http.DefaultTransport).Play(t.Context(), call, ignore, echo)
	if !core.IsCode(err, core.CodeInternal) {
		t.Errorf("got %v, want %s", err, core.CodeInternal)
	}
}
