package backends_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// club is a schema with something for every method of the client.
func club() object {
	const member, own = "@request.auth.id != ''", "@request.auth.id != '' && author = @request.auth.id"
	return object{"collections": []object{
		{
			"name": "users", "type": "auth", "listRule": member, "viewRule": member, "createRule": "", "updateRule": "id = @request.auth.id", "deleteRule": "id = @request.auth.id",
			"fields": []object{{"name": "name", "type": "text"}}, "otp": object{"enabled": true, "duration": 180, "length": 8},
		},
		{"name": "tags", "listRule": "", "viewRule": "", "createRule": member, "updateRule": member, "deleteRule": member, "fields": []object{{"name": "name", "type": "text"}}},
		{"name": "posts", "listRule": "", "viewRule": "", "createRule": own, "updateRule": own, "deleteRule": own, "fields": []object{
			{"name": "title", "type": "text", "required": true},
			{"name": "body", "type": "editor"},
			{"name": "stars", "type": "number"},
			{"name": "published", "type": "bool"},
			{"name": "day", "type": "date"},
			{"name": "kind", "type": "select", "values": []string{"news", "sport"}, "maxSelect": 2},
			{"name": "meta", "type": "json"},
			{"name": "contact", "type": "email"},
			{"name": "link", "type": "url"},
			{"name": "place", "type": "geoPoint"},
			{"name": "author", "type": "relation", "collection": "users", "maxSelect": 1, "cascadeDelete": true},
			{"name": "tags", "type": "relation", "collection": "tags", "maxSelect": 9},
			{"name": "cover", "type": "file", "maxSelect": 1, "mimeTypes": []string{"image/png"}, "thumbs": []string{"10x10"}},
			{"name": "created", "type": "autodate", "onCreate": true},
		}},
		{"name": "drafts", "listRule": own, "viewRule": own, "createRule": own, "updateRule": own, "fields": []object{
			{"name": "author", "type": "relation", "collection": "users", "maxSelect": 1, "cascadeDelete": true},
			{"name": "papers", "type": "file", "maxSelect": 9, "protected": true},
		}},
		{"name": "comments", "listRule": member, "viewRule": member, "createRule": member, "fields": []object{
			{"name": "words", "type": "text"}, {"name": "post", "type": "relation", "collection": "posts", "maxSelect": 1, "cascadeDelete": true},
		}},
		{"name": "totals", "type": "view", "listRule": "", "viewRule": "", "viewQuery": "SELECT posts.id, posts.title, COUNT(comments.id) AS comments FROM posts LEFT JOIN comments ON comments.post = posts.id GROUP BY posts.id"},
	}}
}

// TestTheStockClientWorks calls the documented methods of the client that applications use,
// against the preview of a project and its site.
func TestTheStockClientWorks(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t))
	site := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	b := &book{site.SignUp().Create(storytest.Template)}
	b.save(core.BackendSchemaPath, club())
	b.ProveIn(filepath.Join(service.Dir, "outbox")) // or the site sends no mails
	packages := stockClient(t)
	for name, run := range map[string]struct {
		host  string
		mails func(to string) []string
	}{
		"preview": {b.Preview(b.Caller), b.testMails},
		"site":    {b.publishOpen(), func(to string) []string { return site.OutboxIn(filepath.Join(service.Dir, "outbox"), to) }},
	} {
		t.Run(name, func(t *testing.T) {
			mails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write([]byte(strings.Join(run.mails(r.URL.Query().Get("to")), "\n")))
			}))
			defer mails.Close()
			runClient(t, packages, "client.mjs", "HOST="+run.host, "MAILS="+mails.URL)
		})
	}
}

// publishOpen publishes in spite of the findings.
func (b *book) publishOpen() string {
	b.T.Helper()
	var check struct{ Findings []core.Finding }
	b.Must(http.StatusOK, http.MethodPost, b.Path("/backend/check"), nil, &check)
	var accepted []core.ID
	for _, finding := range check.Findings {
		accepted = append(accepted, finding.ID)
	}
	return b.publish(storytest.Fields{"acceptFindings": accepted})
}

// testMails returns the mails to a user of test data, the oldest first.
func (b *book) testMails(to string) (texts []string) {
	b.T.Helper()
	var found struct{ Items []core.TestMail }
	b.Must(http.StatusOK, http.MethodGet, b.Path("/backend/test/mails"), nil, &found)
	for _, mail := range slices.Backward(found.Items) {
		if mail.To == to {
			texts = append(texts, mail.Text)
		}
	}
	return texts
}

// stockClient installs the client of PocketBase's authors, and what its README asks for in
// Node.js. It returns a directory with its packages.
func stockClient(t *testing.T) string {
	t.Helper()
	resolver, err := npm.New(npm.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	set, err := resolver.Install(t.Context(), map[string]string{"pocketbase": "0.28.1", "eventsource": "4.1.1"})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(set.Dir, "node_modules")
}

// runClient runs a script in testdata beside the stock client.
func runClient(t *testing.T, packages, script string, env ...string) {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join("testdata", script))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, script), source, 0o600)
	}
	if err == nil {
		err = os.Symlink(packages, filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", filepath.Join(dir, script))
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, out)
	}
	t.Logf("%s", out)
}
