package functions

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

// TrialRequest is a member's request to a function of the preview, made as a guest. Path is the
// part of the address after the function's name, with the query. It may be empty.
type TrialRequest struct {
	Method, Path      string
	ContentType, Body string
}

// TrialResult is the result of a trial. Response is empty if the function failed; then Run has
// the error. The log contains Run, too.
type TrialResult struct {
	Run      core.BackendCall
	Response functions.Response
}

// trialHost is the host in the request. The preview's host is a secret, so the function does not
// see it.
const trialHost = "preview.invalid"

var trialMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// Try runs a function of the preview with test data, as a guest. Unlike a guest, the member learns
// why the function failed. For an unknown function, the error has core.CodeNotFound.
func (s *Service) Try(ctx context.Context, by core.Actor, project core.ID, name string, trial TrialRequest) (TrialResult, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return TrialResult{}, err
	}
	r, err := trial.request(ctx, name)
	if err != nil {
		return TrialResult{}, err
	}
	result, run, err := s.run(nil, r, backend.Place{Project: project, Env: core.DataTest})
	if err == nil {
		return TrialResult{run, result.Response}, nil
	}
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodePayloadTooLarge, core.CodeUnavailable:
		return TrialResult{}, err
	}
	return TrialResult{}, core.Wrap(core.CodeUnavailable, err, "the function could not be run: try again")
}

// request returns the request for the function.
func (t TrialRequest) request(ctx context.Context, name string) (*http.Request, error) {
	method := strings.ToUpper(t.Method)
	if !slices.Contains(trialMethods, method) {
		return nil, core.Errorf(core.CodeValidationFailed, "the method must be one of %s", strings.Join(trialMethods, ", "))
	}
	if !core.IsFunctionName(name) {
		return nil, core.NotFound("function")
	}
	at, err := url.Parse("http://" + trialHost + Prefix + name + t.Path)
	if err != nil || t.Path != "" && t.Path[0] != '/' && t.Path[0] != '?' || at.Fragment != "" {
		return nil, core.Errorf(core.CodeValidationFailed, "what follows the function's name must begin with / or ?, and be escaped: %%20 for a space")
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader([]byte(t.Body)))
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "the request is invalid")
	}
	if t.ContentType != "" {
		r.Header.Set("Content-Type", t.ContentType)
	}
	return r, nil
}
