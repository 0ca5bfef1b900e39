package backends_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// started returns the binary's service, which keeps data in a worker process. env adds settings.
func started(t *testing.T, env ...string) *storytest.Site {
	t.Helper()
	service := process.Start(t, process.Build(t), env...)
	return &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
}

// object is a JSON object.
type object = map[string]any

// guestbook is a schema with users who write entries of their own. more are fields of entries.
func guestbook(more ...object) object {
	fields := []object{{"name": "author", "type": "relation", "collection": "users", "maxSelect": 1}}
	return object{"collections": []object{
		{"name": "users", "type": "auth", "listRule": "", "viewRule": "", "createRule": "", "updateRule": "id = @request.auth.id"},
		{
			"name": "entries", "listRule": "", "viewRule": "", "createRule": "@request.auth.id != '' && author = @request.auth.id",
			"updateRule": "@request.auth.id != '' && author = @request.auth.id", "deleteRule": "@request.auth.id != '' && author = @request.auth.id", "fields": append(fields, more...),
		},
	}}
}

var text, likes = object{"name": "text", "type": "text", "required": true, "max": 200}, object{"name": "likes", "type": "number"}

// book is a project with a backend.
type book struct{ *storytest.Work }

// newBook makes a project with the guestbook, and one entry in its seed.
func newBook(c *storytest.Caller) *book {
	b := &book{c.Create(storytest.Template)}
	b.save(core.BackendSeedPath, object{
		"users":   []object{{"id": "anna", "email": "anna@example.com", "password": "correct horse 1", "verified": true}},
		"entries": []object{{"text": "from the seed", "author": "anna"}},
	})
	b.save(core.BackendSchemaPath, guestbook(text))
	return b
}

func (b *book) save(path string, content any) {
	b.T.Helper()
	written, err := json.Marshal(content)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Put(path, string(written))
}

// of returns a path below a collection's in an environment.
func (b *book) of(env core.DataEnv, collection, rest string) string {
	return b.Path(filepath.Join("/backend", string(env), "collections", collection, rest))
}

// page asks a host as a page of the application does. token is a session of an end user.
func (b *book) page(host, method, path, token string, body any) (int, object) {
	b.T.Helper()
	return b.at(host+"/_data/", method, path, token, body)
}

// at is page for another address of the interface.
func (b *book) at(address, method, path, token string, body any) (int, object) {
	b.T.Helper()
	got := (&storytest.Caller{Site: b.Site, Token: token}).Do(method, address+path, body)
	var answer object
	_ = json.Unmarshal(got.Body, &answer)
	return got.Status, answer
}

// entries are what guests read on a host.
func (b *book) entries(host string) []object {
	b.T.Helper()
	status, answer := b.page(host, http.MethodGet, "collections/entries/records", "", nil)
	if status != http.StatusOK {
		b.T.Fatalf("got %d %v, want entries", status, answer)
	}
	var all []object
	items, _ := answer["items"].([]any)
	for _, item := range items {
		one, _ := item.(object)
		all = append(all, one)
	}
	return all
}

// userPassword is that of all end users.
const userPassword = "correct horse 2"

// signUp makes an end user on a host, and returns their id and session.
func (b *book) signUp(host, email string) (id, token string) {
	b.T.Helper()
	if status, answer := b.page(host, http.MethodPost, "collections/users/records", "", object{"email": email, "password": userPassword, "passwordConfirm": userPassword}); status != http.StatusOK {
		b.T.Fatalf("got %d %v, want a new user", status, answer)
	}
	status, answer := b.page(host, http.MethodPost, "collections/users/auth-with-password", "", object{"identity": email, "password": userPassword})
	record, _ := answer["record"].(object)
	id, _ = record["id"].(string)
	token, _ = answer["token"].(string)
	if status != http.StatusOK || id == "" || token == "" {
		b.T.Fatalf("got %d %v, want a session", status, answer)
	}
	return id, token
}

// status is the state of the backend.
func (b *book) status() (state struct {
	Enabled      bool
	Diagnostics  []core.Diagnostic
	Environments struct{ Test, Live *environment }
},
) {
	b.T.Helper()
	b.Must(http.StatusOK, http.MethodGet, b.Path("/backend"), nil, &state)
	return state
}

type environment struct {
	Records, Users int
	Pending        *core.SchemaPlan
}

// publish publishes, and returns the address of the site.
func (b *book) publish(request storytest.Fields) string {
	b.T.Helper()
	var published struct{ URL string }
	b.Must(http.StatusOK, http.MethodPost, b.Path("/publish"), request, &published)
	return published.URL
}

// refusedPlan publishes, which has to be refused, and returns the plan.
func (b *book) refusedPlan(request storytest.Fields) core.SchemaPlan {
	b.T.Helper()
	var refusal struct{ Plan *core.SchemaPlan }
	got := b.Refused(http.StatusConflict, core.CodeDataLoss, http.MethodPost, b.Path("/publish"), request)
	if err := json.Unmarshal(got.Body, &refusal); err != nil || refusal.Plan == nil {
		b.T.Fatalf("got %s, want a plan", got.Body)
	}
	return *refusal.Plan
}
