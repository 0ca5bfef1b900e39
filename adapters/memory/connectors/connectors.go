// Package connectors is MCP servers in memory.
package connectors

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
)

// Server is a server in memory.
type Server struct {
	Tools []core.OfferedTool
	// Answer answers a call of one of Tools.
	Answer func(tool string, args json.RawMessage, header func(string) string) connectors.Answer
}

// Client is a connectors.Client of the servers that were put into it.
type Client struct {
	mu      sync.Mutex
	servers map[string]Server
}

var _ connectors.Client = (*Client)(nil)

// New returns a client without servers.
func New() *Client { return &Client{servers: map[string]Server{}} }

// Put places a server at a URL, instead of the one that is there.
func (c *Client) Put(url string, server Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.servers[url] = server
}

func (c *Client) at(ctx context.Context, url string) (Server, error) {
	if err := ctx.Err(); err != nil {
		return Server{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	server, found := c.servers[url]
	if !found {
		return Server{}, core.Errorf(core.CodeUnavailable, "the server cannot be reached")
	}
	return server, nil
}

// List implements connectors.Client.
func (c *Client) List(ctx context.Context, server connectors.Server) ([]core.OfferedTool, error) {
	found, err := c.at(ctx, server.URL)
	return slices.Clone(found.Tools), err
}

// Call implements connectors.Client.
func (c *Client) Call(ctx context.Context, server connectors.Server, tool string, args json.RawMessage) (connectors.Answer, error) {
	found, err := c.at(ctx, server.URL)
	if err != nil {
		return connectors.Answer{}, err
	}
	if !slices.ContainsFunc(found.Tools, func(t core.OfferedTool) bool { return t.Name == tool }) {
		return connectors.Answer{Text: "there is no such tool", Failed: true}, nil
	}
	answer := found.Answer(tool, args, func(name string) string {
		for header, value := range server.Headers {
			if strings.EqualFold(header, name) {
				return value
			}
		}
		return ""
	})
	answer.Text = answer.Text[:min(len(answer.Text), connectors.MaxAnswerBytes)]
	return answer, nil
}
