package backends

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

// maxRecordBytes bounds the body with a record and its files, as the engine does.
const maxRecordBytes = 64 << 20

// placeOf returns the place that a path names. Unknown words have core.CodeNotFound.
func placeOf(r *rest.Request) (backend.Place, error) {
	project, err := r.ID("projectId")
	if err != nil {
		return backend.Place{}, err
	}
	env, err := core.ParseDataEnv(r.Param("env"))
	return backend.Place{Project: project, Env: env}, err
}

// recordPage is a page of records.
type recordPage struct {
	Items      []backends.Record `json:"items"`
	NextCursor *string           `json:"nextCursor"`
	Total      int64             `json:"total"`
}

// ListRecords answers GET /projects/:projectId/backend/:env/collections/:name/records.
func ListRecords(service *backends.Service, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		parameters, err := r.Query()
		if err != nil {
			return err
		}
		collection := r.Param("name")
		query := backend.RecordQuery{Filter: parameters["filter"], Sort: parameters["sort"]}
		list := fmt.Sprintf("records of %s %s %q %q %q", at.Project, at.Env, collection, query.Filter, query.Sort)
		if query.Limit, err = parameters.Int("limit", core.DefaultPageLimit, 1, core.MaxPageLimit); err != nil {
			return err
		}
		if query.Skip, err = parameters.Int("skip", 0, 0, backend.MaxSkip); err != nil {
			return err
		}
		if cursor, later := parameters["cursor"]; later {
			if _, both := parameters["skip"]; both {
				return core.Errorf(core.CodeValidationFailed, "skip counts from the beginning: send it without cursor")
			}
			if query.After, err = cursors.Read(list, cursor); err != nil {
				return err
			}
		}
		found, err := service.ListRecords(r.Context(), r.Actor, at, collection, query)
		if err != nil {
			return err
		}
		page := recordPage{Items: rest.EmptyIfNil(found.Records), Total: found.Total}
		if found.Next != "" {
			page.NextCursor = new(cursors.Write(list, found.Next))
		}
		return rest.WriteJSON(w, http.StatusOK, page)
	}
}

// GetRecord answers GET /projects/:projectId/backend/:env/collections/:name/records/:recordId.
func GetRecord(service *backends.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		record, err := service.GetRecord(r.Context(), r.Actor, at, r.Param("name"), r.Param("recordId"))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, record)
	}
}

// CreateRecord answers POST /projects/:projectId/backend/:env/collections/:name/records.
func CreateRecord(service *backends.Service, uploads *rest.Uploads) rest.Handler {
	return saveRecord(service, uploads, http.StatusCreated, func(r *rest.Request, at backend.Place, contentType string, body []byte) (backends.Record, error) {
		return service.CreateRecord(r.Context(), r.Actor, at, r.Param("name"), contentType, body)
	})
}

// UpdateRecord answers PATCH /projects/:projectId/backend/:env/collections/:name/records/:recordId.
func UpdateRecord(service *backends.Service, uploads *rest.Uploads) rest.Handler {
	return saveRecord(service, uploads, http.StatusOK, func(r *rest.Request, at backend.Place, contentType string, body []byte) (backends.Record, error) {
		return service.UpdateRecord(r.Context(), r.Actor, at, r.Param("name"), r.Param("recordId"), contentType, body)
	})
}

// saveRecord answers with the record that save makes of the request's body.
func saveRecord(service *backends.Service, uploads *rest.Uploads, status int, save func(r *rest.Request, at backend.Place, contentType string, body []byte) (backends.Record, error)) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		body, done, err := readRecord(r, service, uploads, at)
		if err != nil {
			return err
		}
		defer done()
		record, err := save(r, at, r.Header.Get("Content-Type"), body)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, status, record)
	}
}

// DeleteRecord answers DELETE /projects/:projectId/backend/:env/collections/:name/records/:recordId.
func DeleteRecord(service *backends.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		if err := service.DeleteRecord(r.Context(), r.Actor, at, r.Param("name"), r.Param("recordId")); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// readRecord reads a record as JSON or as a form with files. Strangers send no large bodies.
func readRecord(r *rest.Request, service *backends.Service, uploads *rest.Uploads, at backend.Place) (body []byte, done func(), err error) {
	if err := service.MayChange(r.Context(), r.Actor, at); err != nil {
		return nil, nil, err
	}
	isForm := isForm(r.Header)
	if !isForm && rest.CheckJSONHeaders(r.Header) != nil {
		return nil, nil, core.Errorf(core.CodeUnsupportedMediaType, "the body must be application/json or multipart/form-data, without Content-Encoding")
	}
	body, done, err = uploads.Read(r, maxRecordBytes)
	if err != nil || isForm {
		return body, done, err
	}
	var fields map[string]*json.RawMessage
	if err := rest.DecodeStrict(body, &fields); err != nil {
		done()
		return nil, nil, err
	}
	return body, done, nil
}

func isForm(header http.Header) bool {
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data" && params["boundary"] != "" &&
		len(header.Values("Content-Type")) == 1 && len(header.Values("Content-Encoding")) == 0
}
