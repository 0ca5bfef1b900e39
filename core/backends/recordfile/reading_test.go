package recordfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// people is a collection with a field of every type that is converted.
func people() backend.Collection {
	own := map[string]json.RawMessage{"collectionId": json.RawMessage(`"pbc_people"`), "maxSelect": json.RawMessage("3")}
	team := map[string]json.RawMessage{"collectionId": json.RawMessage(`"pbc_teams"`)}
	return backend.Collection{ID: "pbc_people", Name: "people", Type: backend.Auth, Fields: []backend.Field{
		{Name: "name", Type: "text"}, {Name: "age", Type: "number"}, {Name: "member", Type: "bool"}, {Name: "born", Type: "date"},
		{Name: "tags", Type: "select"}, {Name: "friends", Type: "relation", Options: own}, {Name: "team", Type: "relation", Options: team},
		{Name: "notes", Type: "json"}, {Name: "home", Type: "geoPoint"}, {Name: "picture", Type: "file"}, {Name: "site", Type: "url"},
		{Name: "created", Type: "autodate"},
	}}
}

// teams is a collection with ids of its own.
func teams() backend.Collection {
	id := map[string]json.RawMessage{"min": json.RawMessage("0"), "max": json.RawMessage("36"), "pattern": json.RawMessage(`"^[a-z0-9-]+$"`)}
	return backend.Collection{ID: "pbc_teams", Name: "teams", Type: backend.Base, Fields: []backend.Field{{Name: "id", Type: "text", Options: id}, {Name: "name", Type: "text"}}}
}

func schema() backend.Schema {
	return backend.Schema{Collections: []backend.Collection{people(), teams()}}
}

// read returns the records of a file as JSON, one a line, without empty fields, and then what is refused.
func read(t *testing.T, into backend.Collection, format Format, content string) string {
	t.Helper()
	file, err := Read(schema(), into, format, []byte(content))
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, row := range file.Rows {
		var fields map[string]any
		if err := json.Unmarshal(row.Record, &fields); err != nil {
			t.Fatal(err)
		}
		for name, value := range fields {
			if value == nil {
				delete(fields, name)
			}
		}
		lines = append(lines, string(encode(fields)))
	}
	rows := file.Refusals(&backend.RefusedRecords{})
	for _, row := range rows.Items {
		lines = append(lines, fmt.Sprintf("%d %s: %s", row.Line, row.Field, row.Rule))
	}
	if rows.Total > 1 {
		lines = append(lines, fmt.Sprint(rows.Total, " refused"))
	}
	return strings.Join(lines, "\n")
}

// foreign and 7 are ids that the collection does not accept, derived and derivedSeven what it gets for them.
const (
	foreign      = "550e8400-e29b-41d4-a716-446655440000"
	derived      = "jp9l7emyswif8fs"
	derivedSeven = "d2xbc8uyyz7x16t"
)

