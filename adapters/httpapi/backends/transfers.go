package backends

import (
	"mime"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/backends/recordfile"
)

// formats maps the types of bodies to the forms of files.
var formats = map[string]recordfile.Format{"application/json": recordfile.JSON, "text/csv": recordfile.CSV}

// readFormat returns the form that a query names, else the fallback.
func readFormat(query rest.Query, fallback recordfile.Format) (recordfile.Format, error) {
	text, present := query["format"]
	switch format := recordfile.Format(text); {
	case !present:
		return fallback, nil
	case format == recordfile.JSON, format == recordfile.CSV:
		return format, nil
	}
	return "", core.Errorf(core.CodeValidationFailed, "format must be json or csv")
}

// Import answers POST /projects/:projectId/backend/:env/collections/:name/import.
func Import(service *backends.Service, uploads *rest.Uploads) rest.Handler {
	type answer struct {
		Imported int `json:"imported"`
		Updated  int `json:"updated"`
		NewIDs   int `json:"newIds"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		format, err := readFormat(query, formats[kind])
		if err != nil {
			return err
		}
		if err := service.MayChange(r.Context(), r.Actor, at); err != nil {
			return err
		}
		if format == "" || len(r.Header.Values("Content-Encoding")) > 0 {
			return core.Errorf(core.CodeUnsupportedMediaType, "the body must be text/csv or application/json, without Content-Encoding")
		}
		content, done, err := uploads.Read(r, recordfile.MaxBytes)
		if err != nil {
			return err
		}
		defer done()
		did, err := service.Import(r.Context(), r.Actor, at, r.Param("name"), format, content)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer{did.Records, did.Updated, did.NewIDs})
	}
}

// Export answers GET /projects/:projectId/backend/:env/collections/:name/export. The file is
// streamed.
func Export(service *backends.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		format, err := readFormat(query, recordfile.JSON)
		if err != nil {
			return err
		}
		export, err := service.Export(r.Context(), r.Actor, at, r.Param("name"), format)
		if err != nil {
			return err
		}
		// The name of a collection needs no escaping in a header.
		w.Header().Set("Content-Disposition", `attachment; filename="`+export.Name+`"`)
		w.Header().Set("Content-Type", "application/json")
		if format == recordfile.CSV {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		}
		if r.Method == http.MethodHead {
			return nil
		}
		err = export.Write(r.Context(), rest.PacedWriter{ResponseWriter: w, Control: r.Control()})
		_ = r.Control().SetWriteDeadline(time.Time{})
		if gone := r.Context().Err(); gone != nil {
			return gone
		}
		return err
	}
}
