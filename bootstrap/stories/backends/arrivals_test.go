package backends_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestASchemaFileMayArriveInAnyWay: by a push and in an archive it declares a backend as a saved one
// does, and brings the types along.
func TestASchemaFileMayArriveInAnyWay(t *testing.T) {
	t.Parallel()
	caller := started(t).SignUp()
	seed := `{"entries": [{"text": "from the seed"}]}`
	schema := `{"collections": [{"name": "entries", "listRule": "", "viewRule": "", "fields": [{"name": "text", "type": "text"}]}]}`
	wider := strings.Replace(schema, `"fields": [`, `"fields": [{"name": "likes", "type": "number"}, `, 1)

	pushed := &book{caller.Create(storytest.Template)}
	clone := pushed.clone()
	pushed.push(clone, core.BackendSeedPath, seed, core.BackendSchemaPath, schema)
	pushed.wantDeclared("", "text: string;")
	pushed.push(clone, core.BackendSchemaPath, wider)
	pushed.wantDeclared("0", "likes: number;")
	pushed.push(clone, core.BackendSchemaPath, "{")
	if state := pushed.status(); len(state.Diagnostics) != 1 || state.Diagnostics[0].Path != core.BackendSchemaPath {
		t.Errorf("got %+v, want what is wrong with the pushed file", state.Diagnostics)
	}
	pushed.wantDeclared("0", "likes: number;")

	imported := &book{&storytest.Work{Caller: caller}}
	form := storytest.ImportForm(t, "Arrived", storytest.Zipped(t, "index.html", "<!doctype html><title>x</title>", core.BackendSeedPath, seed, core.BackendSchemaPath, wider))
	caller.Must(http.StatusCreated, http.MethodPost, caller.ImportPath(), form, &imported.Project)
	imported.wantDeclared("0", "likes: number;")
}

// clone clones the project with the stock client, and returns the directory.
func (b *book) clone() string {
	b.T.Helper()
	var token struct{ Token string }
	b.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", object{"name": "git", "scopes": []core.Scope{core.ScopeProjectsRead, core.ScopeFilesWrite}}, &token)
	dir := filepath.Join(b.T.TempDir(), "clone")
	b.git("/", "clone", "-q", b.GitURL(token.Token), dir)
	return dir
}

func (b *book) git(dir string, args ...string) {
	b.T.Helper()
	if out, err := storytest.StockGit(dir, args...); err != nil {
		b.T.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

// push pushes files, which are given as pairs.
func (b *book) push(clone string, pairs ...string) {
	b.T.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		path := filepath.Join(clone, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.T.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o644); err != nil {
			b.T.Fatal(err)
		}
	}
	b.git(clone, "add", "-A", "-f")
	b.git(clone, "commit", "-q", "-m", "A push")
	// The types that the service has written since the last push do not make it refuse this one.
	b.git(clone, "push", "-q", "origin", "main")
}

// wantDeclared checks that the preview has the seed with a number of likes, "" for no such field, and
// the project the types.
func (b *book) wantDeclared(likes, types string) {
	b.T.Helper()
	got := b.entries(b.Preview(b.Caller))
	if len(got) != 1 || got[0]["text"] != "from the seed" || (likes == "") != (got[0]["likes"] == nil) {
		b.T.Errorf("got %v, want the entry of the seed, with likes: %q", got, likes)
	}
	if text := b.Files()[core.BackendTypesPath]; !strings.Contains(text, types) {
		b.T.Errorf("got the types %q, want %q in them", text, types)
	}
}

// TestASessionOutlivesThePreviewsAddress: the address changes with the members, and end users of test
// data stay who they are.
func TestASessionOutlivesThePreviewsAddress(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	before := b.Preview(b.Caller)
	bob, session := b.signUp(before, "bob@example.com")
	b.Must(http.StatusNoContent, http.MethodDelete, b.Path("/preview"), nil, nil)
	after := b.Preview(b.Caller)
	if before == after {
		t.Fatal("got the address from before, want another one")
	}
	if status, answer := b.page(after, http.MethodPost, "collections/users/auth-refresh", session, nil); status != http.StatusOK {
		t.Errorf("got %d %v for the session, want it as good as before", status, answer)
	}
	if status, answer := b.page(after, http.MethodPost, "collections/entries/records", session, object{"text": "still me", "author": bob}); status != http.StatusOK {
		t.Errorf("got %d %v, want Bob's entry", status, answer)
	}
	if status, _ := b.page(before, http.MethodGet, "collections/entries/records", session, nil); status != http.StatusNotFound {
		t.Errorf("got %d from the old address, want 404", status)
	}
}
