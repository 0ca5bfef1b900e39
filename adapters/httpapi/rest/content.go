package rest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// contentTypes maps extensions to the types of text files. The program has its own table,
// because the standard library's depends on the machine. Files of other extensions are served as
// bytes.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8",
	".css": "text/css; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".cjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
	".xml": "application/xml", ".svg": "image/svg+xml",
	".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".ts": "text/plain; charset=utf-8", ".tsx": "text/plain; charset=utf-8", ".mts": "text/plain; charset=utf-8",
	".jsx": "text/plain; charset=utf-8", ".vue": "text/plain; charset=utf-8", ".svelte": "text/plain; charset=utf-8",
	".scss": "text/plain; charset=utf-8", ".sass": "text/plain; charset=utf-8", ".less": "text/plain; charset=utf-8",
	".yaml": "text/plain; charset=utf-8", ".yml": "text/plain; charset=utf-8", ".toml": "text/plain; charset=utf-8",
	".sh": "text/plain; charset=utf-8", ".py": "text/plain; charset=utf-8", ".go": "text/plain; charset=utf-8",
	".sql": "text/plain; charset=utf-8", ".graphql": "text/plain; charset=utf-8", ".log": "text/plain; charset=utf-8",
}

// ContentType returns the type of a file's content.
func ContentType(path core.ProjectPath) string {
	if kind, known := contentTypes[path.Ext()]; known {
		return kind
	}
	return "application/octet-stream"
}

// Disarm keeps a project's file from running code in the reader's browser. Files come from the
// API's own origin, where a page would have the reader's session. A sandbox without allowances
// gives it an opaque origin, without scripts and frames.
func Disarm(header http.Header) {
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	header.Set("Cache-Control", "private, no-cache")
}

// ServeContent handles conditional and range requests for content whose type and tag are already
// in the headers. A range that does not exist has code core.CodeInvalidRange. A range of a unit
// other than bytes is ignored (RFC 9110, section 14.2).
func ServeContent(w http.ResponseWriter, r *Request, modified time.Time, content io.ReadSeeker) error {
	if asked := r.Header.Get("Range"); asked != "" {
		r.Header.Del("Range")
		if unit, set, found := strings.Cut(asked, "="); found && strings.EqualFold(unit, "bytes") {
			r.Header.Set("Range", "bytes="+set)
		}
	}
	out := &rangeWriter{ResponseWriter: PacedWriter{w, r.Control()}}
	http.ServeContent(out, r.Request, "", modified, content)
	// The connection may serve another request, which has its own deadlines.
	_ = r.Control().SetWriteDeadline(time.Time{})
	if !out.refused {
		return nil
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(size, 10))
	return core.Errorf(core.CodeInvalidRange, "Range must be within the %d bytes of the content, such as bytes=0-99", size)
}

// rangeWriter is an http.ResponseWriter that suppresses http.ServeContent's text about a range
// that does not exist.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *rangeWriter) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (w *rangeWriter) Write(data []byte) (int, error) {
	if w.refused {
		return len(data), nil
	}
	return w.ResponseWriter.Write(data)
}

// ServeWhole answers with a body whose type and tag are already in the headers, or with 304 to a
// client that has it. It supports neither ranges nor other conditions: the body is generated,
// not stored.
func ServeWhole(w http.ResponseWriter, r *Request, body []byte) {
	header := w.Header()
	if known, err := EntityTags(r.Header, "If-None-Match"); err == nil && isKnown(header.Get("ETag"), known) {
		header.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	// Without its other methods the reader is copied in pieces, each with its own deadline. A
	// client that is gone is no failure of the handler.
	_, _ = io.Copy(PacedWriter{w, r.Control()}, struct{ io.Reader }{bytes.NewReader(body)})
	_ = r.Control().SetWriteDeadline(time.Time{})
}

// isKnown uses weak comparison, as for caches (RFC 9110, section 13.1.2).
func isKnown(tag string, known []string) bool {
	return slices.ContainsFunc(known, func(other string) bool { return other == "*" || strings.TrimPrefix(other, "W/") == tag })
}

// WriteTime is how long a client may take to receive one piece of an answer: an event, or the
// bytes of one write. Without a deadline a client that never reads would stay forever.
const WriteTime = 10 * time.Second

// PacedWriter gives every write its own deadline. A client may be as slow as it likes, but one
// that does not read at all is disconnected.
type PacedWriter struct {
	http.ResponseWriter
	Control *http.ResponseController
}

// Write implements io.Writer.
func (w PacedWriter) Write(data []byte) (int, error) {
	// Writers without deadlines, as in tests, write without one.
	_ = w.Control.SetWriteDeadline(time.Now().Add(WriteTime))
	return w.ResponseWriter.Write(data)
}

// CheckUse refuses requests whose answer a browser would run or embed for a page: a service
// worker on the API's origin, and everything that another site embeds.
func CheckUse(header http.Header) error {
	if header.Get("Service-Worker") != "" {
		return core.Errorf(core.CodeForbidden, "a project's file cannot be a service worker")
	}
	switch header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	switch header.Get("Sec-Fetch-Dest") {
	case "script", "style", "worker", "sharedworker", "serviceworker", "iframe", "frame", "object", "embed":
		return core.Errorf(core.CodeForbidden, "a project's file cannot be part of another site")
	}
	return nil
}

// CheckUnmodified evaluates If-Unmodified-Since and returns core.CodePreconditionFailed. The
// header is ignored beside If-Match (RFC 9110, section 13.1.4), and if it is no valid date.
func CheckUnmodified(header http.Header, modified time.Time) error {
	if since, counts := UnmodifiedSince(header); counts && modified.Truncate(time.Second).After(since) {
		return core.Errorf(core.CodePreconditionFailed, "the file has changed since")
	}
	return nil
}

// UnmodifiedSince parses If-Unmodified-Since, if it applies.
func UnmodifiedSince(header http.Header) (since time.Time, counts bool) {
	since, err := http.ParseTime(header.Get("If-Unmodified-Since"))
	return since, err == nil && header.Get("If-Match") == ""
}

// EntityTags parses a header of entity tags: "*", or a list of quoted tags (RFC 9110, section
// 8.8.3). It returns nil if the header is absent. A malformed one has code
// core.CodeInvalidRequest.
func EntityTags(header http.Header, name string) ([]string, error) {
	text := strings.TrimSpace(strings.Join(header.Values(name), ","))
	if text == "" || text == "*" {
		return strings.Fields(text), nil
	}
	var list []string
	for text != "" {
		tag, rest, ok := cutTag(text)
		if !ok {
			return nil, core.Errorf(core.CodeInvalidRequest, `%s must be "*" or a list of entity tags in quotes`, name)
		}
		list = append(list, tag)
		text = strings.TrimLeft(rest, " \t,")
	}
	return list, nil
}

// cutTag cuts an entity tag off the front of text.
func cutTag(text string) (tag, rest string, ok bool) {
	prefix := 0
	if strings.HasPrefix(text, "W/") {
		prefix = 2
	}
	if len(text) <= prefix || text[prefix] != '"' {
		return "", "", false
	}
	length := strings.IndexByte(text[prefix+1:], '"')
	if length < 0 {
		return "", "", false
	}
	end := prefix + length + 2
	rest = strings.TrimLeft(text[end:], " \t")
	return text[:end], rest, rest == "" || rest[0] == ','
}
