package datawire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/backend"
)

// Client calls the port's methods of an engine behind a connection. Forwarding is for
// requests of end users.
type Client struct {
	// Use returns the transport for a call, and a function to call when the answer has been read.
	Use func() (http.RoundTripper, func(), error)
	// Tenant returns the context of a call about a project with whose turn it is; nil leaves it
	// as it is.
	Tenant func(ctx context.Context, project core.ID) context.Context
}

var (
	_ backend.Lists     = (*Client)(nil)
	_ backend.Queries   = (*Client)(nil)
	_ backend.Snapshots = (*Client)(nil)
	_ backend.Switches  = (*Client)(nil)
	_ backend.Transfers = (*Client)(nil)
	_ backend.Holder    = (*Client)(nil)
)

// stream makes a call that answers with a stream.
func (c *Client) stream(ctx context.Context, name string, in call, to io.Writer) error {
	answer, done, err := c.send(ctx, name, in)
	if err != nil {
		return err
	}
	defer done()
	if err := ErrorOf(answer); err != nil {
		return err
	}
	if _, err := io.Copy(to, answer.Body); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the export broke off")
	}
	text := answer.Trailer.Get(trailerError)
	if text == "" {
		return nil
	}
	var f failure
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the export broke off")
	}
	return f.error()
}

// maxReplyBytes bounds the answer to a call.
const maxReplyBytes = 64 << 20

// call makes a call and reads its reply.
func (c *Client) call(ctx context.Context, name string, in call) (reply, error) {
	answer, done, err := c.send(ctx, name, in)
	if err != nil {
		return reply{}, err
	}
	defer done()
	if err := ErrorOf(answer); err != nil {
		return reply{}, err
	}
	var out reply
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxReplyBytes)).Decode(&out); err != nil {
		return reply{}, core.Wrap(core.CodeUnavailable, err, "the backend's answer broke off")
	}
	return out, nil
}

// send sends a call. The caller must call the returned function when it has read the answer.
func (c *Client) send(ctx context.Context, name string, in call) (*http.Response, func(), error) {
	if c.Tenant != nil {
		ctx = c.Tenant(ctx, in.Place.Project)
	}
	conn, done, err := c.Use()
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(in)
	if err != nil {
		done()
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine"+callPath+name, bytes.NewReader(text))
	if err != nil {
		done()
		return nil, nil, err
	}
	if tenant := fair.Tenant(ctx); tenant != "" {
		r.Header.Set(headerTenant, string(tenant))
	}
	answer, err := conn.RoundTrip(r)
	if err != nil {
		done()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the backend is not available at the moment")
	}
	return answer, func() { _ = answer.Body.Close(); done() }, nil
}
