// Package mcp tests the tools as programs use them: with the official client of the Model
// Context Protocol and an API token, and nothing else.
package mcp
