package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/streams"
)

// bounded lets handle answer with a stream if budget has a place for the caller.
func bounded(budget *streams.Budget, handle rest.Handler) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		done, err := budget.Open(r.Actor.UserID)
		if err != nil {
			return err
		}
		defer done()
		return handle(w, r)
	}
}
