package sitehost

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/atelierhq/atelier/adapters/internal/pageview"
	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core/publish"
)

// plainRequest is a request for a whole representation of a published file, without conditions and
// without any connection options.
type plainRequest struct {
	host, path, accepted, id string
	// hasHost, hasEncoding and hasID mean that the Host, Accept-Encoding and request id fields
	// were present, even if empty.
	hasHost, hasEncoding, hasID bool
	opening                     pageview.View
}

var (
	endOfHead = []byte("\r\n\r\n")
	endOfLine = endOfHead[:2]
	colon     = []byte(":")
)

// readHead parses a message that consists of one request head. whole is false if the message may be
// incomplete, or longer. The request is nil if net/http must handle it.
func readHead(text []byte) (request *plainRequest, whole bool) {
	lines, rest, ended := bytes.Cut(text, endOfHead)
	// Bare newlines also end lines, and two of them end a head.
	if !ended || len(rest) > 0 || bytes.Count(lines, endOfLine[1:]) != bytes.Count(lines, endOfLine) {
		return nil, false
	}
	line, fields, _ := bytes.Cut(lines, endOfLine)
	path, plain := readRequestLine(string(line))
	if !plain {
		return nil, true
	}
	request = &plainRequest{path: path}
	for field := range bytes.SplitSeq(fields, endOfLine) {
		if !request.add(field) {
			return nil, true
		}
	}
	if request.host == "" {
		return nil, true
	}
	return request, true
}

// readRequestLine returns the path of a request line.
func readRequestLine(line string) (path string, plain bool) {
	target, get := strings.CutPrefix(line, "GET ")
	target, current := strings.CutSuffix(target, " HTTP/1.1")
	if !get || !current || !strings.HasPrefix(target, "/") || strings.Contains(target, " ") {
		return "", false
	}
	at, err := url.ParseRequestURI(target)
	if err != nil {
		return "", false
	}
	return at.Path, isPlainPath(at.Path)
}

// add parses a field of the head. It returns false if the field makes the request special, or is
// invalid.
func (r *plainRequest) add(field []byte) bool {
	before, after, found := bytes.Cut(field, colon)
	name, value := string(before), string(bytes.Trim(after, " \t"))
	if !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
		return false
	}
	name = strings.ToLower(name)
	r.opening.Add(name, value)
	switch name {
	case "host":
		if r.hasHost || !httpguts.ValidHostHeader(value) {
			return false
		}
		r.host, r.hasHost = value, true
	case "accept-encoding":
		if r.hasEncoding {
			return false
		}
		r.accepted, r.hasEncoding = value, true
	case "x-request-id":
		if !r.hasID && requestid.IsValid(value) {
			r.id = value
		}
		r.hasID = true
	case "connection":
		return strings.EqualFold(value, "keep-alive")
	case "content-length", "expect", "if-none-match", "range", "transfer-encoding", "upgrade":
		return false
	}
	return true
}

// answerFromMemory returns the head of the answer, without its date and the request id, and its
// body, which is immutable. The body is nil if ServeHTTP must answer.
func (h *Handler) answerFromMemory(request *plainRequest) (answer, body []byte) {
	at := h.hosts.find(request.host)
	if at.kind != hostSite || isData(request.path) {
		return nil, nil
	}
	ctx := context.Background()
	site, err := h.published.sites.Site(ctx, at.label)
	if err != nil || site.Live == "" || presentationOf(site).isPrivate() {
		return nil, nil
	}
	return h.published.answerFromMemory(ctx, site, request)
}

// answerFromMemory finds the file in the live deployment.
func (h *publishedHost) answerFromMemory(ctx context.Context, site publish.Site, request *plainRequest) (answer, body []byte) {
	live, err := h.load(ctx, site.Live, presentationOf(site))
	if err != nil {
		return nil, nil
	}
	file, _ := live.find(request.path)
	if file == nil || file.stream != nil {
		return nil, nil
	}
	sent, cached, err := file.choose(ctx, request.accepted)
	if err != nil || cached == nil || len(cached.content) > pieceBytes || len(cached.content) == 0 {
		return nil, nil
	}
	if file.isPage() {
		h.countView(site.Project, request.host, request.path, request.opening)
	}
	return cached.headOnce(file, sent), cached.content
}

// headOnce returns the answer's head as ServeHTTP would send it, without the date and the request
// id.
func (b *cachedBody) headOnce(file *asset, sent *form) []byte {
	if made := b.head.Load(); made != nil {
		return *made
	}
	header := http.Header{}
	setCommon(header)
	file.announce(header)
	sent.announce(header, b)
	var text bytes.Buffer
	text.WriteString("HTTP/1.1 200 OK\r\n")
	// Writing to a buffer never fails.
	_ = header.Write(&text)
	made := text.Bytes()
	b.head.Store(&made)
	return made
}
