package mcp

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/core"
)

// scheme begins the addresses of resources: a route of the API follows.
const scheme = "atelier:/"

// addFiles makes the files of projects resources, which people hand to their programs. reader is
// the tool that reads a file.
func (s *Server) addFiles(protocol *sdk.Server, reader *operation) {
	protocol.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "file", Title: "A file of a project", URITemplate: scheme + "/projects/{id}/files/{+path}",
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		caller, err := callerOf(ctx)
		if err != nil {
			return nil, err
		}
		given, known := fileOf(r.Params.URI)
		if !known {
			return nil, notFound(r.Params.URI)
		}
		c, out := &call{server: s, tool: reader, ctx: caller.Context(), caller: caller, arguments: given}, newAnswer(maxResultBytes)
		if _, err := c.send(c.ctx, out); err != nil {
			return nil, err
		}
		return out.resource(r.Params.URI)
	})
}

// fileOf returns the arguments of the tool that reads a resource.
func fileOf(uri string) (given arguments, known bool) {
	address, err := url.Parse(uri)
	if err != nil {
		return nil, false
	}
	parts := strings.SplitN(address.Path, "/", 4)
	if address.Host != "projects" || len(parts) != 4 || parts[2] != "files" {
		return nil, false
	}
	given = arguments{}
	for name, value := range map[string]string{"projectId": parts[1], "path": parts[3]} {
		// A text can always be encoded as JSON.
		given[name], _ = json.Marshal(value)
	}
	return given, true
}

// notFound is the error of the protocol for a resource that does not exist.
func notFound(uri string) error {
	// A text can always be encoded as JSON.
	data, _ := json.Marshal(map[string]string{"uri": uri})
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "resource not found", Data: data}
}

// resource is an answer as the content of a resource. What the API refuses is an error of the
// protocol with the API's error as its data.
func (a *answer) resource(uri string) (*sdk.ReadResourceResult, error) {
	switch {
	case a.status == http.StatusNotFound:
		return nil, notFound(uri)
	case a.failed():
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the file cannot be read", Data: a.body.Bytes()}
	case a.tooLong:
		return nil, core.Errorf(core.CodePayloadTooLarge, "the file has more than %d bytes", a.limit)
	}
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	content := &sdk.ResourceContents{URI: uri, MIMEType: kind}
	if text := a.body.Bytes(); utf8.Valid(text) {
		content.Text = string(text)
	} else {
		content.Blob = text
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{content}}, nil
}
