package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core/workspaces"
)

func listWorkspaces(service *workspaces.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		spaces, err := service.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return writeItems(w, spaces)
	}
}

func createWorkspace(service *workspaces.Service) Handler {
	type request struct {
		Name string `json:"name"`
	}
	return func(w http.ResponseWriter, r *Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		space, err := service.Create(r.Context(), r.Actor, body.Name)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusCreated, space)
	}
}

func getWorkspace(service *workspaces.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("wid")
		if err != nil {
			return err
		}
		space, err := service.Get(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, space)
	}
}

func updateWorkspace(service *workspaces.Service) Handler {
	type request struct {
		Name         *string           `json:"name,omitempty"`
		CreditLimit  Optional[float64] `json:"creditLimit,omitempty"`
		CommandHosts *[]string         `json:"commandHosts,omitempty"`
	}
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("wid")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		change := workspaces.Change{Name: body.Name, CommandHosts: body.CommandHosts}
		if body.CreditLimit.Present {
			change.CreditLimit = &body.CreditLimit.Value
		}
		space, err := service.Update(r.Context(), r.Actor, id, change)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, space)
	}
}

func deleteWorkspace(service *workspaces.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("wid")
		if err != nil {
			return err
		}
		if err := service.Delete(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return writeNothing(w)
	}
}
