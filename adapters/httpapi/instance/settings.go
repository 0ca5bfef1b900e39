package instance

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
)

// GetSettings answers GET /admin/settings.
func GetSettings(settings *instance.Settings) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		view, err := settings.Get(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, view)
	}
}

// UpdateSettings answers PATCH /admin/settings.
func UpdateSettings(settings *instance.Settings) rest.Handler {
	type request struct {
		Signup        *core.SignupPolicy     `json:"signup,omitempty"`
		SignupDomains *[]string              `json:"signupDomains,omitempty"`
		CreditLimit   rest.Optional[float64] `json:"defaultCreditLimit,omitempty"`
		Announcement  *string                `json:"announcement,omitempty"`
		RequireMFA    *bool                  `json:"requireMfa,omitempty"`

		RequireVerifiedEmail *bool                     `json:"requireVerifiedEmail,omitempty"`
		PasswordSignIn       *bool                     `json:"passwordSignIn,omitempty"`
		Quotas               map[core.QuotaName]*int64 `json:"quotas,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		view, err := settings.Update(r.Context(), r.Actor, instance.Change{
			Signup: body.Signup, SignupDomains: body.SignupDomains, CreditLimit: body.CreditLimit.OrAbsent(), Announcement: body.Announcement,
			RequireMFA: body.RequireMFA, RequireVerifiedEmail: body.RequireVerifiedEmail, PasswordSignIn: body.PasswordSignIn,
			Quotas: body.Quotas,
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, view)
	}
}
