package backends_test

import (
	"bytes"
	"fmt"
	"net/http"
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
		{"a row that is too long", "", file("text/csv", "title\nHat,1\n"), core.CodeInvalidRequest, "line 2"},
		{"nothing as a table", "", file("text/csv", ""), core.CodeInvalidRequest, "names of the fields"},
		{"no list", "", file("application/json", `"Hat"`), core.CodeInvalidRequest, "list of records"},
		{"bytes", "?format=csv", file("application/octet-stream", "title\n\xff\n"), core.CodeInvalidRequest, "UTF-8"},
		{"an unknown type", "", file("text/plain", "title\nHat\n"), core.CodeUnsupportedMediaType, "text/csv"},
		{"an unknown format", "?format=xlsx", file("text/csv", "title\nHat\n"), core.CodeValidationFailed, "format"},
		{"too many records", "", file("text/csv", "title\n"+strings.Repeat("Hat\n", 10_001)), core.CodeValidationFailed, "10000"},
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
