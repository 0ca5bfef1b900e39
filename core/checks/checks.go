package checks

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

// Files reads projects' files; files.Reader implements it.
type Files interface {
	List(ctx context.Context, project core.ID) (*files.Listing, error)
	Open(ctx context.Context, at core.FileAt) (*files.File, error)
}

// Pages opens pages; browsing.Service implements it.
type Pages interface {
	Available(ctx context.Context) error
	Open(ctx context.Context, visit browsing.Visit) (*browsing.Page, error)
}

// Previews gives an address at which pages get a copy of test data; preview.Service implements
// it.
type Previews interface {
	Rehearse(ctx context.Context, project, dataCopy core.ID) (url string, end func(), err error)
}

// Backends makes fresh test data; backends.Service implements it.
type Backends interface {
	Rehearse(ctx context.Context, project core.ID) (backends.Rehearsal, error)
}

// Deps has the dependencies of a Service. Log gets failures that do not change the answer to the
// caller.
type Deps struct {
	Store    storage.Store
	Gate     *access.Gate
	Files    Files
	Pages    Pages
	Previews Previews
	Backends Backends
	Origin   thumbnails.Origin
	// Hooks tells webhooks of checks that failed; nil tells none.
	Hooks *webhooks.Queue
	Now   func() time.Time
	Log   *slog.Logger
}

// Service has the use cases around checks. It may be used by many goroutines.
type Service struct {
	deps Deps
	// playing is held while the checks of a project are played: a browser has few places.
	playing ctxsync.KeyedMutex[core.ID]
}

// New returns a service over the ports.
func New(deps Deps) *Service { return &Service{deps: deps} }

// LastResult is the result of a check when it was last played.
type LastResult string

// The last results.
const (
	LastPassed LastResult = "passed"
	LastFailed LastResult = "failed"
	Never      LastResult = "never"
)

// Item is a check in a list. Title is empty if its file is wrong. At, Step, Message and Picture
// belong to the last time it was played.
type Item struct {
	Name       string     `json:"name"`
	Title      string     `json:"title"`
	Path       string     `json:"path"`
	LastResult LastResult `json:"lastResult"`
	At         *core.Time `json:"at"`
	Step       int        `json:"step,omitempty"`
	Message    string     `json:"message,omitempty"`
	// Picture is the address of the picture of the last failure.
	Picture string `json:"picture,omitempty"`
	// Problem says what is wrong with the file. Such a check is not played.
	Problem *core.Diagnostic `json:"problem,omitempty"`
}

// Listing is the checks of a project by name. Unavailable says why they cannot be played here, ""
// if they can.
type Listing struct {
	Items       []Item `json:"items"`
	Unavailable string `json:"unavailable,omitempty"`
}

// List returns the checks of a project. Errors are those of access.Gate.Project.
func (s *Service) List(ctx context.Context, by core.Actor, project core.ID) (Listing, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionCheckRead, project); err != nil {
		return Listing{}, err
	}
	found, err := s.all(ctx, project)
	if err != nil {
		return Listing{}, err
	}
	outcomes, err := s.deps.Store.Tables().CheckOutcomes.List(ctx, project)
	if err != nil {
		return Listing{}, err
	}
	listing := Listing{Items: make([]Item, 0, len(found)), Unavailable: s.unavailable(ctx)}
	for _, one := range found {
		item := Item{Name: one.name, Title: one.check.Title, Path: one.path.String(), LastResult: Never, Problem: one.wrong}
		if at := slices.IndexFunc(outcomes, func(o core.CheckOutcome) bool { return o.Name == one.name }); at >= 0 {
			item.remember(outcomes[at], s.deps.Origin)
		}
		listing.Items = append(listing.Items, item)
	}
	return listing, nil
}

