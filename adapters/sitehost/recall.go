package sitehost

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/net/http/httpguts"

	"github.com/atelierhq/atelier/core/publish"
)

// requestHead is a request without a body as it came over the wire, with the value of
// its one Host field.
type requestHead struct {
	text []byte
	host string
}

var (
	endOfHead = []byte("\r\n\r\n")
	endOfLine = endOfHead[:2]
	colon     = []byte(":")
	hostField = []byte("Host")
)

// readHead reads a message that is nothing but the head of one request. whole is
// false when it may be less, or more. A head has no host when it is for net/http to
// judge.
func readHead(text []byte) (head requestHead, whole bool) {
	lines, rest, ended := bytes.Cut(text, endOfHead)
	if !ended || len(rest) > 0 {
		return head, false
	}
	// A bare newline ends lines as well, and two of them a head.
	if bytes.Count(lines, endOfLine[1:]) != bytes.Count(lines, endOfLine) {
		return head, false
	}
	_, fields, _ := bytes.Cut(lines, endOfLine)
	var host []byte
	for field := range bytes.SplitSeq(fields, endOfLine) {
		name, value, found := bytes.Cut(field, colon)
		if !found || !httpguts.ValidHeaderFieldName(string(name)) {
			return head, true
		}
		if bytes.EqualFold(name, hostField) {
			host = bytes.Trim(value, " \t")
		}
	}
	if httpguts.ValidHostHeader(string(host)) {
		head = requestHead{text, string(host)}
	}
	return head, true
}

// recall finds what answers a request from memory: the head of the answer but for its
// date, and its body, which nobody changes. The body is nil when the request is for
// ServeHTTP to answer.
func (h *Handler) recall(head requestHead) (answer, body []byte) {
	at := h.hosts.find(head.host)
	if at.kind != hostSite || at.label == "" {
		return nil, nil
	}
	r := parseSimple(head.text)
	if r == nil || !isPlainPath(r.URL.Path) {
		return nil, nil
	}
	site, err := h.published.sites.Site(r.Context(), at.label)
	if err != nil || site.Live == "" {
		return nil, nil
	}
	return h.published.recall(r.Context(), site, r.URL.Path, r.Header.Get("Accept-Encoding"))
}

// recall finds a file of the live deployment.
func (h *publishedHost) recall(ctx context.Context, site publish.Site, path, accepted string) (answer, body []byte) {
	live, err := h.load(ctx, site.Live)
	if err != nil {
		return nil, nil
	}
	file, _ := live.find(path)
	if file == nil || file.stream != nil {
		return nil, nil
	}
	sent, held, err := file.choose(ctx, accepted)
	if err != nil || held == nil || len(held.body) > pieceBytes || len(held.body) == 0 {
		return nil, nil
	}
	return held.headOnce(file, sent), held.body
}

// headOnce returns the answer's head as ServeHTTP would send it, but for the date.
func (h *held) headOnce(file *asset, sent *form) []byte {
	if made := h.head.Load(); made != nil {
		return *made
	}
	header := http.Header{}
	setCommon(header)
	file.announce(header)
	sent.announce(header, h)
	var text bytes.Buffer
	text.WriteString("HTTP/1.1 200 OK\r\n")
	// A buffer takes everything.
	_ = header.Write(&text)
	made := text.Bytes()
	h.head.Store(&made)
	return made
}

// parser reads requests from what has been received already.
type parser struct {
	text bytes.Reader
	buf  *bufio.Reader
}

var parsers = sync.Pool{New: func() any { return &parser{buf: bufio.NewReader(nil)} }}

// parseSimple parses a head and returns nil unless it asks for a whole
// representation, without conditions and without anything that concerns the
// connection.
func parseSimple(text []byte) *http.Request {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	p.text.Reset(text)
	p.buf.Reset(&p.text)
	r, err := http.ReadRequest(p.buf)
	if err != nil || r.Method != http.MethodGet || r.Proto != "HTTP/1.1" || r.ContentLength != 0 || !strings.HasPrefix(r.RequestURI, "/") {
		return nil
	}
	if kept := r.Header.Get("Connection"); kept != "" && !strings.EqualFold(kept, "keep-alive") {
		return nil
	}
	for _, name := range notSimple {
		if _, has := r.Header[name]; has {
			return nil
		}
	}
	return r
}

// notSimple are fields that ask for something else than a whole representation.
var notSimple = []string{"Content-Length", "Expect", "If-None-Match", "Range", "Upgrade"}
