package backends_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// shop has a field of each kind that people get wrong, and a view.
func shop() object {
	return object{"collections": []object{
		{"name": "wares", "fields": []object{
			{"name": "title", "type": "text", "required": true, "max": 20},
			{"name": "price", "type": "number"},
			{"name": "sizes", "type": "select", "values": []string{"S", "M"}, "maxSelect": 2},
			{"name": "picture", "type": "file", "maxSelect": 1, "maxSize": 1000},
		}},
		{"name": "orders", "fields": []object{{"name": "ware", "type": "relation", "collection": "wares", "required": true, "maxSelect": 1}}},
		{"name": "cheap", "type": "view", "viewQuery": "SELECT id, title FROM wares WHERE price < 10"},
	}}
}

func newShop(c *storytest.Caller) *book {
	b := &book{c.Create(storytest.Template)}
	b.save(core.BackendSchemaPath, shop())
	return b
}

// form is a record with a picture.
func form(t testing.TB, picture []byte, fields ...string) storytest.Form {
	t.Helper()
	return formWith(t, "picture", picture, fields...)
}

// formWith is a record with a file in a field.
func formWith(t testing.TB, field string, content []byte, fields ...string) storytest.Form {
	t.Helper()
	var body bytes.Buffer
	out := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := out.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	file, err := out.CreateFormFile(field, "ware.png")
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return storytest.Form{Reader: &body, Kind: out.FormDataContentType()}
}

func TestMembersWorkWithRecords(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	wares := b.of(core.DataTest, "wares", "records")
	var hat, made object
	b.Must(http.StatusCreated, http.MethodPost, wares, object{"title": "Hat", "price": 3, "sizes": []string{"S"}}, &hat)
	at := fmt.Sprintf("%s/%v", wares, hat["id"])
	b.Must(http.StatusOK, http.MethodPatch, at, object{"price": nil, "sizes+": "M"}, &made)
	if made["title"] != "Hat" || made["price"] != 0.0 || fmt.Sprint(made["sizes"]) != "[S M]" {
		t.Errorf("got %v, want the changed fields and the others as before", made)
	}
	b.Must(http.StatusOK, http.MethodPatch, at, form(t, []byte("picture"), "price", "4"), &made)
	if name, _ := made["picture"].(string); made["price"] != 4.0 || !strings.HasPrefix(name, "ware_") {
		t.Errorf("got %v, want the file", made)
	}
	b.Must(http.StatusOK, http.MethodGet, at, nil, &made)
	if made["price"] != 4.0 {
		t.Errorf("got %v, want the record", made)
	}
	b.Must(http.StatusNoContent, http.MethodDelete, at, nil, nil)
	b.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, at, nil)
}

func TestListsOfRecordsAreFilteredSortedAndPaged(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	wares := b.of(core.DataTest, "wares", "records")
	for i := range 7 {
		b.Must(http.StatusCreated, http.MethodPost, wares, object{"title": fmt.Sprint("Ware ", i), "price": i % 3}, nil)
	}
	var page struct {
		Items      []object
		NextCursor *string
		Total      int
	}
	var got []any
	query := []string{"filter", `price < 2 && title ~ "ware"`, "sort", "-price,title", "limit", "2"}
	for next, total := query, 5; ; next, total = append(query[:6:6], "cursor", *page.NextCursor), total+1 {
		page.NextCursor = nil
		b.Must(http.StatusOK, http.MethodGet, wares+storytest.Query(next...), nil, &page)
		for _, item := range page.Items {
			got = append(got, item["title"])
		}
		if page.Total != total || len(page.Items) > 2 {
			t.Errorf("got %+v, want a page of %d records", page, total)
		}
		if page.NextCursor == nil {
			break
		}
		// A new record before all others moves none of them.
		b.Must(http.StatusCreated, http.MethodPost, wares, object{"title": "A new ware", "price": 1}, nil)
		cursor := *page.NextCursor
		b.Refused(http.StatusBadRequest, core.CodeInvalidCursor, http.MethodGet, wares+storytest.Query("cursor", cursor), nil)
		b.Refused(http.StatusBadRequest, core.CodeInvalidCursor, http.MethodGet, b.of(core.DataTest, "orders", "records")+storytest.Query("cursor", cursor), nil)
	}
	if want := "[Ware 1 Ware 4 Ware 0 Ware 3 Ware 6]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	b.Must(http.StatusOK, http.MethodGet, wares+storytest.Query("sort", "title", "skip", "3", "limit", "2"), nil, &page)
	if len(page.Items) != 2 || page.Items[0]["title"] != "Ware 1" {
		t.Errorf("got %+v, want what follows the new wares and the first", page)
	}
	b.Refused(http.StatusBadRequest, core.CodeInvalidRequest, http.MethodGet, wares+storytest.Query("skip", "-1"), nil)
	b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodGet, wares+storytest.Query("skip", "1", "cursor", "x"), nil)
	b.Must(http.StatusOK, http.MethodGet, b.of(core.DataTest, "cheap", "records")+storytest.Query("filter", `title = "Ware 6"`), nil, &page)
	if page.Total != 1 || page.Items[0]["title"] != "Ware 6" {
		t.Errorf("got %+v, want the record of the view", page)
	}
}

