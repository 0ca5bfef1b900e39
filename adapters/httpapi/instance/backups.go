package instance

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/internal/messages"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/core/health"
)

// GetHealth answers GET /admin/health.
func GetHealth(service *health.Service) rest.Handler {
	type finding struct {
		Name     string        `json:"name"`
		OK       bool          `json:"ok"`
		Text     string        `json:"text"`
		Language core.Language `json:"language"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		found, err := service.Look(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		shown := make([]finding, len(found))
		for i, one := range found {
			shown[i] = finding{Name: one.Name, OK: one.OK}
			shown[i].Text, shown[i].Language = messages.Say(one.Text, r.Actor.Language)
		}
		return rest.WriteItems(w, shown)
	}
}

// ListBackups answers GET /admin/backups.
func ListBackups(service *backups.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		seen, err := service.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		if seen.Last != nil {
			told(r.Actor, seen.Last)
		}
		return rest.WriteJSON(w, http.StatusOK, seen)
	}
}

// told puts a failure into the caller's language.
func told(by core.Actor, run *backups.LastRun) {
	run.Failure, run.FailureLanguage = messages.Say(core.PhraseOf(run.Failure), by.Language)
}

// BeginBackup answers POST /admin/backups. The backup goes on after the answer.
func BeginBackup(service *backups.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		begun, err := service.Begin(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusAccepted, begun)
	}
}
