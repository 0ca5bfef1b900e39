package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// ListMembers answers GET /workspaces/:wid/members.
func ListMembers(members *workspaces.Members) rest.Handler {
	return rest.ItemsByID("wid", members.List)
}

// UpdateMember answers PATCH /workspaces/:wid/members/:userId.
func UpdateMember(members *workspaces.Members) rest.Handler {
	type request struct {
		Role string `json:"role"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, user, err := memberParams(r)
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
		member, err := members.SetRole(r.Context(), r.Actor, workspace, user, role)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, member)
	}
}

// RemoveMember answers DELETE /workspaces/:wid/members/:userId.
func RemoveMember(members *workspaces.Members) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, user, err := memberParams(r)
		if err != nil {
			return err
		}
		if err := members.Remove(r.Context(), r.Actor, workspace, user); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// Transfer answers POST /workspaces/:wid/transfer.
func Transfer(members *workspaces.Members) rest.Handler {
	type request struct {
		UserID string `json:"userId"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		to, err := core.ParseID(body.UserID)
		if err != nil {
			return err
		}
		space, err := members.Transfer(r.Context(), r.Actor, workspace, to)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, space)
	})
}

func memberParams(r *rest.Request) (workspace, user core.ID, err error) {
	if workspace, err = r.ID("wid"); err != nil {
		return "", "", err
	}
	user, err = r.ID("userId")
	return workspace, user, err
}
