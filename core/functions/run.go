package functions

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

// run is a run of a function whose log entry is being made.
type run struct {
	began   time.Time
	place   backend.Place
	secrets map[string]string
	call    core.BackendCall
}

// begin records the start of a run.
func (s *Service) begin(r *http.Request, place backend.Place) *run {
	began := s.deps.Now()
	return &run{began: began, place: place, call: core.BackendCall{
		Kind: core.CallFunction, CreatedAt: core.At(began), Method: r.Method, Path: calllog.ShownPath(r.URL.Path), ProjectID: place.Project, Env: place.Env,
	}}
}

// of records the user and the secrets of a run.
func (r *run) of(call functions.Call) {
	r.secrets = call.Secrets
	var record struct{ CollectionName, ID string }
	if json.Unmarshal(call.User, &record) == nil && record.ID != "" {
		r.call.User = record.CollectionName + "/" + record.ID
	}
}

// ended records a function's answer or failure, and its console.
func (r *run) ended(result functions.Result) {
	for _, line := range result.Console {
		r.call.Console = append(r.call.Console, core.ConsoleLine(line))
	}
	r.call.Status = result.Response.Status
	if result.Failure != nil {
		r.call.Status, r.call.Error = http.StatusInternalServerError, strings.TrimSpace(result.Failure.Message+"\n"+result.Failure.Stack)
	}
}

// refused records that a function could not be run.
func (r *run) refused(ctx context.Context, err error) {
	r.call.Status, r.call.Error = refusalOf(err)
	if ctx.Err() != nil {
		r.call.Status = core.StatusClientGone
	}
}

// log logs a finished run and returns the entry, with secrets removed.
func (s *Service) log(of *run) core.BackendCall {
	of.call.Millis = s.deps.Now().Sub(of.began).Milliseconds()
	call := without(of.secrets, of.call)
	if of.place.Copy == "" {
		s.deps.Calls.Add(call)
	}
	return call
}
