package recordfile

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
)

// write writes a file from lines that come in pieces.
func write(t *testing.T, format Format, collection backend.Collection, lines string) string {
	t.Helper()
	var out bytes.Buffer
	file := NewWriter(&out, collection, format)
	for i := 0; i < len(lines); i += 7 {
		if _, err := io.WriteString(file, lines[i:min(i+7, len(lines))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExportsAreTablesAndJSON(t *testing.T) {
	collection := people()
	collection.Type = backend.Base
	const dump = `{"id":"a","name":"=1+1","age":3,"member":true,"tags":[],"friends":["b"],"notes":null,"collectionName":"people"}` + "\n" + `{"id":"b","name":"x, y","notes":"a note"}` + "\n"
	for _, c := range []struct {
		format     Format
		collection backend.Collection
		dump, want string
	}{
		{CSV, collection, dump, "id,name,age,member,born,tags,friends,team,notes,home,picture,site,created\na,'=1+1,3,true,,,\"[\"\"b\"\"]\",,,,,,\nb,\"x, y\",,,,,,,\"\"\"a note\"\"\",,,,\n"},
		{CSV, collection, "", "id,name,age,member,born,tags,friends,team,notes,home,picture,site,created\n"},
		{CSV, backend.Collection{Type: backend.View}, `{"n":1,"id":"a","collectionId":"x"}` + "\n", "id,n\na,1\n"},
		{JSON, collection, `{"id":"a"}` + "\n" + `{"id":"b"}` + "\n", "{\"items\": [\n{\"id\":\"a\"},\n{\"id\":\"b\"}\n]}\n"},
		{JSON, collection, "", "{\"items\": []}\n"},
	} {
		if got := write(t, c.format, c.collection, c.dump); got != c.want {
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
			line, err := json.Marshal(map[string]string{"text": text})
			if err != nil {
				t.Fatal(err)
			}
			dump.Write(append(line, '\n'))
			want = append(want, text)
		}
		file, err := Read(backend.Schema{}, collection, CSV, []byte(write(t, CSV, collection, dump.String())))
		if err != nil || len(file.Rows) != len(want) {
			t.Fatalf("got %v, %v", file, err)
		}
		for i, row := range file.Rows {
			var fields struct{ Text string }
			_ = json.Unmarshal(row.Record, &fields)
			if got := fields.Text; got != want[i] && strings.TrimSpace(want[i]) != "" {
				t.Errorf("got %q, want %q", got, want[i])
			}
		}
	})
}