func (i *Item) remember(outcome core.CheckOutcome, origin thumbnails.Origin) {
	i.LastResult, i.At = LastPassed, &outcome.PlayedAt
	if !outcome.Passed {
		i.LastResult, i.Step, i.Message = LastFailed, outcome.Step, outcome.Message
	}
	if outcome.PicturedAt > 0 {
		i.Picture = pictureAddress(origin, outcome)
	}
}

// pictureAddress changes with the picture, so that browsers show the last one.
func pictureAddress(origin thumbnails.Origin, outcome core.CheckOutcome) string {
	return fmt.Sprintf("%s/projects/%s/checks/%s/picture?v=%s", origin, url.PathEscape(string(outcome.ProjectID)), url.PathEscape(outcome.Name), strconv.FormatInt(int64(outcome.PicturedAt), 36))
}

// unavailable says why nothing can be played, "" if it can.
func (s *Service) unavailable(ctx context.Context) string {
	err := s.deps.Pages.Available(ctx)
	if err == nil {
		return ""
	}
	return messageOf(err)
}

// Picture returns the PNG of a check's last failure, core.CodeNotFound if there is none. Other
// errors are those of access.Gate.Project.
func (s *Service) Picture(ctx context.Context, by core.Actor, project core.ID, name string) ([]byte, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionCheckRead, project); err != nil {
		return nil, err
	}
	if _, err := core.ParseCheckName(name); err != nil {
		return nil, core.NotFound("check")
	}
	return s.deps.Store.Tables().CheckOutcomes.Picture(ctx, project, name)
}

// Result is the result of playing a check.
type Result struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Passed bool   `json:"passed"`
	// Step is the number of the failed step, from 1, or 0 if none failed or none was reached.
	Step    int    `json:"step,omitempty"`
	Message string `json:"message,omitempty"`
	Picture string `json:"picture,omitempty"`
	Millis  int64  `json:"ms"`
	// Shown is the text of the page when the step failed.
	Shown string `json:"-"`
	// png is the picture of the page at the failed step.
	png []byte
}

// Run plays checks of a project, all if names is empty, and returns their results by name. A check
// that does not exist has core.CodeNotFound. If there is something to play and no browser, the
// error is core.CodeSandboxUnavailable. Other errors are those of access.Gate.Project.
func (s *Service) Run(ctx context.Context, by core.Actor, project core.ID, names []string) ([]Result, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionCheckRun, project); err != nil {
		return nil, err
	}
	if len(names) > core.MaxChecks {
		return nil, core.Errorf(core.CodeValidationFailed, "names must have at most %d checks", core.MaxChecks)
	}
	return s.play(ctx, project, names, func(Result) error { return nil })
}

// Has reports whether a project has checks, readable or not. The caller has checked access.
func (s *Service) Has(ctx context.Context, project core.ID) (bool, error) {
	found, err := s.all(ctx, project)
	return len(found) > 0, err
}

// Play plays all checks of a project and tells each result as it happens. It returns nil
// without playing anything if no browser is available. The caller has checked access.
func (s *Service) Play(ctx context.Context, project core.ID, tell func(Result) error) ([]Result, error) {
	if s.deps.Pages.Available(ctx) != nil {
		return nil, nil
	}
	return s.play(ctx, project, nil, tell)
}

// Again plays those of the named checks that a project has. It returns nil without playing anything
// if no browser is available. The caller has checked access.
func (s *Service) Again(ctx context.Context, project core.ID, names []string) ([]Result, error) {
	if s.deps.Pages.Available(ctx) != nil {
		return nil, nil
	}
	found, err := s.all(ctx, project)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(found, func(one checkFile) bool { return one.name == name })
	})
	if len(names) == 0 {
		return []Result{}, nil
	}
	return s.play(ctx, project, names, func(Result) error { return nil })
}

// Failures implements publish.Checks.
func (s *Service) Failures(ctx context.Context, project core.ID) ([]core.CheckFailure, error) {
	results, err := s.Play(ctx, project, func(Result) error { return nil })
	var failures []core.CheckFailure
	for _, result := range results {
		if !result.Passed {
			failures = append(failures, result.failure())
		}
	}
	return failures, err
}

