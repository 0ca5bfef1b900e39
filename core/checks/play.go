package checks

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/browsing"
)

// stage is where the checks of a project are played: on fresh test data.
type stage struct {
	deps    Deps
	project core.ID
	data    backends.Rehearsal
	// wrong is why there is no fresh data.
	wrong error
}

// stage makes fresh test data. Close it.
func (s *Service) stage(ctx context.Context, project core.ID) *stage {
	made := &stage{deps: s.deps, project: project}
	made.data, made.wrong = s.deps.Backends.Rehearse(ctx, project)
	return made
}

func (s *stage) close(ctx context.Context) { s.data.Close(ctx) }

// checkLimit bounds the time to play the steps of a check.
const checkLimit = time.Minute

// outcome is a result with the picture of the page where it failed.
type outcome struct {
	Result
	picture []byte
	// late says that there was no time left to play it.
	late bool
}

// play plays a check. The error is core.CodeSandboxUnavailable if there is no browser.
func (s *stage) play(ctx context.Context, one checkFile) (outcome, error) {
	began := time.Now()
	made := outcome{Result: Result{Name: one.name, Title: one.check.Title}}
	err := s.wrong
	if one.wrong != nil {
		err = core.Errorf(core.CodeValidationFailed, "the check cannot be read: line %d: %s", one.wrong.Line, one.wrong.Message)
	}
	if err == nil {
		err = s.visit(ctx, one.check, &made)
	}
	if made.late = err != nil && ctx.Err() != nil; made.late {
		err = core.Errorf(core.CodeUnavailable, "it was not played to its end, because all checks together took longer than %d minutes: play it by itself, or remove some", int(playLimit.Minutes()))
	}
	if core.IsCode(err, core.CodeSandboxUnavailable) {
		return made, err
	}
	made.Passed, made.Millis = err == nil, time.Since(began).Milliseconds()
	if err != nil {
		made.Message = sayable(messageOf(err))
	}
	return made, nil
}

// sayable makes a text, which may quote a page, a message that can be stored.
func sayable(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	return core.Shorten(text, core.MaxCheckMessage)
}

// visit plays the steps of a check on a page with data of its own.
func (s *stage) visit(ctx context.Context, check core.Check, made *outcome) error {
	dataCopy, err := s.data.Copy(ctx)
	if err != nil {
		return err
	}
	defer s.data.Remove(ctx, dataCopy)
	visit := browsing.Visit{Project: s.project, Path: check.Path, Kept: true}
	if check.As != core.CheckGuest {
		session, err := s.data.SignIn(ctx, dataCopy, check.As)
		if err != nil {
			return err
		}
		visit.Storage = map[string]string{sessionKey: string(session)}
	}
	address, end, err := s.deps.Previews.Rehearse(ctx, s.project, dataCopy)
	if err != nil {
		return err
	}
	defer end()
	visit.Origin = address
	page, err := s.deps.Pages.Open(ctx, visit)
	if err != nil {
		return err
	}
	defer page.Close()
	// The wait for a place is not the check's.
	limited, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	err = s.perform(limited, page, check.Steps, made)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = core.Errorf(core.CodeUnavailable, "the check took longer than %d seconds", int(checkLimit.Seconds()))
	}
	return err
}

// sessionKey is where PocketBase's client keeps its session.
const sessionKey = "pocketbase_auth"

// perform plays steps until one fails.
func (s *stage) perform(ctx context.Context, page *browsing.Page, steps []core.CheckStep, made *outcome) error {
	for i, step := range steps {
		err := page.Perform(ctx, step)
		if err == nil {
			continue
		}
		made.Step = i + 1
		if core.IsCode(err, core.CodeValidationFailed) {
			s.record(ctx, page, made)
		}
		return err
	}
	return nil
}

// record keeps what the page shows, if it still shows something.
func (s *stage) record(ctx context.Context, page *browsing.Page, made *outcome) {
	if view, err := page.Look(ctx); err == nil {
		made.Shown = view.Text
	}
	if picture, err := page.Picture(ctx); err == nil && len(picture) <= core.MaxCheckPicture {
		made.picture = picture
	}
}
