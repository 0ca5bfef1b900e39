package backends

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// QueryTest runs one SELECT on a project's test data, secrets of users aside. There is none for
// live data: what asks is the agent.
func (s *Records) QueryTest(ctx context.Context, by core.Actor, project core.ID, sql string) (backend.Table, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return backend.Table{}, err
	}
	s.upkeep.prepare(ctx, project, core.DataTest)
	return s.deps.Engine.Query(ctx, backend.Place{Project: project, Env: core.DataTest}, sql)
}

// TestRequest is a request that tries the rules of a project's test data. Path begins with
// DataPrefix and may have a query. Body is JSON, or empty.
type TestRequest struct {
	Method, Path string
	Body         json.RawMessage
	As           backend.Identity
}

// requestMethods are the methods of PocketBase's interface.
var requestMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// AskTest carries out a request on a project's test data as a page of the preview would. Files
// and streams have core.CodeValidationFailed. A response never has a token of a session, because
// it goes into logs.
func (s *Records) AskTest(ctx context.Context, by core.Actor, project core.ID, request TestRequest) (Response, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return Response{}, err
	}
	inner, err := request.inner()
	if err != nil {
		return Response{}, err
	}
	s.upkeep.prepare(ctx, project, core.DataTest)
	response, err := s.client.ask(ctx, backend.Place{Project: project, Env: core.DataTest}, request.As, inner)
	response.Body = withoutToken(response.Body)
	return response, err
}

// inner is the request as the engine gets it.
func (r TestRequest) inner() (Request, error) {
	method := strings.ToUpper(r.Method)
	if !slices.Contains(requestMethods, method) {
		return Request{}, core.Errorf(core.CodeValidationFailed, "the method must be one of %s", strings.Join(requestMethods, ", "))
	}
	at, err := url.Parse(r.Path)
	if err != nil || at.Scheme != "" || at.Host != "" || !strings.HasPrefix(at.Path, DataPrefix) {
		return Request{}, core.Errorf(core.CodeValidationFailed, "the path must begin with %s, such as %scollections/posts/records?sort=-created", DataPrefix, DataPrefix)
	}
	query, err := url.ParseQuery(at.RawQuery)
	if err != nil {
		return Request{}, core.Errorf(core.CodeValidationFailed, "the query of the path is not escaped: write %%20 for a space, %%26 for an ampersand")
	}
	parts := strings.Split(strings.TrimPrefix(at.Path, DataPrefix), "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return Request{}, core.Errorf(core.CodeValidationFailed, "the path has an empty part, . or ..")
		}
	}
	if first := strings.ToLower(parts[0]); first == "files" || first == "realtime" {
		return Request{}, core.Errorf(core.CodeValidationFailed, "files and realtime streams cannot be asked for here: ask for the records")
	}
	return Request{Method: method, Path: strings.Join(parts, "/"), Query: query, Body: r.Body}, nil
}

// withoutToken replaces the token of a session in the answer to a sign-in.
func withoutToken(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members["token"] == nil || members["record"] == nil {
		return body
	}
	members["token"] = json.RawMessage(`"(left out)"`)
	// Members that were decoded are always encoded.
	without, _ := json.Marshal(members)
	return without
}
