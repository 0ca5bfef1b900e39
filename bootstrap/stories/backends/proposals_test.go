package backends_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// proposal is the answer to SQL.
type proposal struct {
	Schema       string
	Added, Notes []string
}

// TestTablesOfSupabaseBecomeCollections keeps what is proposed for the migrations of a project, and
// meets in the preview what its policies said.
func TestTablesOfSupabaseBecomeCollections(t *testing.T) {
	t.Parallel()
	b := &book{started(t).SignUp().Create(storytest.Template)}
	sql, err := os.ReadFile(filepath.Join("..", "..", "..", "core", "backends", "pgschema", "testdata", "lovable.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var made proposal
	b.Must(http.StatusOK, http.MethodPost, b.Path("/backend/proposal"), object{"sql": string(sql)}, &made)
	if want := []string{"users", "profiles", "todos", "user_roles"}; !reflect.DeepEqual(made.Added, want) || len(made.Notes) == 0 {
		t.Fatalf("got %+v, want %q with notes", made, want)
	}
	b.Put(core.BackendSchemaPath, made.Schema)
	if state := b.status(); len(state.Diagnostics) > 0 || state.Environments.Test == nil {
		t.Fatalf("got %+v, want the schema in force", state)
	}
	host := b.Preview(b.Caller)
	ann, annToken := b.signUp(host, "ann@example.com")
	bob, bobToken := b.signUp(host, "bob@example.com")
	const todos = "collections/todos/records"
	if status, answer := b.page(host, http.MethodPost, todos, bobToken, object{"title": "For Ann", "user_id": ann}); status != http.StatusBadRequest {
		t.Errorf("got %d %v, want nobody to write for others", status, answer)
	}
	status, todo := b.page(host, http.MethodPost, todos, annToken, object{"title": "Mine", "user_id": ann, "status": "open", "tags": []string{"a"}})
	if status != http.StatusOK {
		t.Fatalf("got %d %v, want it created", status, todo)
	}
	one := todos + "/" + todo["id"].(string)
	for _, row := range []struct {
		method, token string
		body          object
		want          int
	}{
		{http.MethodGet, bobToken, nil, http.StatusNotFound},
		{http.MethodGet, "", nil, http.StatusNotFound},
		{http.MethodPatch, bobToken, object{"title": "Bob's"}, http.StatusNotFound},
		{http.MethodPatch, annToken, object{"user_id": bob}, http.StatusNotFound},
		{http.MethodPatch, annToken, object{"title": "Still mine", "user_id": ann}, http.StatusOK},
		{http.MethodGet, annToken, nil, http.StatusOK},
	} {
		if status, answer := b.page(host, row.method, one, row.token, row.body); status != row.want {
			t.Errorf("%s %v: got %d %v, want %d", row.method, row.body, status, answer, row.want)
		}
	}
	if status, answer := b.page(host, http.MethodPost, "collections/profiles/records", annToken, object{"id": ann, "display_name": "Ann"}); status != http.StatusOK {
		t.Errorf("got %d %v, want a profile with the id of its user", status, answer)
	}
}

func TestAProposalSavesNothingAndKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := &book{started(t).SignUp().Create(storytest.Template)}
	path := b.Path("/backend/proposal")
	b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, path, object{"sql": "SELECT 1"})
	b.Refused(http.StatusBadRequest, core.CodeInvalidRequest, http.MethodPost, path, object{})
	b.Refused(http.StatusRequestEntityTooLarge, core.CodePayloadTooLarge, http.MethodPost, path, object{"sql": strings.Repeat("-", 1<<20)})
	b.save(core.BackendSchemaPath, guestbook(text))
	before := b.Files()[core.BackendSchemaPath]
	var made proposal
	b.Must(http.StatusOK, http.MethodPost, path, object{"sql": "CREATE TABLE entries (id int); CREATE TABLE likes (id int, entry int REFERENCES entries)"}, &made)
	var schema struct{ Collections []struct{ Name string } }
	if err := json.Unmarshal([]byte(made.Schema), &schema); err != nil || len(schema.Collections) != 3 || schema.Collections[2].Name != "likes" || !reflect.DeepEqual(made.Added, []string{"likes"}) {
		t.Errorf("got %+v, %v, want the likes behind what is there", made, err)
	}
	if b.Files()[core.BackendSchemaPath] != before {
		t.Error("got it saved, want it proposed only")
	}
	b.Put(core.BackendSchemaPath, "{")
	b.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, object{"sql": "CREATE TABLE a (id int)"})
}
