package conform

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Transport is an http.RoundTripper that makes all requests through next and validates
// the answers of one host against the description. An invalid answer fails t, and so does
// an invalid event of a stream as soon as it is read. The client gets all answers
// unchanged.
func (d *Description) Transport(t testing.TB, host string, next http.RoundTripper) http.RoundTripper {
	return &transport{description: d, t: t, host: host, next: next}
}

type transport struct {
	description *Description
	t           testing.TB
	host        string
	next        http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (c *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	c.t.Helper()
	response, err := c.next.RoundTrip(request)
	if err != nil || request.URL.Host != c.host {
		return response, err
	}
	if err := c.check(request, response); err != nil {
		c.fail(request, response, err)
	}
	return response, nil
}

// fail reports an answer that does not fit, unless the test has ended.
func (c *transport) fail(request *http.Request, response *http.Response, err error) {
	c.t.Helper()
	if c.t.Context().Err() == nil {
		c.t.Errorf("%s %s answered %d: %v", request.Method, request.URL.Path, response.StatusCode, err)
	}
}

func (c *transport) check(request *http.Request, response *http.Response) error {
	o, pathKnown := c.description.find(request.Method, request.URL.EscapedPath())
	described, err := c.description.answerFor(o, pathKnown, response.StatusCode)
	if err != nil {
		return err
	}
	expected, err := described.checkHead(response)
	if err != nil || request.Method == http.MethodHead {
		return err
	}
	if o != nil && response.StatusCode/100 == 2 {
		if err := o.checkRequest(request); err != nil {
			return err
		}
	}
	switch {
	case expected == nil || expected.schema == nil:
		return nil
	case expected.event != nil:
		fail := func(err error) { c.fail(request, response, err) }
		response.Body = &eventBody{ReadCloser: response.Body, schema: expected.event, fail: fail}
		return nil
	case strings.HasPrefix(response.Header.Get("Content-Type"), "application/json"):
		return expected.checkBody(response)
	}
	return nil
}

// checkBody reads a whole JSON body and puts it back. It leaves a truncated body to the
// client, which also sees the truncation.
func (c *content) checkBody(response *http.Response) error {
	text, err := io.ReadAll(response.Body)
	if err != nil {
		response.Body = replayBody{io.MultiReader(bytes.NewReader(text), errorReader{err}), response.Body}
		return nil
	}
	response.Body = replayBody{bytes.NewReader(text), response.Body}
	if err := validate(c.schema, text); err != nil {
		return fmt.Errorf("%w\nin %.500s", err, text)
	}
	return nil
}

// replayBody is a body that was already read.
type replayBody struct {
	io.Reader
	io.Closer
}

// errorReader is a reader that fails.
type errorReader struct{ err error }

// Read implements io.Reader.
func (f errorReader) Read([]byte) (int, error) { return 0, f.err }