func TestTablesAreReadByTheTypesOfTheirColumns(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"every type": {
			"name,age,member,born,tags,friends,notes,home,picture,email,password\n" +
				`Ada,36.5,TRUE,1815-12-10,"[""a"",""b""]",abcdefghijklmno,"{""x"": 1}","{""lon"":1,""lat"":2}",ada.png,ada@example.com,secret word`,
			`{"age":36.5,"born":"1815-12-10 00:00:00.000Z","email":"ada@example.com","friends":"abcdefghijklmno","home":{"lat":2,"lon":1},"member":true,"name":"Ada","notes":{"x":1},"password":"secret word","tags":["a","b"]}`,
		},
		"empty cells":       {"name,age,born\nAda,,\n", `{"name":"Ada"}`},
		"a spreadsheet's":   {"\ufeffname;age\r\n\"a;b\";3\r\n", `{"age":3,"name":"a;b"}`},
		"tabs":              {"name\tage\nAda\t3\n", `{"age":3,"name":"Ada"}`},
		"an export's":       {"collectionId,collectionName,id,name,created\nx,y,abcdefghijklmno,Ada,2020-01-02 03:04:05.678Z", `{"created":"2020-01-02 03:04:05.678Z","id":"abcdefghijklmno","name":"Ada"}`},
		"a zone":            {"born\n2020-01-02T03:04:05+02:00", `{"born":"2020-01-02 01:04:05.000Z"}`},
		"a guarded formula": {"name\n'=1+1\n'quoted\n''=x", `{"name":"=1+1"}` + "\n" + `{"name":"'quoted"}` + "\n" + `{"name":"'=x"}`},
		"no record":         {"name,age\n", ""},

		"times of Postgres": {"born\n2024-05-01 12:30:00+00\n2024-05-01 12:30:00.123456+05:30\n2024-05-01T12:30:00.5+00:00\n2024-05-01 12:30:00\n1890-01-01 00:00:00+00:53:28\n",
			`{"born":"2024-05-01 12:30:00.000Z"}` + "\n" + `{"born":"2024-05-01 07:00:00.123Z"}` + "\n" + `{"born":"2024-05-01 12:30:00.500Z"}` + "\n" + `{"born":"2024-05-01 12:30:00.000Z"}` + "\n" + `{"born":"1889-12-31 23:06:32.000Z"}`},
		"arrays of Postgres": {"tags,notes\n\"{a,b,\"\"c \\\"\"d\"\"}\",\"{1,{x,NULL}}\"\n{},{}\n{a},\"[1]\"\n",
			`{"notes":[1,["x",null]],"tags":["a","b","c \"d"]}` + "\n" + `{"notes":{},"tags":[]}` + "\n" + `{"notes":[1],"tags":["a"]}`},
		"bools and nothing": {"name,member,age,born,tags,email\nNULL,t,NULL,null,\\N,NULL\n\\N,f,\\N,\\N,,\n", `{"member":true,"name":"NULL"}` + "\n" + `{"member":false}`},
		"a point":           {"home\n\"(13.4,52.5)\"\n", `{"home":{"lat":52.5,"lon":13.4}}`},
		"customary names":   {"created_at,name\n2024-05-01 12:30:00+00,Ada\n", `{"created":"2024-05-01 12:30:00.000Z","name":"Ada"}`},
		"foreign ids":       {"id,team,friends\n" + foreign + "," + foreign + ",\"{5,7}\"\n", `{"friends":["n9ihbf47qspxd3c","` + derivedSeven + `"],"id":"` + derived + `","team":"` + foreign + `"}`},
	} {
		if got := read(t, people(), CSV, c.content); got != c.want {
			t.Errorf("%s: got\n%s; want\n%s", name, got, c.want)
		}
	}
}

func TestValuesInJSONAreReadByTheTypesOfTheirFields(t *testing.T) {
	for content, want := range map[string]string{
		`[{"age": "12.50", "member": "t", "born": "2024-05-01 12:30:00+00", "tags": "{a,b}"}]`: `{"age":12.5,"born":"2024-05-01 12:30:00.000Z","member":true,"tags":["a","b"]}`,
		`[{"id": 7, "friends": [5], "team": 7, "tags": 5, "notes": "{a}"}]`:                    `{"friends":["n9ihbf47qspxd3c"],"id":"` + derivedSeven + `","notes":"{a}","tags":"5","team":"7"}`,
		`{"count": {"n": [1]}, "items": [{"name": "NULL", "age": null}], "more": 1}`:           `{"name":"NULL"}`,
		`[{"created_at": "2024-05-01", "created": "2025-05-01"}]`:                              "1 created_at: " + errNoField.Message,
	} {
		if got := read(t, people(), JSON, content); got != want {
			t.Errorf("%s: got\n%s; want\n%s", content, got, want)
		}
	}
}

