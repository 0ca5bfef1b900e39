package programs

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/programs"
)

// requestOf reads the parameters with which a program sent a person.
func requestOf(r *rest.Request) (programs.Request, error) {
	query, err := r.Query()
	if err != nil {
		return programs.Request{}, err
	}
	return programs.Request{
		ResponseType: query["response_type"], ClientID: query["client_id"], Redirect: query["redirect_uri"], Challenge: query["code_challenge"],
		ChallengeMethod: query["code_challenge_method"], Resource: query["resource"], Scope: query["scope"], State: query["state"],
	}, nil
}

// Ask answers GET /oauth/consent.
func Ask(service *programs.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		asked, err := requestOf(r)
		if err != nil {
			return err
		}
		question, err := service.Ask(r.Context(), r.Actor, asked)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, question)
	}
}

// Answer answers POST /oauth/consent. The address is where the browser returns to the program.
func Answer(service *programs.Service) rest.Handler {
	type request struct {
		Allow  bool     `json:"allow"`
		Scopes []string `json:"scopes,omitempty"`
	}
	type answer struct {
		Redirect string `json:"redirect"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		asked, err := requestOf(r)
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		var back string
		if body.Allow {
			back, err = service.Allow(r.Context(), r.Actor, asked, body.Scopes)
		} else {
			back, err = service.Deny(r.Context(), r.Actor, asked)
		}
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer{back})
	}
}

// List answers GET /auth/programs.
func List(service *programs.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		listed, err := service.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, listed)
	}
}

// Disconnect answers DELETE /auth/programs/:id.
func Disconnect(service *programs.Service) rest.Handler {
	return rest.NothingByID("id", service.Disconnect)
}
