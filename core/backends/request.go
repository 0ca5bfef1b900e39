package backends

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/datachanges"
	"github.com/atelierhq/atelier/ports/backend"
)

// Request is a request of the service itself in PocketBase's API. Path is below /api/ and
// not escaped.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         []byte
	// ContentType is that of Body; "" is JSON.
	ContentType string
}

// Response is the answer to a Request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// maxResponseBytes bounds what is kept of a response.
const maxResponseBytes = 32 << 20

// client sends the service's own requests to the engine.
type client struct {
	engine  Engine
	changes *datachanges.Announcer
}

// ask sends a request to the engine.
func (c client) ask(ctx context.Context, place backend.Place, as backend.Identity, request Request) (Response, error) {
	address := url.URL{Scheme: "http", Host: "backend", Path: "/api/" + request.Path, RawQuery: request.Query.Encode()}
	r, err := http.NewRequestWithContext(ctx, request.Method, address.String(), bytes.NewReader(request.Body))
	if err != nil {
		return Response{}, core.Wrap(core.CodeValidationFailed, err, "the request is invalid")
	}
	r.Header.Set("Content-Type", "application/json")
	if request.ContentType != "" {
		r.Header.Set("Content-Type", request.ContentType)
	}
	w := backend.NewRecorder(maxResponseBytes)
	defer c.changes.Answered(r, place)
	c.engine.Serve(w, r, place, as)
	if err := ctx.Err(); err != nil {
		return Response{}, core.Wrap(core.CodeUnavailable, err, "the request took too long")
	}
	if w.Cut {
		return Response{}, core.Errorf(core.CodePayloadTooLarge, "the answer is larger than %d MiB: ask for less", maxResponseBytes>>20)
	}
	return Response{w.Status(), w.Header(), w.Body()}, nil
}

// decode decodes a successful response into a value. It returns an error for an error response.
func (r Response) decode(into any) error {
	if err := r.err(); err != nil {
		return err
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the backend's answer is not JSON")
	}
	return nil
}

// err returns the error of a response, or nil.
func (r Response) err() error {
	if r.Status < http.StatusBadRequest {
		return nil
	}
	message := backend.RefusalText(r.Body)
	if message == "" {
		message = "the backend refused the request"
	}
	return core.Errorf(codeOf(r.Status), "%s", message)
}

// codeOf returns the code for a status of the engine.
func codeOf(status int) core.Code {
	switch status {
	case http.StatusNotFound:
		return core.CodeNotFound
	case http.StatusRequestEntityTooLarge:
		return core.CodePayloadTooLarge
	case http.StatusTooManyRequests:
		return core.CodeRateLimited
	case http.StatusUnauthorized, http.StatusForbidden:
		return core.CodeForbidden
	}
	if status >= http.StatusInternalServerError {
		return core.CodeUnavailable
	}
	return core.CodeValidationFailed
}