// TestAnotherFileMeetsTheRecord: an id leads to the same other id in every file.
func TestAnotherFileMeetsTheRecord(t *testing.T) {
	file, err := Read(schema(), people(), CSV, []byte("id,name\n"+foreign+",Ada\nabcdefghijklmno,Ben\n,Cleo\n"))
	if err != nil || file.NewIDs != 1 || file.Records != 3 {
		t.Fatalf("got %v; want one new id in 3 records", err)
	}
	if got := read(t, people(), JSON, `[{"friends": "`+foreign+`"}]`); got != `{"friends":"`+derived+`"}` {
		t.Errorf("got %s, want a relation to %s", got, derived)
	}
}

func TestRecordsStandBehindThoseToWhichTheyRefer(t *testing.T) {
	a, b, c := strings.Repeat("a", 15), strings.Repeat("b", 15), strings.Repeat("c", 15)
	got := read(t, people(), JSON, fmt.Sprintf(`{"items": [{"id": %q, "friends": [%q, "5"]}, {"id": %q, "friends": %q}, {"id": %q}]}`, c, b, b, a, a))
	want := fmt.Sprintf(`{"id":%q}`+"\n"+`{"friends":%q,"id":%q}`+"\n"+`{"friends":[%q,"n9ihbf47qspxd3c"],"id":%q}`, a, a, b, b, c)
	if got != want {
		t.Errorf("got\n%s; want\n%s", got, want)
	}
	circle := fmt.Sprintf(`[{"id": %q, "name": "A", "friends": [%q]}, {"id": %q, "friends": [%q]}]`, a, b, b, a)
	want = fmt.Sprintf(`{"id":%q,"name":"A"}`+"\n"+`{"friends":[%q],"id":%q}`+"\n"+`{"friends":[%q],"id":%q,"name":"A"}`, a, a, b, b, a)
	if got := read(t, people(), JSON, circle); got != want {
		t.Errorf("a circle: got\n%s; want\n%s", got, want)
	}
	if file, err := Read(schema(), people(), JSON, []byte(circle)); err != nil || file.Records != 2 || file.Again != 1 {
		t.Errorf("a circle: got %v; want 2 records, one of them again", err)
	}
}

func TestBrokenFilesAreRefused(t *testing.T) {
	for _, c := range []struct {
		format        Format
		content, want string
	}{
		{CSV, "", "invalid_request: the first line"},
		{CSV, "name,name\nx,y", `invalid_request: the table has the column "name" twice`},
		{CSV, "name\n\"x", "invalid_request: the table is broken"},
		{CSV, "name\n\xff", "invalid_request: the file is not UTF-8"},
		{CSV, "name\n" + strings.Repeat("x\n", MaxRecords+5), fmt.Sprintf("validation_failed: the file has %d records", MaxRecords+5)},
		{CSV, "email,password\n" + strings.Repeat("a@example.com,secret\n", MaxPasswords+1), "validation_failed: the file has 101 passwords"},
		{JSON, "{}", "invalid_request: the file must be a list"},
		{JSON, `{"items": {}}`, "invalid_request: the file must be a list"},
		{JSON, "[1]", "invalid_request: the file must be a list"},
		{JSON, "[null]", "invalid_request: the file must be a list"},
		{JSON, "[{}", "invalid_request: the file must be a list"},
		{JSON, "[] []", "invalid_request: the file must be a list"},
	} {
		if got := read(t, people(), c.format, c.content); !strings.HasPrefix(got, c.want) {
			t.Errorf("%.40q: got %.200s, want %s", c.content, got, c.want)
		}
	}
}

