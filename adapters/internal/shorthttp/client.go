package shorthttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// Client is an http.RoundTripper for short requests. Many goroutines may use it.
type Client struct {
	link *link
	long http.RoundTripper
	// broken is closed when the connection ends; why is set before.
	broken chan struct{}
	why    error

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan frame
}

// patience bounds how long a server may take to accept a frame. It reads without waiting for
// anything, so one that takes longer is stuck, and all callers with it.
const patience = 10 * time.Second

// NewClient returns a client that uses a connection until it is closed. long sends requests to the
// same server over HTTP/2.
func NewClient(conn net.Conn, long http.RoundTripper) *Client {
	c := &Client{link: newLink(conn, patience), long: long, broken: make(chan struct{}), waiting: map[uint64]chan frame{}}
	go c.listen()
	return c
}

// Err waits for the end of the connection and returns its cause: net.ErrClosed if this end closed it.
func (c *Client) Err() error {
	<-c.broken
	return c.why
}

// listen delivers answers to their callers until the connection is closed.
func (c *Client) listen() {
	for {
		f, err := c.link.receive()
		if err != nil {
			c.why = errors.Join(err, c.link.conn.Close())
			if c.link.stalled.Load() {
				c.why = errStalled // this end closed it, because of the other
			}
			close(c.broken)
			return
		}
		c.mu.Lock()
		waits := c.waiting[f.number]
		delete(c.waiting, f.number)
		c.mu.Unlock()
		if waits != nil { // else the caller has given up
			waits <- f // the channel is buffered
		}
	}
}

// IsShort reports whether RoundTrip may send a request.
func IsShort(r *http.Request) bool { return r.ContentLength >= 0 && r.ContentLength <= MaxBody }

// RoundTrip implements http.RoundTripper for short requests.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	waits := make(chan frame, 1)
	c.mu.Lock()
	c.last++
	number := c.last
	c.waiting[number] = waits
	c.mu.Unlock()
	err := c.ask(number, r)
	if err == nil {
		select {
		case f := <-waits:
			return c.read(r, f)
		case <-c.broken:
			err = c.why
		case <-r.Context().Done():
			err = r.Context().Err()
			_ = c.link.send(begin(nil, number, cancel))
		}
	}
	c.mu.Lock()
	delete(c.waiting, number)
	c.mu.Unlock()
	return nil, err
}

// ask sends a request.
func (c *Client) ask(number uint64, r *http.Request) error {
	buffer := buffers.Get().(*[]byte)
	defer release(buffer)
	to := begin(*buffer, number, request)
	for _, text := range []string{r.Method, r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.Host} {
		to = appendText(to, text)
	}
	to = appendHeader(to, r.Header)
	if r.Body != nil {
		body := bytes.NewBuffer(to)
		n, err := io.CopyN(body, r.Body, r.ContentLength)
		if err := errors.Join(err, r.Body.Close()); err != nil || n != r.ContentLength {
			return errors.Join(err, errors.New("the body is not whole"))
		}
		to = body.Bytes()
	}
	*buffer = to
	if len(to) > maxFrame {
		return errors.New("the request is too long")
	}
	return c.link.send(to)
}

// read decodes an answer.
func (c *Client) read(r *http.Request, f frame) (*http.Response, error) {
	p := parts{rest: f.content}
	switch f.kind {
	case answer:
		status, header := p.number(), p.header()
		if p.wrong || status < http.StatusOK || status > 599 {
			return nil, errors.New("the answer cannot be read")
		}
		return &http.Response{
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, StatusCode: int(status), Header: header,
			ContentLength: int64(len(p.rest)), Body: body{bytes.NewReader(p.rest)}, Request: r,
		}, nil
	case held:
		return c.fetch(r.Context(), p.number())
	}
	return nil, errors.New("the request failed")
}

// fetch fetches a long answer.
func (c *Client) fetch(ctx context.Context, number uint64) (*http.Response, error) {
	at := url.URL{Scheme: "http", Host: "engine", Path: heldPath + strconv.FormatUint(number, 10)}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	return c.long.RoundTrip(r)
}

// body is the body of a short answer.
type body struct{ *bytes.Reader }

// Close implements io.Closer.
func (body) Close() error { return nil }
