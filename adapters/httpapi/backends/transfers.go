package backends

import (
	"mime"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
)

// formats maps the types of bodies to the forms of files.
var formats = map[string]backends.Format{"application/json": backends.FormatJSON, "text/csv": backends.FormatCSV}

// readFormat returns the form that a query names, else the fallback.
func readFormat(query rest.Query, fallback backends.Format) (backends.Format, error) {
	text, present := query["format"]
	switch format := backends.Format(text); {
	case !present:
		return fallback, nil
	case format == backends.FormatJSON, format == backends.FormatCSV:
		return format, nil
	}
	return "", core.Errorf(core.CodeValidationFailed, "format must be json or csv")
}

// Import answers POST /projects/:projectId/backend/:env/collections/:name/import.
func Import(service *backends.Service, uploads *rest.Uploads) rest.Handler {
	type answer struct {
		Imported int `json:"imported"`
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
		content, done, err := uploads.Read(r, backends.MaxImportBytes)
		if err != nil {
			return err
		}
		defer done()
		imported, err := service.Import(r.Context(), r.Actor, at, r.Param("name"), format, content)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer{imported})
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
		format, err := readFormat(query, backends.FormatJSON)
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
		if format == backends.FormatCSV {
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
