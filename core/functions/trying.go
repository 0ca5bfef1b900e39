package functions

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// Trial is a request by which a member tries a function of the preview, as a guest. Path is what
// follows the function's name in the address, with a query, and may be empty.
type Trial struct {
	Method, Path      string
	ContentType, Body string
}

// Tried is what came of a Trial. Its Response is that of the function, or empty if the function
// failed, as the Run says. The log has the Run, too.
type Tried struct {
	Run      core.BackendCall
	Response functions.Response
}

// trialHost is the host that a tried function finds in its request: the preview's is a secret of
// the people to whom the preview was shown.
const trialHost = "preview.invalid"

var trialMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// Try runs a function of the preview with test data, as a request of a guest's would. Unlike a
// stranger, the member learns why it failed. An unknown function has core.CodeNotFound.
func (s *Service) Try(ctx context.Context, by core.Actor, project core.ID, name string, trial Trial) (Tried, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return Tried{}, err
	}
	r, err := trial.request(ctx, name)
	if err != nil {
		return Tried{}, err
	}
	result, run, err := s.run(nil, r, project, core.DataTest)
	if err == nil {
		return Tried{run, result.Response}, nil
	}
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodePayloadTooLarge, core.CodeUnavailable:
		return Tried{}, err
	}
	return Tried{}, core.Wrap(core.CodeUnavailable, err, "the function could not be run: try again")
}

// request is the request as the function gets it.
func (t Trial) request(ctx context.Context, name string) (*http.Request, error) {
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
