package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/siteaccess"
	"github.com/atelierhq/atelier/core/visits"
)

// GetSite answers GET /projects/:projectId/site.
func GetSite(settings *publish.Settings) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, settings.Of)
}

// ChangeSite answers PATCH /projects/:projectId/site.
func ChangeSite(settings *publish.Settings) rest.Handler {
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body publish.SettingsChange) error {
		changed, err := settings.Change(r.Context(), r.Actor, project, body)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, changed)
	})
}

// PassToSite answers POST /projects/:projectId/site/pass with the address that leads the caller's
// browser into the site. The body is optional.
func PassToSite(guard *siteaccess.Guard) rest.Handler {
	type request struct {
		To string `json:"to,omitempty"`
	}
	type answer struct {
		URL string `json:"url"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var body request
		if r.HasBody() {
			if err := r.Decode(&body); err != nil {
				return err
			}
		}
		address, err := guard.Pass(r.Context(), r.Actor, project, body.To)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer{address})
	}
}

// ListVisits answers GET /projects/:projectId/site/visits.
func ListVisits(counter *visits.Counter) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		days, err := query.Int("days", visits.DefaultDays, 1, visits.MaxDays)
		if err != nil {
			return err
		}
		report, err := counter.Report(r.Context(), r.Actor, project, days)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, report)
	}
}
