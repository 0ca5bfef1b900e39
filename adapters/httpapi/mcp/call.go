package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/internal/requestid"
)

// call is one call of a tool.
type call struct {
	server    *Server
	tool      *operation
	ctx       context.Context
	caller    *rest.Request
	arguments arguments
}

// call plays a tool for a caller. What goes wrong is in the result.
func (s *Server) call(tool *operation, caller *rest.Request, text []byte) *sdk.CallToolResult {
	given, err := tool.read(text)
	if err != nil {
		return refused(err)
	}
	c := &call{server: s, tool: tool, ctx: caller.Context(), caller: caller, arguments: given}
	if tool.play != nil {
		return tool.play(c)
	}
	out := newAnswer(maxResultBytes)
	r, err := c.send(c.ctx, out)
	if err != nil {
		return refused(err)
	}
	return out.whole(r.URL.Path)
}

// send lets the API answer the call.
func (c *call) send(ctx context.Context, out *answer) (*http.Request, error) {
	r, err := c.tool.request(rest.ForTool(ctx), string(c.server.base), c.arguments)
	if err != nil {
		return nil, err
	}
	as(r, c.caller.Request)
	// Both lines of the log have the same id.
	r.Header.Set(requestid.Header, c.caller.RequestID())
	return r, out.serve(c.server.api, r)
}

// stream is send for a route that answers with events, each of which is given to each. It
// returns a result if there is no stream.
func (c *call) stream(ctx context.Context, each func(event json.RawMessage)) *sdk.CallToolResult {
	out := newAnswer(maxResultBytes)
	out.take = (&events{each: each}).take
	_, err := c.send(ctx, out)
	switch {
	case err != nil && c.ctx.Err() == nil && ctx.Err() != nil:
		// The call has what it wants, and ended the stream.
		return nil
	case err != nil:
		return refused(err)
	case out.failed():
		return out.whole("")
	}
	return nil
}
