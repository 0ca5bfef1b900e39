package functions

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
)

// Previews has the builds of previews; preview.Service implements it.
type Previews interface {
	Page(ctx context.Context, project core.ID) (preview.Page, error)
}

// Bundler bundles the functions of projects whose pages are made by their own tools; builds.Maker
// implements it.
type Bundler interface {
	Functions(ctx context.Context, project core.ID) (build.Result, error)
}

// Records answers for the records of projects; backends.Service implements it.
type Records interface {
	ServeFunction(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity)
}

// Environment has the environment values of projects; environment.Service implements it.
type Environment interface {
	Values(ctx context.Context, project core.ID) (map[string]string, error)
}

// Deps has the dependencies of a Service.
type Deps struct {
	Store       storage.Store
	Gate        *access.Gate
	Runner      functions.Runner
	Previews    Previews
	Bundler     Bundler
	Sites       sites.Store
	Records     Records
	Environment Environment
	Models      Models
	Post        backend.Post
	Guard       netguard.Guard
	// Address returns the URL of a published project.
	Address projects.Address
	Calls   *calllog.Log
	Audit   *audit.Log
	Now     func() time.Time
	Log     *slog.Logger
}

// Service has the use cases of functions. It may be used by many goroutines.
type Service struct {
	deps  Deps
	code  *code
	clock *clock
	// prompts bounds what functions spend for strangers.
	prompts *promptLimit
	// changes are those of live data, for the audit log.
	changes *adminChanges
}

// New returns a service over the ports. After Start, it must be closed before the store is.
func New(deps Deps) *Service {
	s := &Service{deps: deps, code: newCode(deps), prompts: newPromptLimit(deps.Now), changes: newAdminChanges(deps)}
	s.clock = newClock(s)
	return s
}

// Prefix begins the paths of functions on a page's host.
const Prefix = "/_fn/"

// Serve answers a request to a function: with the preview's code and test data, or the live
// deployment's code and live data. The caller has found the project by the request's host; the path
// of r begins with Prefix, the name of the function follows, and then whatever the function likes.
func (s *Service) Serve(w http.ResponseWriter, r *http.Request, at backend.Place) {
	result, _, err := s.run(w, r, at)
	switch {
	case err != nil:
		s.refuse(w, r, at.Project, err)
	case result.Failure != nil:
		backend.Refuse(w, http.StatusInternalServerError, "the function failed")
	default:
		send(w, result.Response)
	}
}

// run runs the function that a request is for, and logs the run. The error says that it did not
// run; a function that failed is a result.
func (s *Service) run(w http.ResponseWriter, r *http.Request, at backend.Place) (functions.Result, core.BackendCall, error) {
	note := s.begin(r, at)
	result, err := s.carryOut(w, r, note)
	if err != nil {
		note.refused(r.Context(), err)
	} else {
		note.ended(result)
	}
	return result, s.log(note), err
}

// carryOut runs a function whose run was begun.
func (s *Service) carryOut(w http.ResponseWriter, r *http.Request, note *run) (functions.Result, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	script, err := s.code.find(r.Context(), note.place.Project, note.place.Env, name)
	if err != nil {
		return functions.Result{}, err
	}
	call, err := s.callOf(w, r, note.place, script.code)
	if err != nil {
		return functions.Result{}, err
	}
	note.of(call)
	result, err := s.deps.Runner.Run(r.Context(), call, &host{
		deps: s.deps, place: note.place, tenant: call.Tenant, authorization: r.Header.Get("Authorization"), visitor: r.RemoteAddr,
		function: name, changes: s.changes, limit: s.prompts, guest: len(call.User) == 0,
	})
	return script.located(r.Context(), result), err
}

// messageTooLarge names functions.MaxBodyBytes.
const messageTooLarge = "the body of a request to a function may have 1 MiB"

// callOf is the call that a request makes.
func (s *Service) callOf(w http.ResponseWriter, r *http.Request, place backend.Place, script []byte) (functions.Call, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, functions.MaxBodyBytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return functions.Call{}, core.Errorf(core.CodePayloadTooLarge, "%s", messageTooLarge)
	case err != nil:
		return functions.Call{}, core.Wrap(core.CodeInvalidRequest, err, "the body could not be read")
	}
	record, err := s.deps.Store.Tables().Projects.ByID(r.Context(), place.Project)
	if err != nil {
		return functions.Call{}, err
	}
	values, err := s.deps.Environment.Values(r.Context(), place.Project)
	if err != nil {
		return functions.Call{}, err
	}
	header := endToEnd(r.Header)
	header.Del(ScheduleHeader)
	return functions.Call{
		Tenant: record.WorkspaceID, Wait: functions.MaxWait, Code: script, Secrets: values,
		Request: functions.Request{Method: r.Method, URL: addressOf(r), Header: header, Body: body},
		User:    s.userOf(r, place),
	}, nil
}

// refuse answers that a function could not be run.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, project core.ID, err error) {
	status, message := refusalOf(err)
	if status == http.StatusServiceUnavailable {
		wait := 2 * time.Second
		if known, ok := errors.AsType[*core.Error](err); ok && known.RetryAfter > 0 {
			// The engine is as it should be, and busy: the log of the project's calls has it.
			wait, message = known.RetryAfter, known.Message
		} else if r.Context().Err() == nil {
			s.deps.Log.ErrorContext(r.Context(), "could not run a function", "project", project, "path", r.URL.Path, "error", err)
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	backend.Refuse(w, status, message)
}

// refusalOf returns the status and the message for a function that could not be run.
func refusalOf(err error) (status int, message string) {
	switch core.CodeOf(err) {
	case core.CodeNotFound:
		return http.StatusNotFound, "there is no such function"
	case core.CodePayloadTooLarge:
		return http.StatusRequestEntityTooLarge, messageTooLarge
	case core.CodeInvalidRequest:
		return http.StatusBadRequest, "the request could not be read"
	}
	return http.StatusServiceUnavailable, "the function is not available at the moment: try again"
}
