package backends_test

import (
	"errors"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/backends/recordfile"
	"github.com/atelierhq/atelier/ports/backend"
)

const folders = `{"collections": [{"name": "folders", "fields": [
	{"name": "name", "type": "text", "required": true}, {"name": "size", "type": "number"}, {"name": "beside", "type": "relation", "collection": "folders"}
]}]}`

// TestAnImportCountsRecords, also where two refer to each other, and one is written twice for that.
func TestAnImportCountsRecords(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, folders)
	test := backend.Place{Project: h.project, Env: core.DataTest}
	for _, want := range []backends.ImportCount{{Records: 3, NewIDs: 2}, {Records: 3, Updated: 2, NewIDs: 2}} {
		got, err := h.Import(t.Context(), h.member, test, "folders", recordfile.CSV, []byte("id,name,beside\n1,One,2\n2,Two,1\n,Three,\n"))
		if err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

func TestTheMessageOfAnImportNamesTheFirstRow(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, folders)
	test := backend.Place{Project: h.project, Env: core.DataTest}
	for _, c := range []struct {
		format        recordfile.Format
		content, want string
	}{
		{recordfile.CSV, "name,size\nOne,1\nTwo,two\n", "line 3, size: must be a number"},
		{recordfile.CSV, "name,size\nOne\n", "line 2: must have as many cells as the first line: 2, not 1"},
		{recordfile.CSV, "name,size\nOne,1\n,2\nThree,three\n", "2 records are refused. The first is line 3, name: Cannot be blank"},
		{recordfile.JSON, `[{"name": "One"}, {"name": "Two", "size": "two"}]`, "record 2, size: must be a number"},
		{recordfile.JSON, `[{"name": "One", "beside": "gone"}]`, "record 1, beside: Failed to find all relation records with the provided ids"},
	} {
		_, err := h.Import(t.Context(), h.member, test, "folders", c.format, []byte(c.content))
		var known *core.Error
		if !errors.As(err, &known) || known.Message != c.want || known.Code != core.CodeValidationFailed || known.Rows == nil {
			t.Errorf("%q: got %v, want %s", c.content, err, c.want)
		}
	}
	if stats, err := h.engine.Stats(t.Context(), test); err != nil || stats.Records != 0 {
		t.Errorf("got %+v, %v; want no records", stats, err)
	}
}
