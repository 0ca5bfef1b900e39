package attacks_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/conformance"
)

// state sums all that the service keeps: every row of its database and every file
// of its projects and sites.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "atelier.db")+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, table := range rowsOf(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
		sums[table] = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(rowsOf(t, db, `SELECT * FROM "`+table+`"`), "\n"))))
	}
	for _, folder := range []string{"projects", "sites"} {
		files := os.DirFS(filepath.Join(dir, folder))
		err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			switch {
			case folder == "sites" && name == ".atelier":
				// Compressed forms of published files are made in the background.
				return fs.SkipDir
			case err != nil || entry.IsDir():
				return err
			}
			content, err := fs.ReadFile(files, name)
			sums[folder+"/"+name] = fmt.Sprintf("%x", sha256.Sum256(content))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

// rowsOf returns the rows of a query as texts, sorted.
func rowsOf(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for rows.Next() {
		fields, pointers := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range fields {
			pointers[i] = &fields[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		var line []string
		for _, field := range fields {
			line = append(line, string(field))
		}
		texts = append(texts, strings.Join(line, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(texts)
	return texts
}

// differences names what is not the same in two states.
func differences(before, after map[string]string) []string {
	var names []string
	for name, sum := range after {
		if before[name] != sum {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, left := after[name]; !left {
			names = append(names, name+" (gone)")
		}
	}
	slices.Sort(names)
	return names
}

// victim is the owner of a stage with every record that a route can name. Its browser
// sends the session's cookies.
func victim(t *testing.T, dir string) (*stage, []line) {
	t.Helper()
	s := newCast(storytest.Serve(t, dir, local.New, nil)).home(core.VisibilityPublic)
	var table []line
	for _, route := range s.App.Routes() {
		if missing(route) != nil {
			continue
		}
		table = append(table, route)
		for _, beginning := range beginnings(route.Pattern()) {
			s.record(beginning)
		}
	}
	s.stopWebhook()
	return s, table
}

// stopWebhook disables the webhook and waits until nothing is tried any more: each attempt changes
// the database.
func (s *stage) stopWebhook() {
	s.T.Helper()
	path := "/workspaces/" + s.record("/workspaces/:wid") + "/webhooks/" + s.record("/workspaces/:wid/webhooks/:id")
	s.owner.Must(http.StatusOK, http.MethodPatch, path, storytest.Fields{"disabled": true}, nil)
	pending := func(delivery webhooks.Delivery) bool { return delivery.State == core.DeliveryPending }
	if !conformance.Becomes(func() bool {
		var page struct{ Items []webhooks.Delivery }
		s.owner.Must(http.StatusOK, http.MethodGet, path+"/deliveries", nil, &page)
		return !slices.ContainsFunc(page.Items, pending)
	}) {
		s.T.Fatal("got deliveries under way, want them over")
	}
}

// browse sends a request like a page in the victim's browser: with the cookies and the
// browser's request headers.
func (s *stage) browse(t *testing.T, method, path string, body io.Reader, header map[string]string) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", "app_access_token="+s.owner.Token)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// TestCSRFByFormsAndScriptsOfForeignPages sends what pages of other origins may send
// without a preflight: forms of every kind, and scripts that ignore the answer.
func TestCSRFByFormsAndScriptsOfForeignPages(t *testing.T) {
	dir := t.TempDir()
	s, table := victim(t, dir)
	pages := map[string]map[string]string{
		"a foreign page":            {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
		"a published site":          {"Origin": strings.Replace(s.URL, "localhost", "site.localhost", 1), "Sec-Fetch-Site": "same-site"},
		"a sibling by its site":     {"Sec-Fetch-Site": "same-site"},
		"a sandboxed frame":         {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
		"a page without metadata":   {"Origin": "https://evil.example"},
		"a page on another port":    {"Origin": "http://localhost:1"},
		"a page that looks alike":   {"Origin": s.URL + ".evil.example"},
		"a page that says it is us": {"Origin": s.URL, "Sec-Fetch-Site": "cross-site"},
	}
	before := state(t, dir)
	for _, route := range table {
		if route.Method() == http.MethodGet {
			continue
		}
		path := fill(route.Pattern(), s.record)
		for page, header := range pages {
			for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json", ""} {
				header["Content-Type"] = kind
				if got := s.browse(t, route.Method(), path, strings.NewReader(`{"name":"x"}`), header); got != http.StatusForbidden {
					t.Errorf("%s by %s as %q: got %d, want 403", nameOf(route), page, kind, got)
				}
			}
		}
	}
	if changed := differences(before, state(t, dir)); len(changed) > 0 {
		t.Errorf("got %q changed, want nothing", changed)
	}
}

// TestCSRFBySafeMethods has a foreign page follow every link: GET and HEAD are
// sent with the cookies from everywhere, so they change nothing.
func TestCSRFBySafeMethods(t *testing.T) {
	dir := t.TempDir()
	s, table := victim(t, dir)
	paths := map[string]string{}
	for _, route := range table {
		if route.Method() != http.MethodGet {
			continue
		}
		paths[nameOf(route)] = fill(route.Pattern(), s.record)
		if search := queries()[nameOf(route)]; search != nil {
			paths[nameOf(route)] += search(s)
		}
	}
	before := state(t, dir)
	for name, path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			s.browse(t, method, path, nil, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})
		}
		after := state(t, dir)
		changed := differences(before, after)
		// An export is worth an entry in the log, even if a hostile page made the browser
		// ask for it.
		if name == "GET /projects/:projectId/export" || name == "GET /auth/me/export" {
			changed = slices.DeleteFunc(changed, func(table string) bool { return table == "audit_entries" })
		}
		if len(changed) > 0 {
			t.Errorf("%s: got %q changed, want nothing", name, changed)
		}
		before = after
	}
}

// TestCSRFByMethodsInDisguise covers the ways in which some frameworks let a form
// pass for another method.
func TestCSRFByMethodsInDisguise(t *testing.T) {
	dir := t.TempDir()
	s, _ := victim(t, dir)
	before := state(t, dir)
	for name, value := range map[string]string{"X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE", "X-Method-Override": "DELETE"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			s.browse(t, method, s.project(), nil, map[string]string{name: value})
			s.browse(t, method, s.project()+"?_method=DELETE", nil, nil)
		}
	}
	if changed := differences(before, state(t, dir)); len(changed) > 0 {
		t.Errorf("got %q changed, want nothing", changed)
	}
}

// TestLoginCSRFByAForm has a foreign page try to sign the victim in as somebody else.
func TestLoginCSRFByAForm(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	eve := s.SignUp()
	body := `{"email":"` + eve.User.Email + `","password":"long enough"}`
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/auth/login", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", kind)
		request.Header.Set("Origin", "https://evil.example")
		response, err := s.Client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnsupportedMediaType || len(response.Cookies()) > 0 {
			t.Errorf("as %q: got %d with the cookies %v, want 415 without any", kind, response.StatusCode, response.Cookies())
		}
	}
}
