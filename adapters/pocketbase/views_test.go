package pocketbase_test

import (
	"archive/tar"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// registry is a schema with everything that its views must not show.
func registry(queries ...string) backend.Schema {
	schema := notes()
	open := ""
	hidden := map[string]json.RawMessage{"hidden": json.RawMessage("true")}
	schema.Collections[0].Fields = append(schema.Collections[0].Fields, backend.Field{ID: "memo1", Name: "memo", Type: "text", Options: hidden})
	schema.Collections = append(schema.Collections, backend.Collection{
		ID: "users0000000001", Name: "users", Type: backend.Auth, Rules: backend.Rules{Create: &open},
		Fields: []backend.Field{{ID: "name1", Name: "name", Type: "text"}, {ID: "pin1", Name: "pin", Type: "text", Options: hidden}},
	})
	for i, query := range queries {
		text, _ := json.Marshal(query)
		schema.Collections = append(schema.Collections, backend.Collection{
			ID: fmt.Sprintf("view%011d", i), Name: fmt.Sprintf("view%d", i), Type: backend.View, Rules: backend.Rules{List: &open, View: &open},
			Options: map[string]json.RawMessage{"viewQuery": text},
		})
	}
	return schema
}

// shadyQueries reach for what is hidden: each column, in each expression, in each place of a query.
func shadyQueries() []string {
	var all []string
	expressions := []string{"%s", "(%s || '')", "lower(%s)", "coalesce(NULL, %s)", "hex(%s)", "json_array(%s)", "(SELECT %s)", "(CASE WHEN 1 THEN %s END)", "(max(%s) OVER (ORDER BY id))", "iif(%s > '', %[1]s, 'none')", "substr(%s, 1, 60)"}
	for _, of := range []struct{ table, column string }{{"users", "password"}, {"users", "tokenKey"}, {"users", "email"}, {"users", "pin"}, {"notes", "memo"}} {
		for _, expression := range expressions {
			all = append(all, fmt.Sprintf("SELECT id, "+strings.ReplaceAll(expression, "%s", "%[1]s")+" AS v FROM %[2]s", of.column, of.table))
		}
		for _, form := range []string{
			"SELECT u.id, u.%[1]s AS v FROM %[2]s u",
			"SELECT id, v FROM (SELECT id, %[1]s AS v FROM %[2]s)",
			"WITH c(id, v) AS (SELECT id, %[1]s FROM %[2]s) SELECT id, v FROM c",
			"SELECT (a.id || b.id) AS id, b.%[1]s AS v FROM notes a JOIN %[2]s b ON 1",
			"SELECT id, (SELECT group_concat(%[1]s) FROM %[2]s) AS v FROM notes",
			"SELECT id, v FROM (SELECT id, '' AS v FROM notes WHERE false UNION ALL SELECT id, %[1]s FROM %[2]s)",
			`SELECT "id", "%[1]s" AS v FROM "%[2]s"`,
			"SELECT id, %[1]s AS v FROM '%[2]s'",
			"SELECT id, [%[1]s] AS v FROM [%[2]s]",
			"/* `users` AS /*query*/ SELECT id, %[1]s AS v FROM %[2]s",
			"SELECT id, %[1]s AS v FROM main.%[2]s",
			`SELECT id, %[1]s AS v FROM "main" . "%[2]s"`,
			"SELECT id, %[1]s AS v FROM temp.%[2]s",
			"SELECT id, %[1]s AS v FROM _visible_%[2]s",
			"SELECT id, ('/*query*/ ' || %[1]s) AS v FROM %[2]s",
			"SELECT id, id AS v FROM %[2]s ORDER BY %[1]s",
			"SELECT %[1]s AS id, id AS v FROM %[2]s",
		} {
			all = append(all, fmt.Sprintf(form, of.column, of.table))
		}
	}
	for _, table := range []string{
		"_params", "_collections", "_otps", "_mfas", "_externalAuths", "_authOrigins", "_superusers", "_migrations", "sqlite_master", "sqlite_schema", "sqlite_temp_master",
		"SQLITE_MASTER", "[sqlite_master]", "'sqlite_schema'", "main._params", `"_PARAMS"`, "sqlite_stat1", "sqlite_dbpage", "dbstat", "pragma_database_list", "pragma_table_list", "pragma_table_info('users')", "pragma_module_list",
	} {
		all = append(all,
			"SELECT 1 AS id, t.* FROM "+table+" t", "SELECT id, (SELECT count(*) FROM "+table+") AS v FROM notes",
			"WITH c AS (SELECT * FROM "+table+") SELECT 1 AS id, (SELECT count(*) FROM c) AS v", "SELECT notes.id AS id FROM notes JOIN "+table+" x ON 1")
	}
	return all
}

// TestViewsShowNothingHidden reads views that somebody wrote to get at what is hidden.
func TestViewsShowNothingHidden(t *testing.T) {
	dir := t.TempDir()
	engine := reopenWith(t, pocketbase.Config{Dir: dir, Limits: pocketbase.Limits{Requests: 1e6}})
	place := aPlace(t, engine, registry())
	secrets := plantSecrets(t, engine, dir, place)
	refused, empty := 0, 0
	for _, query := range shadyQueries() {
		err := engine.Apply(t.Context(), place, registry(query))
		problem := new(backend.Problem)
		switch {
		case errors.As(err, &problem):
			refused++
			if problem.Collection != "view0" || problem.Member != "viewQuery" || problem.Message == "" {
				t.Errorf("%s: got the problem %+v, want one of view0's viewQuery", query, *problem)
			}
			continue
		case err != nil:
			t.Fatalf("%s: %v", query, err)
		}
		got := ask(t, engine, place, "GET", "collections/view0/records?perPage=500", "").Body.String()
		for name, secret := range secrets {
			if strings.Contains(strings.ToLower(got), strings.ToLower(secret)) || strings.Contains(got, fmt.Sprintf("%X", secret)) {
				t.Errorf("%s: a guest reads %s", query, name)
			}
		}
		empty++
	}
	if total := len(shadyQueries()); total < 60 || empty == 0 || refused == 0 {
		t.Errorf("of %d queries %d were refused and %d read, want at least 60 of both kinds", total, refused, empty)
	}
}

// plantSecrets makes records and returns what is hidden of them, and of the database.
func plantSecrets(t *testing.T, engine *pocketbase.Engine, dir string, place backend.Place) map[string]string {
	t.Helper()
	for _, user := range []string{
		`{"name":"Anna","email":"hidden-anna@example.com","password":"secret-of-anna","passwordConfirm":"secret-of-anna","emailVisibility":false,"pin":"pin-of-anna-1234"}`,
		`{"name":"Bert","email":"shown-bert@example.com","password":"secret-of-bert","passwordConfirm":"secret-of-bert","emailVisibility":true,"pin":"pin-of-bert-1234"}`,
	} {
		if _, err := engine.Insert(t.Context(), place, "users", backend.Insertion{Records: []json.RawMessage{json.RawMessage(user)}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := engine.Insert(t.Context(), place, "notes", backend.Insertion{Records: []json.RawMessage{json.RawMessage(`{"text":"a note","memo":"memo-nobody-reads"}`)}}); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"a hidden address": "hidden-anna@example.com", "a hidden field": "pin-of-anna-1234", "another hidden field": "memo-nobody-reads"}
	db, err := sql.Open("sqlite", "file:"+dataFile(t, dir)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var hash, key, secret string
	if err := db.QueryRowContext(t.Context(), `SELECT password, tokenKey, (SELECT json_extract(options, '$.authToken.secret') FROM _collections WHERE name = 'users') FROM users LIMIT 1`).Scan(&hash, &key, &secret); err != nil {
		t.Fatal(err)
	}
	secrets["a password's hash"], secrets["a token key"], secrets["a collection's secret"] = hash, key, secret
	return secrets
}

// dataFile returns the one database in a folder.
func dataFile(t *testing.T, dir string) string {
	t.Helper()
	var found string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.Name() == "data.db" {
			found = path
		}
		return nil
	})
	return found
}

// TestADiagnosticNamesTheTableThatAViewMustNotRead says what to do, too.
func TestADiagnosticNamesTheTableThatAViewMustNotRead(t *testing.T) {
	engine := openWith(t, pocketbase.Config{})
	place := backend.Place{Project: core.NewID(), Env: core.DataTest}
	for table, query := range map[string]string{
		"_params": "SELECT id, value AS v FROM _params", "_collections": "SELECT id, (SELECT options FROM _collections) AS v FROM notes", "_otps": "SELECT notes.id AS id FROM notes JOIN _otps o ON 1",
		"sqlite_master": "SELECT name AS id, sql FROM sqlite_master", "pragma_table_list": "SELECT name AS id FROM pragma_table_list", "main": "SELECT id FROM main.users",
	} {
		err := engine.Check(t.Context(), place, registry(query))
		problem := new(backend.Problem)
		if !errors.As(err, &problem) || !strings.Contains(problem.Message, fmt.Sprintf("The view %q reads %q", "view0", table)) || !strings.Contains(problem.Message, "notes, users") {
			t.Errorf("%s: got %v, want a problem that names the view, the table and the collections", query, err)
		}
	}
}

// TestViewsShowWhatIsNotHidden keeps honest views, also while their tables change.
func TestViewsShowWhatIsNotHidden(t *testing.T) {
	dir := t.TempDir()
	engine := reopenWith(t, pocketbase.Config{Dir: dir, Limits: pocketbase.Limits{Requests: 1e6}})
	const people = "SELECT id, name, email AS address FROM users"
	schema := registry(people, "SELECT id, address FROM view0 WHERE address != ''", "SELECT n.id, n.text, json_each.value AS one FROM notes n, json_each('[7]')")
	place := aPlace(t, engine, schema)
	plantSecrets(t, engine, dir, place)
	reads := func() {
		t.Helper()
		wants(t, ask(t, engine, place, "GET", "collections/view0/records?filter=name='Anna'", ""), http.StatusOK, `"address":""`)
		wants(t, ask(t, engine, place, "GET", "collections/view0/records?filter=name='Bert'", ""), http.StatusOK, `"address":"shown-bert@example.com"`)
		wants(t, ask(t, engine, place, "GET", "collections/view1/records", ""), http.StatusOK, `"totalItems":1`)
		wants(t, ask(t, engine, place, "GET", "collections/view2/records", ""), http.StatusOK, `"one":7`)
	}
	reads()
	// The masks name columns, which the next schema drops and renames.
	dropped := registry(people, "SELECT id, address FROM view0 WHERE address != ''", "SELECT n.id, n.text, json_each.value AS one FROM notes n, json_each('[7]')")
	dropped.Collections[1].Fields = dropped.Collections[1].Fields[:1]
	dropped.Collections[0].Fields[1].Name = "remark"
	if err := engine.Apply(t.Context(), place, dropped); err != nil {
		t.Fatal(err)
	}
	reads()
	// A copy has tokens of its own, for which its collections are saved.
	there := place
	there.Copy = core.NewID()
	if err := engine.Copy(t.Context(), place, there); err != nil {
		t.Fatal(err)
	}
	place = there
	reads()
}

// TestAnExportHasTheViewsOfPocketBase writes data that the program pocketbase serves and changes.
func TestAnExportHasTheViewsOfPocketBase(t *testing.T) {
	engine := openWith(t, pocketbase.Config{})
	place := aPlace(t, engine, registry("SELECT id, email AS v FROM users"))
	var archive bytes.Buffer
	if err := engine.Export(t.Context(), place, &archive); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "data.db")
	files := tar.NewReader(&archive)
	for {
		header, err := files.Next()
		if err != nil {
			t.Fatal(err)
		}
		if header.Name == "pb_data/data.db" {
			break
		}
	}
	content, err := io.ReadAll(files)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var found string
	if err := db.QueryRowContext(t.Context(), "SELECT group_concat(sql) FROM sqlite_schema WHERE type = 'view'").Scan(&found); err != nil {
		t.Fatal(err)
	}
	if want := "CREATE VIEW `view0` AS SELECT * FROM (SELECT id, email AS v FROM users)"; found != want {
		t.Errorf("got %s, want %s", found, want)
	}
}

// TestAViewOfAnEarlierVersionIsTightened opens a database whose views read tables.
func TestAViewOfAnEarlierVersionIsTightened(t *testing.T) {
	dir := t.TempDir()
	engine := reopenWith(t, pocketbase.Config{Dir: dir})
	place := aPlace(t, engine, registry("SELECT id, lower(email) AS v FROM users", "SELECT id, name AS v FROM users"))
	secrets := plantSecrets(t, engine, dir, place)
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", dataFile(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"DROP VIEW view0", "CREATE VIEW `view0` AS SELECT * FROM (SELECT id, lower(email) AS v FROM users)",
		"DROP VIEW view1", "CREATE VIEW `view1` AS SELECT * FROM (SELECT id, options AS v FROM _collections)",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	engine = reopenWith(t, pocketbase.Config{Dir: dir})
	for path, count := range map[string]string{"view0": `"totalItems":2`, "view1": `"totalItems":0`} {
		got := ask(t, engine, place, "GET", "collections/"+path+"/records", "")
		wants(t, got, http.StatusOK, count)
		for name, secret := range secrets {
			if strings.Contains(got.Body.String(), secret) {
				t.Errorf("a guest reads %s in %s", name, path)
			}
		}
	}
}
