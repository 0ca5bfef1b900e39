package sitehost

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core/publish"
)

// question is a request for a whole representation of a published file, without
// conditions and without anything that concerns the connection.
type question struct {
	host, path, accepted, id string
	// named and weighed say that there was a field with the host, and one with what is
	// accepted, and with the request's name, be they empty.
	named, weighed, called bool
}

var (
	endOfHead = []byte("\r\n\r\n")
	endOfLine = endOfHead[:2]
	colon     = []byte(":")
)

// readHead reads a message that is nothing but the head of one request. whole is
// false when it may be less, or more. The question is nil when it is for net/http to
// judge what the head means.
func readHead(text []byte) (asked *question, whole bool) {
	lines, rest, ended := bytes.Cut(text, endOfHead)
	// A bare newline ends lines as well, and two of them a head.
	if !ended || len(rest) > 0 || bytes.Count(lines, endOfLine[1:]) != bytes.Count(lines, endOfLine) {
		return nil, false
	}
	line, fields, _ := bytes.Cut(lines, endOfLine)
	path, plain := readRequestLine(string(line))
	if !plain {
		return nil, true
	}
	asked = &question{path: path}
	for field := range bytes.SplitSeq(fields, endOfLine) {
		if !asked.add(field) {
			return nil, true
		}
	}
	if asked.host == "" {
		return nil, true
	}
	return asked, true
}

// readRequestLine returns the path that a line asks for.
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

// add takes a field of the head. It is false for one that makes a request special, or
// is not valid.
func (q *question) add(field []byte) bool {
	before, after, found := bytes.Cut(field, colon)
	name, value := string(before), string(bytes.Trim(after, " \t"))
	if !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
		return false
	}
	switch strings.ToLower(name) {
	case "host":
		if q.named || !httpguts.ValidHostHeader(value) {
			return false
		}
		q.host, q.named = value, true
	case "accept-encoding":
		if q.weighed {
			return false
		}
		q.accepted, q.weighed = value, true
	case "x-request-id":
		if !q.called && requestid.IsValid(value) {
			q.id = value
		}
		q.called = true
	case "connection":
		return strings.EqualFold(value, "keep-alive")
	case "content-length", "expect", "if-none-match", "range", "transfer-encoding", "upgrade":
		return false
	}
	return true
}

// recall finds what answers a question from memory: the head of the answer but for its
// date and the request's name, and its body, which nobody changes. The body is nil when the request is for
// ServeHTTP to answer.
func (h *Handler) recall(asked *question) (answer, body []byte) {
	at := h.hosts.find(asked.host)
	if at.kind != hostSite {
		return nil, nil
	}
	ctx := context.Background()
	site, err := h.published.sites.Site(ctx, at.label)
	if err != nil || site.Live == "" {
		return nil, nil
	}
	return h.published.recall(ctx, site, asked)
}

// recall finds a file of the live deployment.
func (h *publishedHost) recall(ctx context.Context, site publish.Site, asked *question) (answer, body []byte) {
	live, err := h.load(ctx, site.Live)
	if err != nil {
		return nil, nil
	}
	file, _ := live.find(asked.path)
	if file == nil || file.stream != nil {
		return nil, nil
	}
	sent, held, err := file.choose(ctx, asked.accepted)
	if err != nil || held == nil || len(held.body) > pieceBytes || len(held.body) == 0 {
		return nil, nil
	}
	return held.headOnce(file, sent), held.body
}

// headOnce returns the answer's head as ServeHTTP would send it, but for the date and the
// request's name.
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
