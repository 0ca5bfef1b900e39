package modelhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Config says how to reach a vendor.
type Config struct {
	// Client makes the connections. Its redirects and its overall timeout are not used: a
	// key goes to one address only, and an answer may take long.
	Client *http.Client
	// Name is the vendor's name in messages, such as "Ollama".
	Name string
	// BaseURL is an absolute http or https URL.
	BaseURL string
	// Key is never shown in a message.
	Key string
	// Header is sent with every request.
	Header http.Header
	Limits Limits
}

// Limits bound the silence and the duration of a call.
type Limits struct {
	// First bounds the wait from the request to the first piece of the answer, which
	// includes loading a model and reading a prompt.
	First time.Duration
	// Idle bounds the wait between two bytes after that.
	Idle time.Duration
	// Total bounds the duration of a call, however much it sends meanwhile.
	Total time.Duration
}

// DefaultLimits are generous: a model may think for minutes before it speaks.
var DefaultLimits = Limits{First: 5 * time.Minute, Idle: 2 * time.Minute, Total: 3 * time.Hour}

// lastWordGrace is how long a stream is still read after its last event, for late usage
// counts and to reuse the connection.
const lastWordGrace = time.Second

// maxDocumentBytes bounds an answer that is one JSON document.
const maxDocumentBytes = 8 << 20

// Caller sends requests to one vendor. It is safe for concurrent use.
type Caller struct {
	client http.Client
	base   *url.URL
	config Config
	now    func() time.Time
}

// New checks the configuration. An unusable one has code core.CodeValidationFailed. It
// does not use the network.
func New(config Config) (*Caller, error) {
	base, err := parseBase(config.BaseURL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(config.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, core.Errorf(core.CodeValidationFailed, "the key has invalid characters")
	}
	caller := &Caller{client: *config.Client, base: base, config: config, now: time.Now}
	caller.client.Timeout = 0
	caller.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return caller, nil
}

// Host returns the host name of the vendor's address, without the port.
func (c *Caller) Host() string { return c.base.Hostname() }

func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil, base.Host == "", base.Scheme != "http" && base.Scheme != "https":
		return nil, core.Errorf(core.CodeValidationFailed, "the base URL must begin with http:// or https:// and name a host")
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, core.Errorf(core.CodeValidationFailed, "the base URL must not have a user, query or fragment")
	}
	return base, nil
}

// Document sends a request and decodes the answer, one JSON document, into out. If in is
// nil it sends a GET, otherwise a POST.
func (c *Caller) Document(ctx context.Context, path string, in, out any) error {
	_, err := c.Answer(ctx, Call{Path: path, Body: in}, out)
	return err
}

// Answer sends a call and decodes the answer, one JSON document, into out. began reports whether
// the vendor began to answer and did not refuse: what it did is then to be paid, also with an error.
func (c *Caller) Answer(ctx context.Context, call Call, out any) (began bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	exchange, err := c.open(ctx, call)
	if err != nil {
		return false, err
	}
	defer exchange.close()
	data, err := exchange.document()
	if err == nil {
		err = DecodeJSON(data, out)
	}
	return true, c.judge(exchange, call, err)
}

// Call is one request.
type Call struct {
	// Path is appended to the base URL and may have a query.
	Path string
	// Body is sent as JSON; nil makes the request a GET.
	Body any
	// Model is the requested model, for messages.
	Model string
	// Tools and Schema mean that the request offers tools or asks for a schema, which a
	// server may not support.
	Tools, Schema bool
	// MaxTokens is the longest answer that the request allows, 0 if it sets none.
	MaxTokens int
	// Lines means that the answer has one JSON value in each line; otherwise it is a
	// stream of server-sent events.
	Lines bool
}

// Play sends the call and reads the answer to its end. It passes every event to decode,
// in order; decode passes on its meaning through the Answer. The result is that of
// ai.Provider's Generate.
func (c *Caller) Play(ctx context.Context, call Call, emit func(ai.Chunk) error, decode func(*Answer, Event) error) (core.Usage, error) {
	if err := ctx.Err(); err != nil {
		return core.Usage{}, err
	}
	exchange, err := c.open(ctx, call)
	if err != nil {
		return core.Usage{}, err
	}
	defer exchange.close()
	answer := newAnswer(ctx, emit, exchange)
	err = exchange.play(answer, call, decode)
	return answer.usage(), c.judge(exchange, call, err)
}

// open sends the call and waits for the head of the answer. A refusal is an *ai.Failure.
func (c *Caller) open(ctx context.Context, call Call) (*exchange, error) {
	exchange := newExchange(ctx, c.config.Limits)
	request, err := c.request(exchange, call)
	if err != nil {
		exchange.close()
		return nil, err
	}
	response, err := exchange.do(&c.client, request)
	if err != nil {
		defer exchange.close()
		return nil, c.judge(exchange, call, unreachableError{err})
	}
	if response.StatusCode/100 == 2 {
		return exchange, nil
	}
	defer exchange.close()
	refusal := c.refusal(exchange, call, response)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, refusal
}

func (c *Caller) request(exchange *exchange, call Call) (*http.Request, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if call.Body != nil {
		data, err := json.Marshal(call.Body)
		if err != nil {
			return nil, core.Wrap(core.CodeInternal, err, "the request to the model cannot be written as JSON")
		}
		exchange.sent = len(data)
		method, body = http.MethodPost, bytes.NewReader(data)
	}
	path, query, _ := strings.Cut(call.Path, "?")
	target := c.base.JoinPath(path)
	target.RawQuery = query
	request, err := http.NewRequestWithContext(exchange.ctx, method, target.String(), body)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "the request to the model cannot be made")
	}
	for name, values := range c.config.Header {
		request.Header[name] = values
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	// A compressed stream would arrive in bursts, and could unpack without bound.
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "atelier")
	return request, nil
}

// judge turns the end of an exchange into the error that the port promises.
func (c *Caller) judge(exchange *exchange, call Call, err error) error {
	var sink sinkError
	var failure *ai.Failure
	var vendor *vendorError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &sink):
		return sink.error
	case exchange.parent.Err() != nil:
		return exchange.parent.Err()
	case errors.As(err, &failure):
		return failure
	case errors.As(err, &vendor):
		return c.complaint(call, vendor)
	}
	return c.broken(exchange, err)
}
