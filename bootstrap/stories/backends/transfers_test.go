package backends_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// file is a body of a type.
func file(kind, content string) storytest.Form {
	return storytest.Form{Reader: strings.NewReader(content), Kind: kind}
}

func TestAnExportIsImportedAsItWas(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	for i, title := range []string{`Hat, "red"`, "=1+1", "line\nbreak", "Ümläut"} {
		b.Must(http.StatusCreated, http.MethodPost, b.of(core.DataTest, "wares", "records"), object{"title": title, "price": i + 1, "sizes": []string{"S", "M"}}, nil)
	}
	for kind, format := range map[string]string{"text/csv": "csv", "application/json": "json"} {
		exported := b.Do(http.MethodGet, b.of(core.DataTest, "wares", "export")+storytest.Query("format", format), nil)
		if want := `attachment; filename="wares.` + format + `"`; exported.Status != http.StatusOK || exported.Header.Get("Content-Disposition") != want {
			t.Fatalf("got %d %s with %v, want %s", exported.Status, exported.Body, exported.Header, want)
		}
		if format == "csv" && bytes.Contains(exported.Body, []byte("\n=1+1")) {
			t.Errorf("got %s, want no formula", exported.Body)
		}
		b.Must(http.StatusNoContent, http.MethodPost, b.Path("/backend/test/reset"), nil, nil)
		var answer struct{ Imported int }
		b.Must(http.StatusOK, http.MethodPost, b.of(core.DataTest, "wares", "import"), file(kind, string(exported.Body)), &answer)
		again := b.Do(http.MethodGet, b.of(core.DataTest, "wares", "export")+storytest.Query("format", format), nil)
		if answer.Imported != 4 || !bytes.Equal(again.Body, exported.Body) {
			t.Errorf("got %d records\n%s\nwant\n%s", answer.Imported, again.Body, exported.Body)
		}
	}
	if got := b.Do(http.MethodGet, b.of(core.DataTest, "cheap", "export")+"?format=csv", nil); got.Status != http.StatusOK || !strings.HasPrefix(string(got.Body), "id,title\n") {
		t.Errorf("got %d %s, want the view", got.Status, got.Body)
	}
}

func TestAWrongImportCreatesNothing(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	into := b.of(core.DataTest, "wares", "import")
	for _, row := range []struct {
		name, query string
		body        any
		code        core.Code
		// says is what the message has to name.
		says string
	}{
		{"a record without a title", "", file("text/csv", "title,price\nHat,1\n,2\n"), core.CodeValidationFailed, "line 3"},
		{"a price that is no number", "", file("text/csv", "title,price\nHat,cheap\n"), core.CodeValidationFailed, "price"},
		{"an unknown field", "", file("application/json", `[{"title": "Hat", "colour": "red"}]`), core.CodeValidationFailed, "colour"},
		{"an id twice", "", file("application/json", `[{"id": "aaaaaaaaaaaaaaa", "title": "Hat"}, {"id": "aaaaaaaaaaaaaaa", "title": "Cap"}]`), core.CodeValidationFailed, "record 2"},
		{"a row that is too long", "", file("text/csv", "title\nHat,1\n"), core.CodeValidationFailed, "line 2"},
		{"nothing as a table", "", file("text/csv", ""), core.CodeInvalidRequest, "names of the fields"},
		{"no list", "", file("application/json", `"Hat"`), core.CodeInvalidRequest, "list of records"},
		{"bytes", "?format=csv", file("application/octet-stream", "title\n\xff\n"), core.CodeInvalidRequest, "UTF-8"},
		{"an unknown type", "", file("text/plain", "title\nHat\n"), core.CodeUnsupportedMediaType, "text/csv"},
		{"an unknown format", "?format=xlsx", file("text/csv", "title\nHat\n"), core.CodeValidationFailed, "format"},
		{"too many records", "", file("text/csv", "title\n"+strings.Repeat("Hat\n", 100_001)), core.CodeValidationFailed, "100000"},
	} {
		got := b.Do(http.MethodPost, into+row.query, row.body)
		if got.Code() != row.code || got.Status >= 500 || !strings.Contains(string(got.Body), row.says) {
			t.Errorf("%s: got %d %.300s, want %s that names %q", row.name, got.Status, got.Body, row.code, row.says)
		}
	}
	b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodGet, b.of(core.DataTest, "wares", "export")+"?format=xlsx", nil)
	var page struct{ Total int }
	b.Must(http.StatusOK, http.MethodGet, b.of(core.DataTest, "wares", "records"), nil, &page)
	if page.Total != 0 {
		t.Errorf("got %d records, want none", page.Total)
	}
}

