package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// maxResultBytes bounds what a call returns. A model can do nothing with more.
const maxResultBytes = 4 << 20

// answer is an http.ResponseWriter that keeps an answer of the API in memory.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	// limit bounds the body in bytes, 0 not at all; tooLong says that there was more.
	limit   int
	tooLong bool
	// take is given what is written in place of body once the answer is a stream; nil keeps it.
	take func(text []byte)
}

func newAnswer(limit int) *answer { return &answer{header: http.Header{}, limit: limit} }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	switch {
	case a.take != nil && a.header.Get("Content-Type") == "text/event-stream":
		a.take(text)
	case a.limit > 0 && a.body.Len()+len(text) > a.limit:
		a.tooLong = true
	default:
		a.body.Write(text)
	}
	return len(text), nil
}

// Flush implements http.Flusher. Everything written has already been passed on.
func (a *answer) Flush() {}

// serve lets handler answer r. A handler that cuts the connection has code
// core.CodeUnavailable.
func (a *answer) serve(handler http.Handler, r *http.Request) (err error) {
	defer func() {
		cause := recover()
		if failure, is := cause.(error); is && errors.Is(failure, http.ErrAbortHandler) {
			err = core.Errorf(core.CodeUnavailable, "the answer broke off: try again")
		} else if cause != nil {
			panic(cause)
		}
	}()
	handler.ServeHTTP(a, r)
	return nil
}

// failed reports whether the API refused the request.
func (a *answer) failed() bool { return a.status >= http.StatusBadRequest }

// whole is the result with all of an answer.
func (a *answer) whole(target string) *sdk.CallToolResult {
	if a.tooLong {
		return refused(core.Errorf(core.CodePayloadTooLarge, "the result has more than %d bytes", a.limit))
	}
	return &sdk.CallToolResult{Content: []sdk.Content{a.content(target)}, IsError: a.failed()}
}

func (a *answer) content(target string) sdk.Content {
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	text := a.body.Bytes()
	switch {
	case a.status == http.StatusNoContent || a.status == http.StatusAccepted:
		return &sdk.TextContent{Text: "Done."}
	case strings.HasPrefix(kind, "image/") && kind != "image/svg+xml":
		return &sdk.ImageContent{Data: text, MIMEType: kind}
	case utf8.Valid(text):
		return &sdk.TextContent{Text: string(text)}
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: scheme + target, MIMEType: kind, Blob: text}}
}

// refused is the result of a call that is no request of the API, as the API would say it.
func refused(err error) *sdk.CallToolResult {
	var known *core.Error
	if !errors.As(err, &known) {
		known = core.Wrap(core.CodeInternal, err, "internal error")
	}
	// A failure can always be encoded as JSON.
	text, _ := json.Marshal(rest.Failure{Error: known.Code, Message: known.Message})
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, IsError: true}
}

// told is a result that is not the API's own.
func told(value any) *sdk.CallToolResult {
	text, err := json.Marshal(value)
	if err != nil {
		return refused(err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
}