// failure is a result of a check that failed.
func (r Result) failure() core.CheckFailure {
	return core.CheckFailure{Name: r.Name, Title: cmp.Or(r.Title, r.Name), Step: r.Step, Message: r.Message, Shown: r.Shown}
}

// PlayFor plays all checks of a project at the end of a run of the agent, and tells each result, with
// the picture of a failure if keep keeps it. It returns those that failed, and none if they cannot be played here. The caller has checked
// access.
func (s *Service) PlayFor(ctx context.Context, project core.ID, keep func(ctx context.Context, png []byte) *core.Attachment, tell func(core.CheckResult) error) ([]core.CheckFailure, error) {
	var failures []core.CheckFailure
	_, err := s.Play(ctx, project, func(result Result) error {
		told := core.CheckResult{Name: result.Name, Title: cmp.Or(result.Title, result.Name), Passed: result.Passed, Message: result.Message}
		if !result.Passed {
			failures = append(failures, result.failure())
			if len(result.png) > 0 {
				told.Picture = keep(ctx, result.png)
			}
		}
		return tell(told)
	})
	return failures, err
}

func (s *Service) play(ctx context.Context, project core.ID, names []string, tell func(Result) error) ([]Result, error) {
	record, err := s.deps.Store.Tables().Projects.ByID(ctx, project)
	if err != nil {
		return nil, err
	}
	ctx = fair.WithTenant(ctx, record.WorkspaceID)
	unlock, err := s.playing.Lock(ctx, project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	found, err := s.all(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := s.forgetGone(ctx, project, found); err != nil {
		return nil, err
	}
	if found, err = chosen(found, names); err != nil || len(found) == 0 {
		return []Result{}, err
	}
	if err := s.deps.Pages.Available(ctx); err != nil {
		return nil, err
	}
	return s.playAll(ctx, project, found, tell)
}

// forgetGone removes the outcomes of checks that are no longer there.
func (s *Service) forgetGone(ctx context.Context, project core.ID, found []checkFile) error {
	names := make([]string, len(found))
	for i, one := range found {
		names[i] = one.name
	}
	return s.deps.Store.Tables().CheckOutcomes.Keep(ctx, project, names)
}

// chosen returns the checks with these names, all if there are no names.
func chosen(found []checkFile, names []string) ([]checkFile, error) {
	if len(names) == 0 {
		return found, nil
	}
	var some []checkFile
	for _, one := range found {
		if slices.Contains(names, one.name) {
			some = append(some, one)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(some, func(one checkFile) bool { return one.name == name }) {
			return nil, core.Errorf(core.CodeNotFound, "no such check: %s", core.Shorten(core.CleanName(name), 80))
		}
	}
	return some, nil
}

// store keeps a result, and returns it with the address of its picture. What was not played leaves
// the last outcome as it was.
func (s *Service) store(ctx context.Context, project core.ID, played outcome) (Result, error) {
	played.png = played.picture
	if played.late {
		return played.Result, nil
	}
	at := core.At(s.deps.Now())
	outcome := core.CheckOutcome{
		ProjectID: project, Name: played.Name, Passed: played.Passed, Step: played.Step, Message: played.Message, Millis: played.Millis, PlayedAt: at,
	}
	if played.picture != nil {
		outcome.PicturedAt = at
		played.Picture = pictureAddress(s.deps.Origin, outcome)
	}
	if played.Passed {
		return played.Result, s.deps.Store.Tables().CheckOutcomes.Put(ctx, outcome, played.picture)
	}
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.CheckOutcomes.Put(ctx, outcome, played.picture); err != nil {
			return err
		}
		return s.deps.Hooks.Add(ctx, tables, webhooks.CheckFailed(outcome, played.failure().Title))
	})
	if err == nil {
		s.deps.Hooks.Wake()
	}
	return played.Result, err
}