// moved is a schema for tables of another database: tasks of lists. kept has the ids of that database.
func moved() object {
	created := object{"name": "created", "type": "autodate", "onCreate": true}
	return object{"collections": []object{
		{"name": "lists", "listRule": "", "fields": []object{{"name": "name", "type": "text"}, created}},
		{"name": "tasks", "listRule": "", "fields": []object{
			{"name": "title", "type": "text", "required": true}, {"name": "done", "type": "bool"}, {"name": "due", "type": "date"},
			{"name": "tags", "type": "select", "values": []string{"a", "b"}, "maxSelect": 2},
			{"name": "list", "type": "relation", "collection": "lists"}, {"name": "after", "type": "relation", "collection": "tasks"}, created,
		}},
		{"name": "kept", "listRule": "", "fields": []object{
			{"name": "id", "type": "text", "max": 36, "pattern": "^[a-z0-9-]+$"}, {"name": "name", "type": "text"},
		}},
	}}
}

// tasksTable and listsTable are tables as Supabase exports them.
const (
	listsTable = "id,name,created_at\n0b8b1a56-0b44-4c43-9d1d-2f2c7a4c8a11,Home,2024-05-01 10:00:00.123456+00\n"
	tasksTable = `id,title,done,due,tags,list,after,created_at
550e8400-e29b-41d4-a716-446655440000,One,t,2024-05-01 10:00:00.123456+00,"{a,b}",0b8b1a56-0b44-4c43-9d1d-2f2c7a4c8a11,6fa459ea-ee8a-3ca4-894e-db77e160355e,2024-04-01 10:00:00+02
6fa459ea-ee8a-3ca4-894e-db77e160355e,Two,f,2024-05-01 10:00:00+02,,,,2024-04-02 10:00:00+02
`
)

// TestTablesOfPostgresComeIn in both environments: with new ids that fit together, and once.
func TestTablesOfPostgresComeIn(t *testing.T) {
	t.Parallel()
	b := &book{started(t).SignUp().Create(storytest.Template)}
	b.save(core.BackendSchemaPath, moved())
	b.publish(storytest.Fields{})
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		take := func(collection, table string) (count struct{ Imported, Updated, NewIDs int }) {
			b.Must(http.StatusOK, http.MethodPost, b.of(env, collection, "import"), file("text/csv", table), &count)
			return count
		}
		missing := b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, b.of(env, "tasks", "import"), file("text/csv", tasksTable))
		if !strings.Contains(string(missing.Body), `"field":"list"`) {
			t.Errorf("got %s, want the missing list", missing.Body)
		}
		take("lists", listsTable)
		if first := take("tasks", tasksTable); first.Imported != 2 || first.Updated != 0 || first.NewIDs != 2 {
			t.Errorf("%s: got %+v, want 2 with new ids", env, first)
		}
		if again := take("tasks", strings.ReplaceAll(tasksTable, "Two", "Second")); again.Imported != 2 || again.Updated != 2 {
			t.Errorf("%s: got %+v, want 2 updated", env, again)
		}
		take("kept", "id,name\n550e8400-e29b-41d4-a716-446655440000,Kept\n")
		b.wantMoved(env)
	}
}

func (b *book) wantMoved(env core.DataEnv) {
	b.T.Helper()
	items := func(collection string) []object {
		var page struct{ Items []object }
		b.Must(http.StatusOK, http.MethodGet, b.of(env, collection, "records")+"?sort=created", nil, &page)
		return page.Items
	}
	lists, tasks := items("lists"), items("tasks")
	if len(lists) != 1 || len(tasks) != 2 {
		b.T.Fatalf("%s: got %v and %v, want a list with two tasks", env, lists, tasks)
	}
	one, two := tasks[0], tasks[1]
	delete(one, "collectionId")
	delete(one, "updated")
	want := object{
		"id": one["id"], "collectionName": "tasks", "title": "One", "done": true, "due": "2024-05-01 10:00:00.123Z", "tags": []any{"a", "b"},
		"list": lists[0]["id"], "after": two["id"], "created": "2024-04-01 08:00:00.000Z",
	}
	if !reflect.DeepEqual(one, want) {
		b.T.Errorf("%s: got %v, want %v", env, one, want)
	}
	if two["title"] != "Second" || two["done"] != false || two["due"] != "2024-05-01 08:00:00.000Z" || lists[0]["created"] != "2024-05-01 10:00:00.123Z" {
		b.T.Errorf("%s: got %v of %v", env, two, lists)
	}
	var kept object
	b.Must(http.StatusOK, http.MethodGet, b.of(env, "kept", "records/550e8400-e29b-41d4-a716-446655440000"), nil, &kept)
	if kept["name"] != "Kept" {
		b.T.Errorf("%s: got %v, want the record under its own id", env, kept)
	}
}

