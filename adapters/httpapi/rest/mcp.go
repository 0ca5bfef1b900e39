package rest

import "context"

// PatternMCP is the route of programs that use the tools (MCP).
const PatternMCP = "/mcp"

// IsMCP reports whether a route is for programs that use the tools. They authenticate by an
// Authorization header alone.
func IsMCP(pattern string) bool { return pattern == PatternMCP }

// toolKey is the key of the mark in the context of a tool's own request to the API.
type toolKey struct{}

// ForTool marks the context of a request that a tool makes to the API for its caller.
func ForTool(ctx context.Context) context.Context { return context.WithValue(ctx, toolKey{}, true) }

// IsForTool reports whether a tool made the request, so that the caller was admitted at PatternMCP.
func IsForTool(ctx context.Context) bool { return ctx.Value(toolKey{}) != nil }
