package backends

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// people is a collection with a field of every type that an import converts.
func people() backend.Collection {
	own := map[string]json.RawMessage{"collectionId": json.RawMessage(`"pbc_people"`), "maxSelect": json.RawMessage("3")}
	return backend.Collection{ID: "pbc_people", Name: "people", Type: backend.Auth, Fields: []backend.Field{
		{Name: "name", Type: "text"}, {Name: "age", Type: "number"}, {Name: "member", Type: "bool"}, {Name: "born", Type: "date"},
		{Name: "tags", Type: "select"}, {Name: "friends", Type: "relation", Options: own}, {Name: "notes", Type: "json"},
		{Name: "home", Type: "geoPoint"}, {Name: "picture", Type: "file"}, {Name: "created", Type: "autodate"},
	}}
}

// read returns the records of a file as JSON, one a line.
func read(format Format, content string) (string, error) {
	rows, err := readRows(people(), format, []byte(content))
	if err == nil {
		rows, err = inOrder(people(), rows)
	}
	var lines []string
	for _, row := range rows {
		text, _ := json.Marshal(row.fields)
		lines = append(lines, string(text))
	}
	return strings.Join(lines, "\n"), err
}

func TestTablesAreReadByTheTypesOfTheirColumns(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"every type": {
			"name,age,member,born,tags,friends,notes,home,picture,email,password\n" +
				`Ada,36.5,TRUE,1815-12-10,"[""a"",""b""]",abc,"{""x"": 1}","{""lon"":1,""lat"":2}",ada.png,ada@example.com,secret word`,
			`{"age":36.5,"born":"1815-12-10 00:00:00.000Z","email":"ada@example.com","friends":"abc","home":{"lon":1,"lat":2},"member":true,"name":"Ada","notes":{"x":1},"password":"secret word","tags":["a","b"]}`,
		},
		"empty cells":       {"name,age,born\nAda,,\n", `{"name":"Ada"}`},
		"a spreadsheet's":   {"\ufeffname;age\r\n\"a;b\";3\r\n", `{"age":3,"name":"a;b"}`},
		"an export's":       {"collectionId,collectionName,id,name,created\nx,y,abc,Ada,2020-01-02 03:04:05.678Z", `{"created":"2020-01-02 03:04:05.678Z","id":"abc","name":"Ada"}`},
		"a zone":            {"born\n2020-01-02T03:04:05+02:00", `{"born":"2020-01-02 01:04:05.000Z"}`},
		"a guarded formula": {"name\n'=1+1\n'quoted\n''=x", `{"name":"=1+1"}` + "\n" + `{"name":"'quoted"}` + "\n" + `{"name":"'=x"}`},
		"no record":         {"name,age\n", ""},
	} {
		if got, err := read(FormatCSV, c.content); err != nil || got != c.want {
			t.Errorf("%s: got\n%s, %v; want\n%s", name, got, err, c.want)
		}
	}
}

func TestRecordsStandBehindThoseToWhichTheyRefer(t *testing.T) {
	got, err := read(FormatJSON, `{"items": [{"id": "c", "friends": ["b", "other"]}, {"id": "b", "friends": "a"}, {"id": "a"}]}`)
	want := `{"id":"a"}` + "\n" + `{"friends":"a","id":"b"}` + "\n" + `{"friends":["b","other"],"id":"c"}`
	if err != nil || got != want {
		t.Errorf("got\n%s, %v; want\n%s", got, err, want)
	}
	if _, err := read(FormatJSON, `[{"id": "a", "friends": ["b"]}, {"id": "b", "friends": ["a"]}]`); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("a circle: got %v, want code %s", err, core.CodeValidationFailed)
	}
}

func TestWrongFilesAreRefusedWithThePlace(t *testing.T) {
	for _, c := range []struct {
		format        Format
		content, want string
	}{
		{FormatCSV, "", "invalid_request: the first line"},
		{FormatCSV, "name,name\nx,y", `invalid_request: the table has the column "name" twice`},
		{FormatCSV, "name,age\nx", "invalid_request: the table is broken: line 2"},
		{FormatCSV, "name\n\"x", "invalid_request: the table is broken"},
		{FormatCSV, "name\n\xff", "invalid_request: the file is not UTF-8"},
		{FormatCSV, "nom\nx", `validation_failed: line 2: the collection has no field "nom"`},
		{FormatCSV, "tokenKey\nx", `validation_failed: line 2: the collection has no field "tokenKey"`},
		{FormatCSV, "name,age\na,1\nb,many", "validation_failed: line 3: age must be a number"},
		{FormatCSV, "age\nNaN", "validation_failed: line 2: age must be a number"},
		{FormatCSV, "member\nperhaps", "validation_failed: line 2: member must be true or false"},
		{FormatCSV, "born\nyesterday", "validation_failed: line 2: born must be a date"},
		{FormatCSV, "notes\n{", "validation_failed: line 2: notes must be JSON"},
		{FormatCSV, "home\n[1]", "validation_failed: line 2: home must be an object"},
		{FormatJSON, "{}", "invalid_request: the file must be a list"},
		{FormatJSON, "[1]", "invalid_request: the file must be a list"},
		{FormatJSON, `[{"age": "1"}]`, "validation_failed: record 1: age must be a number"},
		{FormatJSON, `[{}, {"name": 5}]`, "validation_failed: record 2: name must be a string"},
		{FormatJSON, `[{"tags": [1]}]`, "validation_failed: record 1: tags must be a string or a list"},
		{FormatJSON, `[{"born": 5}]`, "validation_failed: record 1: born must be a date"},
	} {
		if _, err := read(c.format, c.content); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.content, err, c.want)
		}
	}
	many, err := readRows(people(), FormatCSV, []byte("email,password\n"+strings.Repeat("a@example.com,secret\n", MaxImportPasswords+1)))
	if err != nil || !core.IsCode(checkAmount(many), core.CodeValidationFailed) {
		t.Errorf("too many passwords: got %v, %v", err, checkAmount(many))
	}
}

