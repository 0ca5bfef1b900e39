package projects

import (
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// Export answers GET /projects/:projectId/export. The archive is streamed.
func Export(exports *projects.Exports) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		export, err := prepare(exports, r, id, query)
		if err != nil {
			return err
		}
		// A slug needs no escaping in a header.
		w.Header().Set("Content-Disposition", `attachment; filename="`+export.Name+`"`)
		w.Header().Set("Content-Type", "application/zip")
		w.WriteHeader(http.StatusOK)
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

// prepare prepares an archive with the data that the query asks for.
func prepare(exports *projects.Exports, r *rest.Request, id core.ID, query rest.Query) (*projects.Export, error) {
	data, asked := query["data"]
	if !asked {
		return exports.Export(r.Context(), r.Actor, id, query["version"])
	}
	env, err := core.ParseDataEnv(data)
	if err != nil {
		return nil, core.Errorf(core.CodeValidationFailed, "data must be test or live")
	}
	return exports.ExportWithData(r.Context(), r.Actor, id, query["version"], env)
}
