package aitest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
)

// CannedTransport answers every request with the same status and header, and with a
// body of its own, without a network.
type CannedTransport struct {
	Status int
	Header http.Header
	Body   func(request *http.Request) io.Reader
}

// Client returns an http.Client that gives the answer.
func (c CannedTransport) Client() *http.Client { return &http.Client{Transport: c} }

// RoundTrip implements http.RoundTripper. As with a network, the end of the
// request's context ends a read.
func (c CannedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		_, _ = io.Copy(io.Discard, request.Body)
		_ = request.Body.Close()
	}
	header := c.Header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: c.Status,
		Status:     fmt.Sprintf("%d %s", c.Status, http.StatusText(c.Status)),
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  header,
		Body:    &cannedBody{ctx: request.Context(), reader: c.Body(request)},
		Request: request,
	}, nil
}

// cannedBody is a body whose reads end with the context of its request.
type cannedBody struct {
	ctx    context.Context
	reader io.Reader
}

type cannedRead struct {
	data []byte
	err  error
}

// Read implements io.Reader.
func (b *cannedBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	result := make(chan cannedRead, 1)
	go func() {
		buffer := make([]byte, len(p))
		n, err := b.reader.Read(buffer)
		result <- cannedRead{buffer[:n], err}
	}()
	select {
	case read := <-result:
		return copy(p, read.data), read.err
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

// Close closes the body's reader where it can be closed.
func (b *cannedBody) Close() error {
	if closer, ok := b.reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// Replay is an answer of a vendor, and what a caller gets from it.
type Replay struct {
	Name string
	// File is below testdata; without one, Body is the answer.
	File string
	Body string
	// Status is 200 when it is 0.
	Status int
	Header http.Header
	// Want has a line for each run of chunks of one kind ("text:…", "reasoning:…",
	// "signed:…", "call:id tool args", "cut:" for an answer that its limit ended), one for the usage ("usage:in out"), and one for the
	// failure, if there is one: "empty:", "temporary:" or "final:" and its message.
	// A * matches a generated id.
	Want string
}

// RunReplays plays each answer to a provider that open makes on the given client.
func RunReplays(t *testing.T, open func(client *http.Client) (ai.Provider, error), rows []Replay) {
	for _, row := range rows {
		t.Run(cmp.Or(row.Name, row.File), func(t *testing.T) {
			body := []byte(row.Body)
			if row.File != "" {
				data, err := os.ReadFile(filepath.Join("..", "..", "testdata", row.File))
				if err != nil {
					t.Fatal(err)
				}
				body = data
			}
			canned := CannedTransport{
				Status: cmp.Or(row.Status, http.StatusOK), Header: row.Header,
				Body: func(*http.Request) io.Reader { return bytes.NewReader(body) },
			}
			provider, err := open(canned.Client())
			if err != nil {
				t.Fatal(err)
			}
			got := madeUpID.ReplaceAllString(hear(t, provider), "*")
			if want := strings.TrimSpace(row.Want); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

var madeUpID = regexp.MustCompile(`call_[0-9a-f]{32}`)

func hear(t *testing.T, provider ai.Provider) string {
	t.Helper()
	chunks, usage, err := listen(t.Context(), provider)
	lines := transcript(t, chunks)
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "\n", `\n`)
	}
	counted := fmt.Sprintf("usage:%d %d", usage.InputTokens, usage.OutputTokens)
	if usage.CachedTokens > 0 || usage.WrittenTokens > 0 {
		counted += fmt.Sprintf(" cached:%d written:%d", usage.CachedTokens, usage.WrittenTokens)
	}
	lines = append(lines, counted)
	var failure *ai.Failure
	switch {
	case errors.As(err, &failure):
		lines = append(lines, failureLine(failure))
	case err != nil:
		lines = append(lines, "error:"+err.Error())
	}
	return strings.Join(lines, "\n")
}

func failureLine(failure *ai.Failure) string {
	kind := "final"
	switch {
	case failure.Empty:
		kind = "empty"
	case failure.Temporary:
		kind = "temporary"
	}
	line := kind + ":" + failure.Err.Message
	if failure.Err.RetryAfter > 0 {
		line += fmt.Sprintf(" [retry after %v]", failure.Err.RetryAfter)
	}
	return line
}
