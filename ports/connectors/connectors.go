// Package connectors is the port to MCP servers, whose tools the agent may call.
package connectors

import (
	"context"
	"encoding/json"

	"github.com/atelierhq/atelier/core"
)

// Bounds of one exchange with a server.
const (
	// MaxListed and MaxPages bound the tools and the pages of a list.
	MaxListed = 500
	MaxPages  = 20
	// MaxAnswerBytes bounds the text of an answer, which is cut there.
	MaxAnswerBytes = 256 << 10
)

// Server is an MCP server: its URL, and the headers that every request to it has.
type Server struct {
	URL     string
	Headers map[string]string
}

// Answer is that of a tool. It is data of strangers. Failed says that the tool, or the server
// in its place, reported an error.
type Answer struct {
	Text   string
	Failed bool
}

// Client talks to MCP servers. It follows no redirect, sends the headers to the server's URL only,
// and trusts nothing that a server says. Many goroutines may use it.
//
// It returns core.CodeForbiddenAddress for a server that may not be reached, and
// core.CodeUnavailable for one that cannot be reached, does not speak the protocol, or is beyond the
// bounds. These errors have no text of the server's. If ctx ends first, the error is ctx's.
type Client interface {
	// List returns the server's tools as it describes them, unchecked and in its order.
	List(ctx context.Context, server Server) ([]core.OfferedTool, error)
	// Call calls a tool once, and never repeats it. args is a JSON object.
	Call(ctx context.Context, server Server, tool string, args json.RawMessage) (Answer, error)
}
