package instance

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/publish"
)

// ListTakedowns answers GET /admin/takedowns.
func ListTakedowns(takedowns *publish.Takedowns) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		found, err := takedowns.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	}
}

// TakeDown answers POST /admin/takedowns.
func TakeDown(takedowns *publish.Takedowns) rest.Handler {
	type request struct {
		Slug   string `json:"slug"`
		Reason string `json:"reason"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		taken, err := takedowns.TakeDown(r.Context(), r.Actor, body.Slug, body.Reason)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, taken)
	}
}

// LiftTakedown answers DELETE /admin/takedowns/:id.
func LiftTakedown(takedowns *publish.Takedowns) rest.Handler {
	return rest.NothingByID("id", takedowns.Lift)
}
