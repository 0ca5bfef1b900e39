package workspaces

import (
	"net/http"
	"net/url"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// ListInvites answers GET /workspaces/:wid/invites.
func ListInvites(invites *workspaces.Invites) rest.Handler {
	return rest.ItemsByID("wid", invites.List)
}

// CreateInvite answers POST /workspaces/:wid/invites. Only this answer has the link to
// pass on.
func CreateInvite(invites *workspaces.Invites, app *url.URL) rest.Handler {
	type request struct {
		Email string `json:"email"`
		Role  string `json:"role"`
	}
	type answer struct {
		core.Invite
		Link string `json:"link"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		role, err := core.ParseRole(body.Role)
		if err != nil {
			return err
		}
		invite, secret, err := invites.Create(r.Context(), r.Actor, workspace, body.Email, role)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, answer{invite, inviteLink(app, secret)})
	})
}

// inviteLink returns the address in which the secret of an invite is passed on.
func inviteLink(app *url.URL, secret string) string { return app.JoinPath("invites", secret).String() }

// LinkInvite answers POST /workspaces/:wid/invites/:inviteId/link.
func LinkInvite(invites *workspaces.Invites, app *url.URL) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		id, err := r.ID("inviteId")
		if err != nil {
			return err
		}
		secret, err := invites.Link(r.Context(), r.Actor, workspace, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, map[string]string{"link": inviteLink(app, secret)})
	}
}

// ShowInvite answers GET /invites/:token, for everyone with one of an invite's links.
func ShowInvite(invites *workspaces.Invites) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		invitation, err := invites.Look(r.Context(), r.Param("token"))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, invitation)
	}
}

// DeleteInvite answers DELETE /workspaces/:wid/invites/:inviteId.
func DeleteInvite(invites *workspaces.Invites) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
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
		return rest.WriteNothing(w)
	}
}

// ListOwnInvites answers GET /users/me/invites.
func ListOwnInvites(invites *workspaces.Invites) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		items, err := invites.ListOwn(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, items)
	}
}

// AcceptOwnInvite answers POST /users/me/invites/:id/accept.
func AcceptOwnInvite(invites *workspaces.Invites) rest.Handler {
	return rest.ByID("id", http.StatusOK, invites.AcceptOwn)
}

// DeclineOwnInvite answers DELETE /users/me/invites/:id.
func DeclineOwnInvite(invites *workspaces.Invites) rest.Handler {
	return rest.NothingByID("id", invites.DeclineOwn)
}

// AcceptInvite answers POST /invites/:token/accept.
func AcceptInvite(invites *workspaces.Invites) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		space, err := invites.Accept(r.Context(), r.Actor, r.Param("token"))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, space)
	}
}
