package projects

import (
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
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
		export, err := exports.Export(r.Context(), r.Actor, id, query["version"])
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
