package backends

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/backends/signins"
)

// ListSignIns answers GET /projects/:projectId/backend/:env/providers.
func ListSignIns(service *signins.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		found, err := service.List(r.Context(), r.Actor, at)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, found)
	}
}

// PutSignIn answers PUT /projects/:projectId/backend/:env/providers/:name with the provider.
func PutSignIn(service *signins.Service) rest.Handler {
	type request struct {
		ClientID     string            `json:"clientId"`
		ClientSecret *string           `json:"clientSecret,omitempty"`
		AppleKey     *signins.AppleKey `json:"appleKey,omitempty"`
		DisplayName  string            `json:"displayName,omitempty"`
		AuthURL      string            `json:"authURL,omitempty"`
		TokenURL     string            `json:"tokenURL,omitempty"`
		UserInfoURL  string            `json:"userInfoURL,omitempty"`
		PKCE         *bool             `json:"pkce,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		stored, err := service.Put(r.Context(), r.Actor, at, r.Param("name"), signins.Input(body))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, stored)
	}
}

// DeleteSignIn answers DELETE /projects/:projectId/backend/:env/providers/:name.
func DeleteSignIn(service *signins.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		if err := service.Delete(r.Context(), r.Actor, at, r.Param("name")); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
