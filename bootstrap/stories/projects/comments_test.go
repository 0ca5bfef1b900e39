package projects_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

type shownComment struct {
	ID, Text, By string
	EditedAt     *core.Time
}

type shownThread struct {
	shownComment
	Page       string
	Element    *core.PageElement
	ResolvedBy *string
	Replies    []shownComment
}

// TestAThreadOfComments has two people talk about an element of a page, a page of threads at a time,
// until one of them leaves and the project goes.
func TestAThreadOfComments(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := storytest.NewCompany(program.Serve(t))
			w := c.Owner.Create(storytest.Template)
			other := c.Member
			c.Owner.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"visibility": "workspace"}, nil)
			element := storytest.Fields{"tag": "h1", "path": "index.html", "line": 9, "column": 5, "selector": "body > h1", "text": "Hello"}
			var thread shownThread
			other.Must(http.StatusCreated, http.MethodPost, w.Path("/comments"), storytest.Fields{"text": "Too large", "page": "/", "width": 390, "element": element}, &thread)
			own := w.Path("/comments/" + thread.ID)
			w.Must(http.StatusCreated, http.MethodPost, own+"/replies", storytest.Fields{"text": "Agreed"}, &thread)
			if thread.Element == nil || thread.Element.Line != 9 || len(thread.Replies) != 1 || thread.By != string(other.User.ID) || thread.Replies[0].By != string(w.User.ID) {
				t.Fatalf("got %+v, want the thread with a reply", thread)
			}
			w.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPatch, own, storytest.Fields{"text": "Fine"})
			other.Must(http.StatusOK, http.MethodPatch, own, storytest.Fields{"text": "Far too large"}, &thread)
			if thread.Text != "Far too large" || thread.EditedAt == nil {
				t.Errorf("got %+v, want the changed text", thread)
			}
			w.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, w.Path("/comments"), storytest.Fields{"text": "x", "page": "about", "width": 1})
			w.Must(http.StatusOK, http.MethodPatch, own, storytest.Fields{"resolved": true}, &thread)
			if thread.ResolvedBy == nil || *thread.ResolvedBy != string(w.User.ID) {
				t.Errorf("got %+v, want it resolved", thread)
			}
			w.Must(http.StatusCreated, http.MethodPost, w.Path("/comments"), storytest.Fields{"text": "The page is empty", "page": "/about", "width": 1440}, nil)
			var page struct {
				Items      []shownThread
				NextCursor *string
			}
			w.Must(http.StatusOK, http.MethodGet, w.Path("/comments?limit=1"), nil, &page)
			if len(page.Items) != 1 || page.Items[0].Page != "/about" || page.NextCursor == nil {
				t.Fatalf("got %+v, want the newest thread and a cursor", page)
			}
			w.Must(http.StatusOK, http.MethodGet, w.Path("/comments?limit=1&cursor="+*page.NextCursor), nil, &page)
			if len(page.Items) != 1 || page.Items[0].ID != thread.ID || page.NextCursor != nil {
				t.Errorf("got %+v, want the oldest thread", page)
			}
			w.Must(http.StatusOK, http.MethodGet, w.Path("/comments?resolved=false"), nil, &page)
			if len(page.Items) != 1 || page.Items[0].Page != "/about" {
				t.Errorf("got %+v, want the open thread", page)
			}
			if export := other.Must(http.StatusOK, http.MethodGet, "/auth/me/export", nil, nil); !bytes.Contains(export.Body, []byte(`"text":"Far too large"`)) {
				t.Errorf("got %s, want the person's comment", export.Body)
			}

			// What somebody wrote who left stays, and admins may delete it.
			c.Owner.Must(http.StatusNoContent, http.MethodDelete, c.Space+"/members/"+string(other.User.ID), nil, nil)
			other.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, w.Path("/comments"), nil)
			w.Must(http.StatusOK, http.MethodGet, w.Path("/comments?resolved=true"), nil, &page)
			if len(page.Items) != 1 || page.Items[0].By != string(other.User.ID) {
				t.Errorf("got %+v, want the thread of somebody who left", page)
			}
			w.Must(http.StatusNoContent, http.MethodDelete, own, nil, nil)
			w.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPatch, own, storytest.Fields{"resolved": true})
		})
	}
}
