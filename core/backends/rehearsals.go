package backends

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Rehearsals make fresh test data for one caller, apart from the test data of the preview.
type Rehearsals struct {
	deps    Deps
	schemas *Schemas
	client  client
}

// Rehearsal is a template of test data, made from the project's schema and seed. Callers change
// copies of it only. The zero value belongs to a project without a backend.
type Rehearsal struct {
	*Rehearsals
	place  backend.Place
	schema backend.Schema
}

// Rehearse makes test data from the present files of a project. A wrong schema or seed has
// core.CodeBuildFailed with diagnostics. The caller has checked access, and ends the rehearsal
// with Close.
func (s *Rehearsals) Rehearse(ctx context.Context, project core.ID) (made Rehearsal, err error) {
	from, err := s.schemas.sources(ctx, project)
	if err != nil || from.schema == nil {
		return Rehearsal{}, err
	}
	scratch := backend.Place{Project: project, Env: core.DataTest, Copy: core.NewID()}
	next, wrong, err := s.schemas.toward(ctx, scratch, from)
	if err != nil || len(wrong) > 0 {
		return Rehearsal{}, wrongFiles(err, wrong)
	}
	defer func() {
		if err != nil {
			s.deps.removeCopy(ctx, scratch)
		}
	}()
	if wrong, err = s.deps.applyTo(ctx, next, scratch); err == nil && len(wrong) == 0 && next.seed != nil {
		wrong, err = s.schemas.seed(ctx, scratch, next.schema, next.seed)
	}
	return Rehearsal{s, scratch, next.schema}, wrongFiles(err, wrong)
}

// wrongFiles is err, or the error about what is wrong with the files.
func wrongFiles(err error, wrong []core.Diagnostic) error {
	if err != nil || len(wrong) == 0 {
		return err
	}
	failed := core.Errorf(core.CodeBuildFailed, "fresh test data cannot be made: %s:%d: %s", wrong[0].Path, wrong[0].Line, wrong[0].Message)
	failed.Diagnostics = wrong
	return failed
}

// Close removes what the rehearsal copies from, even after ctx has ended.
func (r Rehearsal) Close(ctx context.Context) {
	if r.Rehearsals != nil {
		r.deps.removeCopy(ctx, r.place)
	}
}

// Copy makes a copy of the fresh data and returns its id, "" for a project without a backend.
func (r Rehearsal) Copy(ctx context.Context) (core.ID, error) {
	if r.Rehearsals == nil {
		return "", nil
	}
	made := r.at(core.NewID())
	return made.Copy, r.deps.Engine.Copy(ctx, r.place, made)
}

// Remove removes a copy, even after ctx has ended.
func (r Rehearsal) Remove(ctx context.Context, dataCopy core.ID) {
	if dataCopy != "" {
		r.deps.removeCopy(ctx, r.at(dataCopy))
	}
}

func (r Rehearsal) at(dataCopy core.ID) backend.Place {
	place := r.place
	place.Copy = dataCopy
	return place
}

// SignIn signs a user of a copy in, without a password, and returns what PocketBase's client
// keeps of a session: a JSON object with token and record. A user that the seed does not have
// has core.CodeNotFound.
func (r Rehearsal) SignIn(ctx context.Context, dataCopy core.ID, email string) (json.RawMessage, error) {
	for _, collection := range r.schema.Collections {
		if collection.Type != backend.Auth {
			continue
		}
		response, err := r.client.ask(ctx, r.at(dataCopy), backend.Identity{Collection: collection.Name, Email: email}, Request{
			Method: http.MethodPost, Path: "collections/" + collection.Name + "/auth-refresh",
		})
		if err != nil {
			return nil, err
		}
		var session struct {
			Token  string          `json:"token"`
			Record json.RawMessage `json:"record"`
		}
		if response.Status == http.StatusOK && response.decode(&session) == nil && session.Token != "" {
			return response.Body, nil
		}
	}
	return nil, core.Errorf(core.CodeNotFound, "the seed has no user with the e-mail address %q", email)
}
