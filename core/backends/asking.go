package backends

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// QueryTest runs one SELECT on a project's test data, without users' secrets. Live data has
// no such query, because the agent makes these.
func (s *Records) QueryTest(ctx context.Context, by core.Actor, project core.ID, sql string) (backend.Table, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return backend.Table{}, err
	}
	s.upkeep.prepare(ctx, backend.Place{Project: project, Env: core.DataTest})
	return s.deps.Engine.Query(ctx, backend.Place{Project: project, Env: core.DataTest}, sql)
}

// TestRequest is a request that tries the rules of a project's test data. Path begins with
// DataPrefix and may have a query. Body is JSON, or empty.
type TestRequest struct {
	Method, Path string
	Body         json.RawMessage
	As           backend.Identity
}

// requestMethods are the methods of PocketBase's API.
var requestMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// AskTest sends a request to a project's test data as a page of the preview would. Requests
// for files and streams have core.CodeValidationFailed. Session tokens are removed from
// responses, because those go into logs.
func (s *Records) AskTest(ctx context.Context, by core.Actor, project core.ID, request TestRequest) (Response, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return Response{}, err
	}
	inner, err := request.inner()
	if err != nil {
		return Response{}, err
	}
	s.upkeep.prepare(ctx, backend.Place{Project: project, Env: core.DataTest})
	response, err := s.client.ask(ctx, backend.Place{Project: project, Env: core.DataTest}, request.As, inner)
	response.Body = withoutToken(response.Body)
	return response, err
}

// inner returns the request for the engine.
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
	parts := strings.Split(belowData(at.Path), "/")
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

// withoutToken removes the session token from the answer to a sign-in.
func withoutToken(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members["token"] == nil || members["record"] == nil {
		return body
	}
	members["token"] = json.RawMessage(`"(left out)"`)
	// Decoded members always encode.
	without, _ := json.Marshal(members)
	return without
}

// Outcome is the result of applying the current schema file.
type Outcome struct {
	// Applied are the steps that updated the test data to it, as far as this process knows.
	Applied []core.SchemaStep
	// Pending is the plan that waits for a member, or nil.
	Pending *core.SchemaPlan
	// Wrong are the errors in the file.
	Wrong []core.Diagnostic
	// Stats describes the present test data.
	Stats backend.Stats
}

// Outcome updates the project's test data and returns the result of applying the schema
// file. A project without the file has core.CodeNotFound.
func (s *Schemas) Outcome(ctx context.Context, by core.Actor, project core.ID) (Outcome, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return Outcome{}, err
	}
	wrong, err := s.Review(ctx, project)
	if err != nil {
		return Outcome{}, err
	}
	next, _, err := s.next(ctx, project, core.DataTest)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case next == nil && len(wrong) == 0:
		return Outcome{}, core.NotFound("backend")
	case next == nil:
		return Outcome{Wrong: wrong}, nil
	case next.plan.Loses():
		return Outcome{Pending: &next.plan}, nil
	}
	outcome := Outcome{Applied: s.synced.appliedTo(project, next.declared), Wrong: wrong}
	stats, err := s.deps.Engine.Stats(ctx, next.place)
	if err == nil {
		outcome.Stats = stats
	} else if !core.IsCode(err, core.CodeNotFound) {
		return Outcome{}, err
	}
	return outcome, nil
}

// migrationSteps are the steps that updated test data to a schema file.
type migrationSteps struct {
	file  [sha256.Size]byte
	steps []core.SchemaStep
}

// noteApplied remembers the steps applied for a file, for Outcome.
func (s *syncState) noteApplied(project core.ID, declared Declaration, steps []core.SchemaStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.applied) >= maxSynced {
		clear(s.applied)
	}
	s.applied[project] = migrationSteps{sha256.Sum256(declared.file.text), steps}
}

// appliedTo returns the last applied steps, if they were for this file.
func (s *syncState) appliedTo(project core.ID, declared Declaration) []core.SchemaStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.applied[project]; last.file == sha256.Sum256(declared.file.text) {
		return last.steps
	}
	return nil
}
