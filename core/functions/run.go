package functions

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

// run is a run of a function on its way into the log of its project's backend.
type run struct {
	began   time.Time
	place   backend.Place
	secrets map[string]string
	call    core.BackendCall
}

// begin notes a run that begins now.
func (s *Service) begin(r *http.Request, place backend.Place) *run {
	began := s.deps.Now()
	return &run{began: began, place: place, call: core.BackendCall{
		Kind: core.CallFunction, CreatedAt: core.At(began), Method: r.Method, Path: calllog.ShownPath(r.URL.Path), ProjectID: place.Project, Env: place.Env,
	}}
}

// of notes the user and the secrets of a run.
func (r *run) of(call functions.Call) {
	r.secrets = call.Secrets
	var record struct{ CollectionName, ID string }
	if json.Unmarshal(call.User, &record) == nil && record.ID != "" {
		r.call.User = record.CollectionName + "/" + record.ID
	}
}

// ended notes how a function answered or failed, and what it said.
func (r *run) ended(result functions.Result) {
	for _, line := range result.Console {
		r.call.Console = append(r.call.Console, core.ConsoleLine(line))
	}
	r.call.Status = result.Response.Status
	if result.Failure != nil {
		r.call.Status, r.call.Error = http.StatusInternalServerError, strings.TrimSpace(result.Failure.Message+"\n"+result.Failure.Stack)
	}
}

// refused notes that a function could not be run.
func (r *run) refused(ctx context.Context, err error) {
	r.call.Status, r.call.Error = refusalOf(err)
	if ctx.Err() != nil {
		r.call.Status = core.StatusClientGone
	}
}

// log logs a run that is over, and returns it, without the secrets in what it said.
func (s *Service) log(of *run) core.BackendCall {
	of.call.Millis = s.deps.Now().Sub(of.began).Milliseconds()
	call := without(of.secrets, of.call)
	s.deps.Calls.Add(call)
	return call
}

// minSecretBytes is the length from which a value of the environment is kept out of the log:
// shorter ones, such as a port or "true", are words that stand everywhere.
const minSecretBytes = 6

// without returns a call with the names of the environment's values in their place.
func without(secrets map[string]string, call core.BackendCall) core.BackendCall {
	var keys []string
	for key, value := range secrets {
		if len(value) >= minSecretBytes {
			keys = append(keys, key)
		}
	}
	// A value may be part of another one.
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(len(secrets[b])-len(secrets[a]), strings.Compare(a, b)) })
	var pairs []string
	for _, key := range keys {
		pairs = append(pairs, secrets[key], "["+key+"]")
	}
	clean := strings.NewReplacer(pairs...).Replace
	call.Path, call.Error = clean(call.Path), clean(call.Error)
	for i := range call.Console {
		call.Console[i].Text = clean(call.Console[i].Text)
	}
	return call
}
