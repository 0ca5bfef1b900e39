// Package mcpclient talks to MCP servers over streamable HTTP, with the official SDK over the
// guarded client. transport.go bounds what a server can send, and where requests go.
//
// Each exchange has a session of its own: nothing of one is left for the next. The client offers the
// server nothing: no sampling, no questions to people, no roots. It does not listen for what a
// server sends unasked, and resumes no stream.
package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
	"github.com/atelierhq/atelier/ports/netguard"
)

// Times that one exchange may take.
const (
	listTime = 20 * time.Second
	callTime = 60 * time.Second
)

// Client is a connectors.Client.
type Client struct {
	guard              netguard.Guard
	listTime, callTime time.Duration
}

var _ connectors.Client = (*Client)(nil)

// New returns a client that connects through guard.
func New(guard netguard.Guard) *Client { return NewWithin(guard, listTime, callTime) }

// NewWithin is New with other times that one list and one call may take.
func NewWithin(guard netguard.Guard, list, call time.Duration) *Client {
	return &Client{guard, list, call}
}

// List implements connectors.Client.
func (c *Client) List(ctx context.Context, server connectors.Server) ([]core.OfferedTool, error) {
	var tools []core.OfferedTool
	err := c.with(ctx, c.listTime, server, func(ctx context.Context, session *sdk.ClientSession) error {
		params := &sdk.ListToolsParams{}
		for range connectors.MaxPages {
			page, err := session.ListTools(ctx, params)
			if err != nil {
				return err
			}
			for _, tool := range page.Tools {
				if tool == nil {
					return errBounds
				}
				schema, err := json.Marshal(tool.InputSchema)
				if err != nil || len(tools) == connectors.MaxListed {
					return errBounds
				}
				tools = append(tools, core.OfferedTool{Name: tool.Name, Description: tool.Description, Schema: string(schema)})
			}
			if page.NextCursor == "" {
				return nil
			}
			params.Cursor = page.NextCursor
		}
		return errBounds
	})
	if err != nil {
		return nil, err
	}
	return tools, nil
}

// errBounds is what a server gets that says more than it may.
var errBounds = errors.New("the list of tools is beyond the bounds")

// Call implements connectors.Client.
func (c *Client) Call(ctx context.Context, server connectors.Server, tool string, args json.RawMessage) (connectors.Answer, error) {
	var answer connectors.Answer
	err := c.with(ctx, c.callTime, server, func(ctx context.Context, session *sdk.ClientSession) error {
		result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
		var refused *jsonrpc.Error
		switch {
		case errors.As(err, &refused):
			answer = connectors.Answer{Text: cut(refused.Message), Failed: true}
			return nil
		case err != nil:
			return err
		}
		answer = connectors.Answer{Text: cut(textOf(result)), Failed: result.IsError}
		return nil
	})
	return answer, err
}

// textOf returns the text of a result. Anything else is only mentioned.
func textOf(result *sdk.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			parts = append(parts, text.Text)
			continue
		}
		parts = append(parts, "(content that is not text)")
	}
	if len(parts) == 0 && result.StructuredContent != nil {
		if structured, err := json.Marshal(result.StructuredContent); err == nil {
			return string(structured)
		}
	}
	return strings.Join(parts, "\n")
}

func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), connectors.MaxAnswerBytes)], "")
}

// with opens a session, and closes it after do.
func (c *Client) with(ctx context.Context, limit time.Duration, server connectors.Server, do func(context.Context, *sdk.ClientSession) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.guard.Check(server.URL); err != nil {
		return core.Wrap(core.CodeForbiddenAddress, err, "the address is not allowed")
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "Atelier", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(bounded, &sdk.StreamableClientTransport{
		Endpoint: server.URL, HTTPClient: boundedClient(c.guard.Client(), server), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxBytes,
	}, nil)
	if err == nil {
		err = do(bounded, session)
		// With ctx the session's last request ends, too.
		cancel()
		_ = session.Close()
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case core.IsCode(err, core.CodeForbiddenAddress):
		return core.Wrap(core.CodeForbiddenAddress, err, "the address is not allowed")
	case errors.Is(err, context.DeadlineExceeded):
		return core.Wrap(core.CodeUnavailable, err, "the server did not answer in time")
	}
	return core.Wrap(core.CodeUnavailable, err, "the server cannot be reached, or does not speak MCP as it should")
}
