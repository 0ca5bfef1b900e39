package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// listInvites answers GET /workspaces/:wid/invites.
func listInvites(invites *workspaces.Invites) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		items, err := invites.List(r.Context(), r.Actor, workspace)
		if err != nil {
			return err
		}
		return writeItems(w, items)
	}
}

// createInvite answers POST /workspaces/:wid/invites. The link goes by mail alone.
func createInvite(invites *workspaces.Invites) Handler {
	type request struct {
		Email string `json:"email"`
		Role  string `json:"role"`
	}
	return func(w http.ResponseWriter, r *Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		role, err := core.ParseRole(body.Role)
		if err != nil {
			return err
		}
		invite, err := invites.Create(r.Context(), r.Actor, workspace, body.Email, role)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusCreated, invite)
	}
}

// deleteInvite answers DELETE /workspaces/:wid/invites/:inviteId.
func deleteInvite(invites *workspaces.Invites) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		id, err := r.ID("inviteId")
		if err != nil {
			return err
		}
		if err := invites.Delete(r.Context(), r.Actor, workspace, id); err != nil {
			return err
		}
		return writeNothing(w)
	}
}

// acceptInvite answers POST /invites/:token/accept.
func acceptInvite(invites *workspaces.Invites) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		space, err := invites.Accept(r.Context(), r.Actor, r.Param("token"))
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, space)
	}
}
