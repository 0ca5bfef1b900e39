// Package mcp is the server of the Model Context Protocol at /mcp: what other programs, such as
// coding agents, can do here as tools.
//
// A tool is a route of the API under another name. Its input are the parameters of the route's
// path and query and the members of its JSON body, as openapi.yaml describes them; its hints
// come from the table of authorisation in core. A call is a request to the API's own handler,
// in this process and with the caller's Authorization header, so that permissions, scopes,
// limits and errors are those of the route. An error of the API is a result with isError and
// the error's JSON.
//
// The protocol is that of the official SDK, as stateless streamable HTTP: each request is
// answered with JSON, and nothing is kept between two of them. A run of the agent is therefore
// detached, and followed by calls that each wait at most 25 seconds.
//
// A call of a tool counts twice in the caller's rate limit: as a call of /mcp and as one of the
// route. What a person must accept, such as the loss of live data, no tool can accept.
package mcp
