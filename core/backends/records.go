package backends

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// Records has the use cases of members who work with their application's data. Rules do not
// apply to them.
type Records struct {
	deps   Deps
	client client
	upkeep upkeep
}

// Record is a record in the format of PocketBase's API, with hidden fields.
type Record = json.RawMessage

// ListRecords returns a page of a collection as the project's members see it: rules aside. An
// invalid filter or sort has core.CodeValidationFailed, an unknown collection core.CodeNotFound.
func (s *Records) ListRecords(ctx context.Context, by core.Actor, at backend.Place, collection string, query backend.RecordQuery) (backend.RecordPage, error) {
	from, err := s.collection(ctx, by, readingOf(at.Env), at, collection)
	if err != nil {
		return backend.RecordPage{}, err
	}
	page, err := s.deps.Engine.List(ctx, at, from.Name, query)
	if core.IsCode(err, core.CodeValidationFailed) {
		err = core.Errorf(core.CodeValidationFailed, "the filter or the sort is wrong: %s", messageOf(err))
	}
	return page, err
}

// GetRecord returns a record.
func (s *Records) GetRecord(ctx context.Context, by core.Actor, at backend.Place, collection, id string) (record Record, err error) {
	from, err := s.collection(ctx, by, readingOf(at.Env), at, collection)
	if err != nil {
		return nil, err
	}
	err = s.withRecord(ctx, at, Request{Method: http.MethodGet, Path: recordsOf(from.Name)}, id, &record)
	return record, err
}

// CreateRecord creates a record from a body, which is JSON or a form with files.
func (s *Records) CreateRecord(ctx context.Context, by core.Actor, at backend.Place, collection, contentType string, body []byte) (record Record, err error) {
	into, err := s.changeable(ctx, by, at, collection)
	if err != nil {
		return nil, err
	}
	request := Request{Method: http.MethodPost, Path: recordsOf(into.Name), ContentType: contentType, Body: body}
	if err := s.asOwner(ctx, at, request, &record); err != nil {
		return nil, err
	}
	return record, s.changed(ctx, by, at, http.MethodPost+" "+into.Name)
}

// UpdateRecord changes the fields that the body names.
func (s *Records) UpdateRecord(ctx context.Context, by core.Actor, at backend.Place, collection, id, contentType string, body []byte) (record Record, err error) {
	into, err := s.changeable(ctx, by, at, collection)
	if err != nil {
		return nil, err
	}
	request := Request{Method: http.MethodPatch, Path: recordsOf(into.Name), ContentType: contentType, Body: body}
	if err := s.withRecord(ctx, at, request, id, &record); err != nil {
		return nil, err
	}
	return record, s.changed(ctx, by, at, http.MethodPatch+" "+into.Name+"/"+id)
}

// DeleteRecord deletes a record, and the records that are deleted with it.
func (s *Records) DeleteRecord(ctx context.Context, by core.Actor, at backend.Place, collection, id string) error {
	from, err := s.changeable(ctx, by, at, collection)
	if err != nil {
		return err
	}
	if err := s.withRecord(ctx, at, Request{Method: http.MethodDelete, Path: recordsOf(from.Name)}, id, nil); err != nil {
		return err
	}
	return s.changed(ctx, by, at, http.MethodDelete+" "+from.Name+"/"+id)
}

// recordsOf returns the path of a collection's records. Names need no escaping.
func recordsOf(collection string) string { return "collections/" + collection + "/records" }

// readingOf and changingOf are the actions of reading and changing an environment's data.
func readingOf(core.DataEnv) core.Action { return core.ActionBackendRead }

func changingOf(env core.DataEnv) core.Action {
	if env == core.DataLive {
		return core.ActionBackendLive
	}
	return core.ActionBackendTest
}

// collection returns a collection of the schema in force by name or id, and checks the
// caller's right to an action on it.
func (s *Records) collection(ctx context.Context, by core.Actor, action core.Action, at backend.Place, name string) (backend.Collection, error) {
	if _, err := s.deps.Gate.Project(ctx, by, action, at.Project); err != nil {
		return backend.Collection{}, err
	}
	s.upkeep.prepare(ctx, at)
	schema, err := s.deps.Engine.Schema(ctx, at)
	if err != nil {
		return backend.Collection{}, err
	}
	for _, collection := range schema.Collections {
		if strings.EqualFold(collection.Name, name) || collection.ID == name {
			return collection, nil
		}
	}
	return backend.Collection{}, core.NotFound("collection")
}

// changeable returns a collection and checks that the caller may change its records.
func (s *Records) changeable(ctx context.Context, by core.Actor, at backend.Place, name string) (backend.Collection, error) {
	into, err := s.collection(ctx, by, changingOf(at.Env), at, name)
	if err == nil && into.Type == backend.View {
		err = core.Errorf(core.CodeValidationFailed, "%s is a view: its records come from other collections", into.Name)
	}
	return into, err
}

// MayChange returns an error if the caller may not change the records of a place.
func (s *Records) MayChange(ctx context.Context, by core.Actor, at backend.Place) error {
	_, err := s.deps.Gate.Project(ctx, by, changingOf(at.Env), at.Project)
	return err
}

// asOwner makes a request to which rules do not apply. The caller has been checked.
func (s *Records) asOwner(ctx context.Context, at backend.Place, request Request, into any) error {
	response, err := s.client.ask(ctx, at, backend.Identity{Owner: true}, request)
	if err != nil {
		return err
	}
	if into == nil {
		return response.err()
	}
	return response.decode(into)
}

// withRecord is asOwner for one record of the collection that the path names.
func (s *Records) withRecord(ctx context.Context, at backend.Place, request Request, id string, into any) error {
	// No record has such an id, and the path would be another.
	if id == "" || id == "." || id == ".." || strings.Contains(id, "/") {
		return core.NotFound("record")
	}
	request.Path += "/" + id
	err := s.asOwner(ctx, at, request, into)
	if core.IsCode(err, core.CodeNotFound) {
		return core.NotFound("record")
	}
	return err
}

// changed records a change of live data in the audit log.
func (s *Records) changed(ctx context.Context, by core.Actor, at backend.Place, target string) error {
	if at.Env == core.DataTest {
		return nil
	}
	return s.deps.recordAudit(ctx, by, at.Project, core.AuditLiveDataChanged, target)
}

// recordAudit records a change of live data in the workspace's audit log.
func (d Deps) recordAudit(ctx context.Context, by core.Actor, project core.ID, action core.AuditAction, target string) error {
	return d.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		record, err := tables.Projects.ByID(ctx, project)
		if err != nil {
			return err
		}
		return d.Audit.Record(ctx, tables, by, record.WorkspaceID, action, record.Name+": "+target)
	})
}
