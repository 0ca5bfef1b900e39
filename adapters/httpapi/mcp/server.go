package mcp

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// maxBodyBytes bounds a message, which may hold a file. The routes behind the tools have limits
// of their own.
const maxBodyBytes = 4 << 20

// instructions are what programs are told before they use the tools.
const instructions = `Atelier hosts web applications that people build together with an AI agent. A project belongs to a workspace; its files, versions, preview, test data and published site are reached by its id.

Either change files yourself (read_file, write_file, change_files, then save_version), or have Atelier's agent do it: send_message in one of the project's chats, then follow_run until ended is true. get_preview says whether the project builds, and where its pages are. publish makes them public. Every change can be undone: list_versions, undo_version, restore_version.

A result with isError is an error of the API: {"error": "<code>", "message": "<text>"}.`

// Deps are the dependencies of the server.
type Deps struct {
	// Description is the API's, an OpenAPI document in YAML.
	Description []byte
	// Routes are those of the API.
	Routes []rest.Route
	// API answers the requests of the tools.
	API http.Handler
	// Base is the path below which the API runs.
	Base rest.Base
	// Version is the program's.
	Version string
	Log     *slog.Logger
}

// Server answers POST /mcp.
type Server struct {
	api     http.Handler
	base    rest.Base
	uploads *rest.Uploads
	http    http.Handler
}

// Serve answers POST /mcp. The tools are made at the first request.
func Serve(d Deps) rest.Handler {
	server := sync.OnceValues(func() (*Server, error) { return newServer(d) })
	return func(w http.ResponseWriter, r *rest.Request) error {
		made, err := server()
		if err != nil {
			return err
		}
		return made.serve(w, r)
	}
}

func newServer(d Deps) (*Server, error) {
	document, err := manual.Parse(d.Description)
	if err != nil {
		return nil, err
	}
	made := &Server{api: d.API, base: d.Base, uploads: rest.NewUploads()}
	protocol := sdk.NewServer(&sdk.Implementation{Name: "atelier", Title: "Atelier", Version: d.Version}, &sdk.ServerOptions{
		Instructions: instructions, PageSize: 1000,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	protocol.AddReceivingMiddleware(guarded(d.Log))
	for _, tool := range Tools() {
		if err := made.add(protocol, document, d.Routes, tool); err != nil {
			return nil, err
		}
	}
	// The host is checked before every route.
	made.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return protocol }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxBodyBytes,
	})
	return made, nil
}

// add makes a tool of a route. The error has code core.CodeInternal if there is no such route.
func (s *Server) add(protocol *sdk.Server, document manual.Part, routes []rest.Route, tool Tool) error {
	made, err := describe(document, tool)
	if err != nil {
		return err
	}
	hints, err := hintsOf(routes, tool)
	if err != nil {
		return err
	}
	if tool.Name == fileReader {
		s.addFiles(protocol, &made)
	}
	protocol.AddTool(&sdk.Tool{
		Name: tool.Name, Title: made.title, Description: made.text(), InputSchema: made.schema(), Annotations: hints,
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		caller, err := callerOf(ctx)
		if err != nil {
			return nil, err
		}
		return s.call(&made, caller, r.Params.Arguments), nil
	})
	return nil
}

// hintsOf says what a tool may do, as the rule of its route's action has it.
func hintsOf(routes []rest.Route, tool Tool) (*sdk.ToolAnnotations, error) {
	for _, route := range routes {
		if route.Method() != tool.Method || route.Pattern() != tool.Pattern {
			continue
		}
		action, _ := route.Action()
		effect := core.RuleOf(action).Effect
		reads := effect == core.EffectRead || tool.Method == http.MethodGet
		replaces := !reads && effect == core.EffectReplace
		idempotent := reads || tool.Method == http.MethodPut || tool.Method == http.MethodDelete
		return &sdk.ToolAnnotations{ReadOnlyHint: reads, DestructiveHint: &replaces, IdempotentHint: idempotent}, nil
	}
	return nil, core.Errorf(core.CodeInternal, "the tool %s has no route", tool.Name)
}

// guarded refuses the one method that would keep the connection open, as nothing is ever sent
// there, and turns panics into errors: the SDK calls in goroutines of its own.
func guarded(log *slog.Logger) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
			defer func() {
				if cause := recover(); cause != nil {
					log.ErrorContext(ctx, "a message of MCP failed", "method", method, "panic", cause, "stack", string(debug.Stack()))
					result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			if method == "subscriptions/listen" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server sends no notifications"}
			}
			return next(ctx, method, r)
		}
	}
}

// callerKey is the key of the request to /mcp in a call's context.
type callerKey struct{}

// callerOf returns the request in which a call came.
func callerOf(ctx context.Context) (*rest.Request, error) {
	if caller, known := ctx.Value(callerKey{}).(*rest.Request); known {
		return caller, nil
	}
	return nil, core.Errorf(core.CodeInternal, "the call has no caller")
}

// serve answers one message with one message.
func (s *Server) serve(w http.ResponseWriter, r *rest.Request) error {
	if err := rest.CheckJSONHeaders(r.Header); err != nil {
		return err
	}
	text, done, err := s.uploads.Read(r, maxBodyBytes)
	if err != nil {
		return err
	}
	defer done()
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")) {
		return core.Errorf(core.CodeInvalidRequest, "send one message in a request: there are no batches")
	}
	in := r.Clone(context.WithValue(r.Context(), callerKey{}, r))
	in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	in.Header.Set("Accept", "application/json, text/event-stream")
	out := newAnswer(0)
	if err := out.serve(s.http, in); err != nil {
		return err
	}
	kind := out.header.Get("Content-Type")
	if out.failed() && kind != "application/json" {
		return core.Errorf(core.CodeInvalidRequest, "%s", strings.TrimSpace(out.body.String()))
	}
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(max(out.status, http.StatusOK))
	// A client that is gone is no failure.
	_, _ = w.Write(out.body.Bytes())
	return nil
}