func TestAllThatIsWrongInRecordsIsSaid(t *testing.T) {
	for _, c := range []struct {
		format        Format
		content, want string
	}{
		{CSV, "name,age,member\na,1,t\nb,many,perhaps\nc,NaN,f\nd,2\n", "{\"age\":1,\"member\":true,\"name\":\"a\"}\n3 age: must be a number\n3 member: must be true or false\n4 age: must be a number\n5 : must have as many cells as the first line: 3, not 2\n3 refused"},
		{CSV, "nom,tokenKey,age\nx,y,z\n", "1 nom: " + errNoField.Message + "\n1 tokenKey: " + errNoField.Message + "\n2 age: must be a number\n2 refused"},
		{CSV, "born\nyesterday\ninfinity\n-infinity\n", "2 born: " + errDate.Message + "\n3 born: " + errEndless.Message + "\n4 born: " + errEndless.Message + "\n3 refused"},
		{CSV, "notes,home\n\"{\",[1]\n", "2 home: " + errPoint.Message + "\n2 notes: must be JSON"},
		{CSV, "id\n" + foreign + "\n" + foreign + "\n", `{"id":"` + derived + `"}` + "\n3 id: another record of the file has this id"},
		{JSON, `[{}, {"name": 5}, {"tags": {}, "friends": [[1]]}, {"born": 5, "nom": 1}, {"nom": 1}]`, "{}\n{}\n2 name: must be a string\n3 friends: " + errList.Message + "\n3 tags: " + errList.Message + "\n4 born: " + errDate.Message + "\n4 nom: " + errNoField.Message + "\n3 refused"},
	} {
		if got := read(t, people(), c.format, c.content); got != c.want {
			t.Errorf("%q: got\n%s; want\n%s", c.content, got, c.want)
		}
	}
}

func TestRefusalsAreTheFirstOfAll(t *testing.T) {
	file, err := Read(schema(), people(), CSV, []byte("age,name\n1,\"two\nlines\"\nx,\n"+strings.Repeat("2,good\n", 200)))
	if err != nil {
		t.Fatal(err)
	}
	if batch := file.Insertion(); !batch.DryRun || len(batch.Records) != 201 {
		t.Errorf("got %d records, dry %t; want the 201 good ones, dry", len(batch.Records), batch.DryRun)
	}
	refused := &backend.RefusedRecords{}
	for i := range 200 {
		refused.Add(i, map[string]string{"name": "Cannot be blank."})
	}
	rows := file.Refusals(refused)
	lines := make([]int, 3)
	for i := range lines {
		lines[i] = rows.Items[i].Line
	}
	if rows.Total != 201 || len(rows.Items) != core.MaxRefusedRows || !slices.Equal(lines, []int{2, 4, 5}) || rows.Items[0].Rule.String() != "Cannot be blank" {
		t.Errorf("got %d with %d reasons, the first in the lines %d: %s", rows.Total, len(rows.Items), lines, rows.Items[0].Rule)
	}
}

// TestARecordThatIsThereTwiceIsRefusedOnce, because two refer to each other.
func TestARecordThatIsThereTwiceIsRefusedOnce(t *testing.T) {
	file, err := Read(schema(), people(), CSV, []byte("id,friends\n1,2\n2,1\n"))
	if err != nil || len(file.Rows) != 3 {
		t.Fatalf("got %v, want a row more than records", err)
	}
	refused := &backend.RefusedRecords{}
	for i := range file.Rows {
		refused.Add(i, map[string]string{"name": "Cannot be blank.", "age": "Cannot be blank."})
	}
	if rows := file.Refusals(refused); rows.Total != 2 || len(rows.Items) != 4 {
		t.Errorf("got %d with the reasons %v, want 2 with two each", rows.Total, rows.Items)
	}
}

func FuzzFilesOfRecords(f *testing.F) {
	f.Add("name,age\nx,1", true)
	f.Add(`{"items":[{"friends":["a"]}]}`, false)
	f.Add("tags,born\n\"{a,\"\"b\"\",{c}}\",2024-05-01 12:30:00+00", true)
	f.Fuzz(func(t *testing.T, content string, table bool) {
		format := JSON
		if table {
			format = CSV
		}
		file, err := Read(schema(), people(), format, []byte(content))
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeInvalidRequest && code != core.CodeValidationFailed {
				t.Errorf("got code %s: %v", code, err)
			}
			return
		}
		for _, row := range file.Rows {
			if !json.Valid(row.Record) {
				t.Errorf("got a record that is no JSON: %s", row.Record)
			}
		}
	})
}