func TestWhatIsWrongWithARecordIsSaid(t *testing.T) {
	t.Parallel()
	b := newShop(started(t).SignUp())
	wares, orders := b.of(core.DataTest, "wares", "records"), b.of(core.DataTest, "orders", "records")
	var hat object
	b.Must(http.StatusCreated, http.MethodPost, wares, object{"title": "Hat"}, &hat)
	at := fmt.Sprintf("%s/%v", wares, hat["id"])
	b.Must(http.StatusCreated, http.MethodPost, orders, object{"ware": hat["id"]}, nil)
	const get, post, patch = http.MethodGet, http.MethodPost, http.MethodPatch
	for _, row := range []struct {
		name, method, path string
		body               any
		code               core.Code
		// says is what the message has to name.
		says string
	}{
		{"an unknown environment", get, b.Path("/backend/stage/collections/wares/records"), nil, core.CodeNotFound, "environment"},
		{"live data before the first publish", get, b.of(core.DataLive, "wares", "records"), nil, core.CodeNotFound, ""},
		{"an unknown collection", get, b.of(core.DataTest, "nothing", "records"), nil, core.CodeNotFound, "collection"},
		{"an unknown collection to write to", post, b.of(core.DataTest, "nothing", "records"), object{}, core.CodeNotFound, "collection"},
		{"a system collection", get, b.of(core.DataTest, "_superusers", "records"), nil, core.CodeNotFound, "collection"},
		{"a collection with a slash", get, b.Path("/backend/test/collections/wares%2Frecords/records"), nil, core.CodeNotFound, "collection"},
		{"a collection of dots", get, b.Path("/backend/test/collections/%2e%2e/records"), nil, core.CodeNotFound, ""},
		{"an unknown record", get, wares + "/unknown12345678", nil, core.CodeNotFound, "record"},
		{"a record of dots", get, wares + "/%2e%2e", nil, core.CodeNotFound, ""},
		{"a record with a slash", get, wares + "/x%2Fy", nil, core.CodeNotFound, "record"},
		{"a record with a question", get, wares + "/x%3Fpage=1", nil, core.CodeNotFound, "record"},
		{"a record with a NUL", get, wares + "/x%00y", nil, core.CodeInvalidRequest, "NUL"},
		{"a record of another language", get, wares + "/%C3%A4%E4%B8%96", nil, core.CodeNotFound, "record"},
		{"a long record", get, wares + "/" + strings.Repeat("x", 4000), nil, core.CodeNotFound, "record"},
		{"a change of an unknown record", patch, wares + "/unknown12345678", object{"title": "x"}, core.CodeNotFound, "record"},
		{"a deletion of an unknown record", http.MethodDelete, wares + "/unknown12345678", nil, core.CodeNotFound, "record"},
		{"a wrong filter", get, wares + storytest.Query("filter", "title = "), nil, core.CodeValidationFailed, "filter"},
		{"a filter by an unknown field", get, wares + storytest.Query("filter", "colour = 1"), nil, core.CodeValidationFailed, "colour"},
		{"a long filter", get, wares + storytest.Query("filter", strings.Repeat("price > 1 && ", 2000)+"price > 1"), nil, core.CodeValidationFailed, "filter"},
		{"a filter with a quote", get, wares + storytest.Query("filter", "title = 'x'' OR 1=1"), nil, core.CodeValidationFailed, "filter"},
		{"a sort by an unknown field", get, wares + storytest.Query("sort", "colour"), nil, core.CodeValidationFailed, "colour"},
		{"a wrong sort", get, wares + storytest.Query("sort", "title; DROP TABLE wares"), nil, core.CodeValidationFailed, "sort"},
		{"a wrong limit", get, wares + storytest.Query("limit", "0"), nil, core.CodeInvalidRequest, "limit"},
		{"a wrong cursor", get, wares + storytest.Query("cursor", "x"), nil, core.CodeInvalidCursor, ""},
		{"a filter twice", get, wares + "?filter=price=1&filter=price=2", nil, core.CodeInvalidRequest, "filter"},
		{"a list", post, wares, []any{}, core.CodeInvalidRequest, "object"},
		{"null", patch, at, json.RawMessage("null"), core.CodeInvalidRequest, "object"},
		{"text", post, wares, strings.NewReader("title=Hat"), core.CodeUnsupportedMediaType, "multipart/form-data"},
		{"broken JSON", post, wares, storytest.Form{Reader: bytes.NewReader([]byte("{")), Kind: "application/json"}, core.CodeInvalidRequest, "JSON"},
		{"a broken form", post, wares, storytest.Form{Reader: bytes.NewReader([]byte("--x\r\nContent-")), Kind: "multipart/form-data; boundary=x"}, core.CodeValidationFailed, ""},
		{"a missing field", post, wares, object{"price": 1}, core.CodeValidationFailed, "title"},
		{"a long field", patch, at, object{"title": strings.Repeat("x", 21)}, core.CodeValidationFailed, "title"},
		{"a wrong choice", patch, at, object{"sizes": "XL"}, core.CodeValidationFailed, "sizes"},
		{"a relation to nothing", post, orders, object{"ware": "unknown12345678"}, core.CodeValidationFailed, "ware"},
		{"a file too large", patch, at, form(t, make([]byte, 2000)), core.CodeValidationFailed, "picture"},
		{"a taken id", post, wares, object{"id": hat["id"], "title": "Cap"}, core.CodeValidationFailed, "id"},
		{"a required record", http.MethodDelete, at, nil, core.CodeValidationFailed, ""},
		{"a record of a view", post, b.of(core.DataTest, "cheap", "records"), object{"title": "x"}, core.CodeValidationFailed, "view"},
		{"an import into a view", post, b.of(core.DataTest, "cheap", "import"), []any{}, core.CodeValidationFailed, "view"},
	} {
		got := b.Do(row.method, row.path, row.body)
		if got.Code() != row.code || got.Status >= 500 || !strings.Contains(strings.ToLower(string(got.Body)), strings.ToLower(row.says)) {
			t.Errorf("%s: got %d %.300s, want %s that names %q", row.name, got.Status, got.Body, row.code, row.says)
		}
	}
}
