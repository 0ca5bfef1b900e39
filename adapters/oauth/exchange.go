package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds on one answer. Real ones have a few kilobytes and take less than a second;
// encoding/json bounds their nesting.
const (
	maxAnswerBytes = 1 << 20
	maxHeaderBytes = 64 << 10
	timeLimit      = 10 * time.Second
)

// exchange is an http.RoundTripper to one provider. It returns only complete answers:
// status 200, one JSON value, without an "error" in it. Everything else is a *core.Error,
// so that the libraries above never see, and never quote, what went wrong.
type exchange struct {
	providerName
	base http.RoundTripper
}

// newHTTPClient returns a client whose errors all hold a *core.Error. It follows no
// redirect, which would send a code or a token elsewhere.
func newHTTPClient(provider providerName, base http.RoundTripper) *http.Client {
	return &http.Client{Transport: exchange{provider, base}}
}

// bounded returns a copy of a transport that accepts no long headers.
func bounded(base *http.Transport) *http.Transport {
	copied := base.Clone()
	copied.MaxResponseHeaderBytes = maxHeaderBytes
	return copied
}

// RoundTrip implements http.RoundTripper.
func (e exchange) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(request.Context(), timeLimit)
	defer cancel()
	sent := request.Clone(ctx)
	sent.Header.Set("Accept", "application/json")
	sent.Header.Set("User-Agent", "atelier")
	response, err := e.base.RoundTrip(sent)
	if err != nil {
		return nil, e.broken(request.Context(), err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, e.broken(request.Context(), err)
	}
	if err := e.verdict(request, response.StatusCode, body); err != nil {
		return nil, err
	}
	// The libraries choose a parser by the type, and some servers send a wrong one.
	response.Header.Set("Content-Type", "application/json")
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// verdict returns the fault of an answer, or nil.
func (e exchange) verdict(request *http.Request, status int, body []byte) error {
	switch {
	case status >= 300 && status <= 399:
		return e.down("it answered with a redirect (%d), which is not allowed", status)
	case status >= 500 || status == http.StatusTooManyRequests:
		return e.down("it answered with status %d", status)
	case len(body) > maxAnswerBytes:
		return e.down("its answer is longer than %d bytes", maxAnswerBytes)
	case !json.Valid(body) || !utf8.Valid(body):
		return e.down("its answer, with status %d, is not JSON", status)
	}
	if word, said := complaint(body); said {
		return e.refusal(word)
	}
	if status == http.StatusUnauthorized && strings.HasPrefix(request.Header.Get("Authorization"), "Bearer ") {
		return e.refused("it rejected the token that it issued")
	}
	if status != http.StatusOK {
		return e.down("it answered with status %d", status)
	}
	return nil
}

// complaint returns the "error" of an answer (RFC 6749, section 5.2), "" if that is no
// text. GitHub sends it with status 200.
func complaint(body []byte) (word string, said bool) {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Error) == 0 || string(answer.Error) == "null" {
		return "", false
	}
	_ = json.Unmarshal(answer.Error, &word)
	return word, true
}
