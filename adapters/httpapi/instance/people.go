package instance

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
)

// maxQueryChars bounds the text that lists are searched by.
const maxQueryChars = 200

// searched reads q and the page of a list.
func searched(r *rest.Request, cursors rest.Cursors, list string) (text string, page core.Page, err error) {
	query, err := r.Query()
	if err != nil {
		return "", core.Page{}, err
	}
	text = query["q"]
	if utf8.RuneCountInString(text) > maxQueryChars || !utf8.ValidString(text) {
		return "", core.Page{}, core.Errorf(core.CodeValidationFailed, "q must have at most %d characters", maxQueryChars)
	}
	page, err = cursors.Page(list, query)
	return text, page, err
}

// ListPeople answers GET /admin/users.
func ListPeople(people *instance.People, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		const list = "people of the installation"
		text, page, err := searched(r, cursors, list)
		if err != nil {
			return err
		}
		limit := page.Limit
		page.Limit++
		found, err := people.List(r.Context(), r.Actor, text, page)
		if err != nil {
			return err
		}
		next := ""
		if len(found) > limit {
			found = found[:limit]
			next = cursors.Position(list, core.Position{CreatedAt: found[limit-1].CreatedAt, ID: found[limit-1].ID})
		}
		return rest.WritePage(w, found, next)
	}
}

// UpdatePerson answers PATCH /admin/users/:uid.
func UpdatePerson(people *instance.People) rest.Handler {
	type request struct {
		Disabled *bool `json:"disabled,omitempty"`
		Admin    *bool `json:"admin,omitempty"`
	}
	return rest.WithBody("uid", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		account, err := people.Update(r.Context(), r.Actor, id, instance.PersonChange(body))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, account)
	})
}

// DeletePerson answers DELETE /admin/users/:uid.
func DeletePerson(people *instance.People) rest.Handler {
	return rest.NothingByID("uid", people.Delete)
}

// SignOutPerson answers POST /admin/users/:uid/sign-out.
func SignOutPerson(people *instance.People) rest.Handler {
	return rest.NothingByID("uid", people.SignOut)
}

// ResetMFA answers POST /admin/users/:uid/reset-mfa.
func ResetMFA(people *instance.People) rest.Handler {
	return rest.NothingByID("uid", people.ResetFactor)
}

// ListInvites answers GET /admin/invites.
func ListInvites(invites *instance.Invites) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		found, err := invites.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	}
}

// CreateInvite answers POST /admin/invites. Only this answer has the link to pass on.
func CreateInvite(invites *instance.Invites, app *url.URL) rest.Handler {
	type request struct {
		Email string `json:"email"`
	}
	type answer struct {
		core.InstanceInvite
		Link string `json:"link"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		invite, secret, err := invites.Create(r.Context(), r.Actor, body.Email)
		if err != nil {
			return err
		}
		link := app.JoinPath("signup")
		link.RawQuery = url.Values{"invite": {secret}, "email": {invite.Email}}.Encode()
		return rest.WriteJSON(w, http.StatusCreated, answer{invite, link.String()})
	}
}

// DeleteInvite answers DELETE /admin/invites/:id.
func DeleteInvite(invites *instance.Invites) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		if err := invites.Delete(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