func TestARefusalNamesTheLine(t *testing.T) {
	rows, err := readRows(people(), FormatCSV, []byte("name\n\"two\nlines\"\nlast"))
	if err != nil {
		t.Fatal(err)
	}
	got := located(fmt.Errorf("insert: %w", &backend.Refusal{Index: 1, Field: "name", Message: "Cannot be blank."}), rows)
	if got.Error() != "validation_failed: line 4, name: Cannot be blank" {
		t.Errorf("got %v", got)
	}
}

// dumper is an engine that only dumps.
type dumper struct {
	Engine
	text string
}

// Dump implements backend.Transfers, in pieces that end within lines.
func (d dumper) Dump(_ context.Context, _ backend.Place, _ string, to io.Writer) error {
	for i := 0; i < len(d.text); i += 7 {
		if _, err := io.WriteString(to, d.text[i:min(i+7, len(d.text))]); err != nil {
			return err
		}
	}
	return nil
}

func export(t *testing.T, format Format, collection backend.Collection, dump string) string {
	t.Helper()
	var out bytes.Buffer
	if err := (&Export{engine: dumper{text: dump}, collection: collection, format: format}).Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExportsAreTablesAndJSON(t *testing.T) {
	collection := people()
	collection.Type = backend.Base
	const dump = `{"id":"a","name":"=1+1","age":3,"member":true,"tags":[],"friends":["b"],"notes":null,"collectionName":"people"}` + "\n" + `{"id":"b","name":"x, y"}` + "\n"
	for _, c := range []struct {
		format     Format
		collection backend.Collection
		dump, want string
	}{
		{FormatCSV, collection, dump, "id,name,age,member,born,tags,friends,notes,home,picture,created\na,'=1+1,3,true,,,\"[\"\"b\"\"]\",,,,\nb,\"x, y\",,,,,,,,,\n"},
		{FormatCSV, collection, "", "id,name,age,member,born,tags,friends,notes,home,picture,created\n"},
		{FormatCSV, backend.Collection{Type: backend.View}, `{"n":1,"id":"a","collectionId":"x"}` + "\n", "id,n\na,1\n"},
		{FormatJSON, collection, `{"id":"a"}` + "\n" + `{"id":"b"}` + "\n", "{\"items\": [\n{\"id\":\"a\"},\n{\"id\":\"b\"}\n]}\n"},
		{FormatJSON, collection, "", "{\"items\": []}\n"},
	} {
		if got := export(t, c.format, c.collection, c.dump); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func FuzzTablesComeBackAsTheyWere(f *testing.F) {
	f.Add("=1+1", "'", "plain")
	f.Add("'-5", "a\nb", `"x"`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		collection := backend.Collection{Type: backend.Base, Fields: []backend.Field{{Name: "text", Type: "text"}}}
		var dump bytes.Buffer
		var want []string
		for _, text := range []string{a, b, c} {
			text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r", "")
			line, err := json.Marshal(map[string]string{"id": "x", "text": text})
			if err != nil {
				t.Fatal(err)
			}
			dump.Write(append(line, '\n'))
			want = append(want, text)
		}
		rows, err := readRows(collection, FormatCSV, []byte(export(t, FormatCSV, collection, dump.String())))
		if err != nil || len(rows) != len(want) {
			t.Fatalf("got %d records, %v", len(rows), err)
		}
		for i, row := range rows {
			var got string
			_ = json.Unmarshal(row.fields["text"], &got)
			if got != want[i] && strings.TrimSpace(want[i]) != "" {
				t.Errorf("got %q, want %q", got, want[i])
			}
		}
	})
}

func FuzzFilesOfRecords(f *testing.F) {
	f.Add("name,age\nx,1", true)
	f.Add(`{"items":[{"friends":["a"]}]}`, false)
	f.Fuzz(func(t *testing.T, content string, table bool) {
		format := FormatJSON
		if table {
			format = FormatCSV
		}
		rows, err := readRows(people(), format, []byte(content))
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeInvalidRequest && code != core.CodeValidationFailed {
				t.Errorf("got code %s: %v", code, err)
			}
			return
		}
		for _, row := range rows {
			if _, err := json.Marshal(row.fields); err != nil {
				t.Errorf("got a record that is no JSON: %v", err)
			}
		}
	})
}