// TestAllRefusedRowsAreNamed at once, in the language of the reader.
func TestAllRefusedRowsAreNamed(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	table := "title,price\nHat,cheap\n,2\n" + strings.Repeat(",3\n", 150) + "Cap,4\n"
	got := b.Do(http.MethodPost, b.of(core.DataTest, "wares", "import"), file("text/csv", table), "Accept-Language", "de")
	var refusal struct {
		Message string
		Rows    struct {
			Total int
			Items []struct {
				Line        int
				Field, Rule string
			}
		}
	}
	if err := json.Unmarshal(got.Body, &refusal); err != nil {
		t.Fatal(err)
	}
	rows := refusal.Rows
	if rows.Total != 152 || len(rows.Items) != 100 || rows.Items[0].Rule != "muss eine Zahl sein" || rows.Items[1].Line != 3 || rows.Items[1].Field != "title" {
		t.Errorf("got %d with %d reasons, first %+v", rows.Total, len(rows.Items), rows.Items[:min(len(rows.Items), 2)])
	}
	if want := "152 Datensätze werden abgelehnt. Der erste: Zeile 2, price: muss eine Zahl sein"; refusal.Message != want {
		t.Errorf("got %q, want %q", refusal.Message, want)
	}
}

func TestAnOrdinaryTableComesInWhole(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	const many = 20_000
	var table strings.Builder
	table.WriteString("id,title,price\n")
	for i := range many {
		fmt.Fprintf(&table, "%d,Hat %d,%d\n", i, i, i)
	}
	var count struct{ Imported int }
	b.Must(http.StatusOK, http.MethodPost, b.of(core.DataTest, "wares", "import"), file("text/csv", table.String()), &count)
	if state := b.status(); count.Imported != many || state.Environments.Test.Records != many {
		t.Errorf("got %d imported and %d records, want %d", count.Imported, state.Environments.Test.Records, many)
	}
}

// TestWhoReachesRecords: members read live data and change test data, admins change live data,
// and everybody else learns nothing.
func TestWhoReachesRecords(t *testing.T) {
	t.Parallel()
	company := storytest.NewCompany(storytest.Serve(t, t.TempDir(), local.New, nil))
	b := newShop(company.Owner)
	b.publish(storytest.Fields{})
	live, test := b.of(core.DataLive, "wares", "records"), b.of(core.DataTest, "wares", "records")
	var hat object
	company.Admin.Must(http.StatusCreated, http.MethodPost, live, object{"title": "Hat"}, &hat)
	at := fmt.Sprintf("%s/%v", live, hat["id"])
	company.Admin.Must(http.StatusOK, http.MethodPatch, at, object{"price": 3}, nil)
	company.Member.Must(http.StatusOK, http.MethodGet, at, nil, nil)
	company.Member.Must(http.StatusOK, http.MethodGet, b.of(core.DataLive, "wares", "export"), nil, nil)
	company.Member.Must(http.StatusCreated, http.MethodPost, test, object{"title": "Cap"}, nil)
	changes := []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, live, object{"title": "Cap"}}, {http.MethodPatch, at, object{"title": "Cap"}}, {http.MethodDelete, at, nil},
		{http.MethodPost, b.of(core.DataLive, "wares", "import"), []object{{"title": "Cap"}}},
	}
	for _, change := range changes {
		company.Member.Refused(http.StatusForbidden, core.CodeForbidden, change.method, change.path, change.body)
	}
	stranger := company.SignUp()
	for _, path := range []string{b.Path("/backend"), b.Path("/backend/test/mails"), live, test, at, b.of(core.DataLive, "wares", "export")} {
		stranger.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, path, nil)
	}
	for _, change := range changes {
		stranger.Refused(http.StatusNotFound, core.CodeNotFound, change.method, change.path, change.body)
	}
	stranger.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, test, object{"title": "Cap"})
	company.Admin.Must(http.StatusOK, http.MethodPost, b.of(core.DataLive, "wares", "import"), []object{{"title": "Cap"}, {"title": "Bag"}}, nil)
	company.Admin.Must(http.StatusNoContent, http.MethodDelete, at, nil, nil)
	b.wantAudited(company, fmt.Sprint("DELETE wares/", hat["id"]), "POST wares (2 records)", fmt.Sprint("PATCH wares/", hat["id"]), "POST wares")
}

// wantAudited checks the changes of live data in the workspace's security log, the newest first.
func (b *book) wantAudited(company *storytest.Company, want ...string) {
	b.T.Helper()
	var log struct{ Items []core.AuditEntry }
	company.Owner.Must(http.StatusOK, http.MethodGet, company.Space+"/audit?limit=100", nil, &log)
	var got []string
	for _, entry := range log.Items {
		if entry.Action == core.AuditLiveDataChanged {
			got = append(got, strings.TrimPrefix(entry.Target, b.Name+": "))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.T.Errorf("got %q in the log, want %q", got, want)
	}
}
