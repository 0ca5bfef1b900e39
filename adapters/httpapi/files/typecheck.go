package files

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/typecheck"
)

// CheckTypes answers POST /projects/:projectId/typecheck.
func CheckTypes(types *typecheck.Service) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, types.Check)
}
