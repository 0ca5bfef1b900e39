package backendtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// list returns a page of a collection, and a field of its records.
func (s *suite) list(t *testing.T, collection, field string, query backend.RecordQuery) ([]string, backend.RecordPage) {
	t.Helper()
	page, err := s.engine.List(t.Context(), s.place, collection, query)
	conformance.Must(t, err)
	if len(page.Records) > query.Limit {
		t.Fatalf("got %d records, want %d at most", len(page.Records), query.Limit)
	}
	values := []string{}
	for _, text := range page.Records {
		var record map[string]any
		conformance.Must(t, json.Unmarshal(text, &record))
		values = append(values, fmt.Sprint(record[field]))
	}
	return values, page
}

// walk lists a collection page by page, and calls between before each further page.
func (s *suite) walk(t *testing.T, collection, field string, query backend.RecordQuery, between func(page int)) []string {
	t.Helper()
	var all []string
	for n := 1; ; n++ {
		values, page := s.list(t, collection, field, query)
		all = append(all, values...)
		if page.Next == "" || n > 1000 {
			return all
		}
		query.After = page.Next
		if between != nil {
			between(n)
		}
	}
}

// numbered inserts entries "00" to "n-1", which are newer with each.
func (s *suite) numbered(t *testing.T, n int) {
	t.Helper()
	s.apply(t, guestbook())
	made := make([]map[string]any, n)
	for i := range made {
		made[i] = map[string]any{"id": fmt.Sprintf("numbered%07d", i), "text": fmt.Sprintf("%02d", i), "stars": i % 3}
	}
	s.insert(t, "entries", made...)
}

// pagesStay: what is created, changed or removed between two pages neither repeats nor hides another
// record.
func pagesStay(t *testing.T, s *suite) {
	s.numbered(t, 10)
	owner := s.owner()
	got := s.walk(t, "entries", "text", backend.RecordQuery{Limit: 3}, func(page int) {
		owner.make(t, "entries", map[string]any{"text": fmt.Sprint("new ", page)})
		if page == 1 {
			// The last record that was seen, and one that was not.
			owner.must(t, 204, "DELETE", "collections/entries/records/numbered0000007", nil)
			owner.must(t, 204, "DELETE", "collections/entries/records/numbered0000004", nil)
		}
	})
	if want := []string{"09", "08", "07", "06", "05", "03", "02", "01", "00"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, page := s.list(t, "entries", "text", backend.RecordQuery{Limit: 1}); page.Total != 10 || page.Next == "" {
		t.Errorf("got %d records in all, and %q, want 10, and more", page.Total, page.Next)
	}
	if _, page := s.list(t, "entries", "text", backend.RecordQuery{Filter: "text = '01'", Limit: 1}); page.Total != 1 || page.Next != "" {
		t.Errorf("got %d records for a filter, and %q, want one", page.Total, page.Next)
	}
	first, page := s.list(t, "entries", "text", backend.RecordQuery{Sort: "text", Limit: 2})
	owner.must(t, 200, "PATCH", "collections/entries/records/numbered0000001", map[string]any{"text": "zz"})
	second, _ := s.list(t, "entries", "text", backend.RecordQuery{Sort: "text", Limit: 2, After: page.Next})
	if want := "[00 01] [02 03]"; fmt.Sprint(first, second) != want {
		t.Errorf("got %v %v around a changed record, want %s", first, second, want)
	}
	s.engine = s.harness.Reopen(t)
	if again, _ := s.list(t, "entries", "text", backend.RecordQuery{Sort: "text", Limit: 2, After: page.Next}); !slices.Equal(again, second) {
		t.Errorf("got %v after a restart, want %v", again, second)
	}
}

// pagesFollowOrders: pages of any size are the parts of the whole list.
func pagesFollowOrders(t *testing.T, s *suite) {
	s.numbered(t, 9)
	schema := guestbook()
	entries(&schema).Fields = append(entries(&schema).Fields,
		backend.Field{ID: "f_any", Name: "anything", Type: "json"}, backend.Field{ID: "f_long", Name: "long", Type: "editor"},
		backend.Field{ID: "f_yes", Name: "yes", Type: "bool"}, backend.Field{ID: "f_day", Name: "day", Type: "date"})
	s.apply(t, schema)
	long := strings.Repeat("ä", 700)
	for i, anything := range []any{nil, 5, "5", "ten", 0.1, true, []int{1}, map[string]any{"a": nil}, ""} {
		s.owner().must(t, 200, "PATCH", fmt.Sprintf("collections/entries/records/numbered%07d", i), map[string]any{
			"anything": anything, "long": long[:2*(i%2)*700] + fmt.Sprint(i%4), "yes": i%2 == 0, "day": fmt.Sprintf("2026-01-0%d 00:00:00.000Z", 1+i%4),
		})
	}
	for _, order := range []string{
		"", "text", "-text", "stars", "-stars,text", "stars,-text", "anything", "-anything", "-anything.a,stars", "long", "-long", "yes,-day", "@rowid", "-@rowid", "stars,yes,day,text,created,id", "-id",
	} {
		whole := s.walk(t, "entries", "text", backend.RecordQuery{Sort: order, Limit: 100}, nil)
		if len(whole) != 9 {
			t.Errorf("%q: got %d records, want 9", order, len(whole))
		}
		for _, limit := range []int{1, 2, 4} {
			if got := s.walk(t, "entries", "text", backend.RecordQuery{Sort: order, Limit: limit}, nil); !slices.Equal(got, whole) {
				t.Errorf("%q by %d: got %v, want %v", order, limit, got, whole)
			}
		}
		for _, skip := range []int{0, 1, 4, 8, 9, 50} {
			got, page := s.list(t, "entries", "text", backend.RecordQuery{Sort: order, Skip: skip, Limit: 3})
			want := whole[min(skip, 9):min(skip+3, 9)]
			if !slices.Equal(got, want) || page.Total != 9 || (page.Next != "") != (skip+3 < 9) {
				t.Errorf("%q behind %d: got %v of %d, and %q, want %v of 9", order, skip, got, page.Total, page.Next, want)
			}
		}
	}
	for order, want := range map[string]string{
		"": "[08 07 06 05 04 03 02 01 00]", "stars": "[06 03 00 07 04 01 08 05 02]", "-stars,text": "[02 05 08 01 04 07 00 03 06]", "@rowid": "[00 01 02 03 04 05 06 07 08]",
	} {
		if got := s.walk(t, "entries", "text", backend.RecordQuery{Sort: order, Limit: 4}, nil); fmt.Sprint(got) != want {
			t.Errorf("%q: got %v, want %s", order, got, want)
		}
	}
	_, page := s.list(t, "entries", "text", backend.RecordQuery{Sort: "@random", Limit: 4})
	if len(page.Records) != 4 || page.Total != 9 || page.Next != "" {
		t.Errorf("got %d of %d records in no order, and %q, want 4 of 9, and no position", len(page.Records), page.Total, page.Next)
	}
}

// pagesOfOtherKinds: a record with several related ones is listed once, and views have pages, too.
func pagesOfOtherKinds(t *testing.T, s *suite) {
	anna, _, ids := s.blogged(t)
	for range 3 {
		anna.make(t, "posts", map[string]any{"title": "birds", "writer": ids["anna"], "tags": []string{ids["b"], ids["a"]}})
	}
	for _, query := range []backend.RecordQuery{
		{Sort: "tags.name,title"}, {Sort: "-tags.name"}, {Sort: "writer.email,-title"}, {Filter: "tags.name ?= 'a' || title = 'fish'", Sort: "title"}, {Filter: "@collection.comments.words != 'x'", Sort: "-tags.name,title"},
	} {
		query.Limit = 100
		whole := s.walk(t, "posts", "id", query, nil)
		distinct := slices.Compact(slices.Sorted(slices.Values(whole)))
		if len(whole) != 6 || len(distinct) != 6 {
			t.Errorf("%+v: got %v, want each of 6 records once", query, whole)
		}
		for _, limit := range []int{1, 2} {
			query.Limit = limit
			if got := s.walk(t, "posts", "id", query, nil); !slices.Equal(got, whole) {
				t.Errorf("%+v: got %v, want %v", query, got, whole)
			}
			if _, page := s.list(t, "posts", "id", query); page.Total != 6 {
				t.Errorf("%+v: got %d records in all, want 6", query, page.Total)
			}
		}
	}
	schema := blog()
	schema.Collections = append(schema.Collections, backend.Collection{
		ID: "pbc_titles", Name: "titles", Type: backend.View, Options: options{"viewQuery": raw("SELECT id, title, writer FROM posts WHERE title != 'fish'")},
	})
	s.apply(t, schema)
	for order, want := range map[string]string{"title": "[birds birds birds cats dogs]", "-title": "[dogs cats birds birds birds]"} {
		if got := s.walk(t, "titles", "title", backend.RecordQuery{Sort: order, Limit: 2}, nil); fmt.Sprint(got) != want {
			t.Errorf("%q: got %v of the view, want %s", order, got, want)
		}
	}
	got := s.walk(t, "titles", "id", backend.RecordQuery{Limit: 2}, nil)
	if len(got) != 5 || !slices.IsSorted(got) {
		t.Errorf("got %v of the view, want 5 records by their ids", got)
	}
	users, _ := s.list(t, "users", "email", backend.RecordQuery{Sort: "email", Limit: 2})
	if fmt.Sprint(users) != "[anna@example.com ben@example.com]" {
		t.Errorf("got %v, want the addresses of users", users)
	}
	secrets, _ := s.list(t, "users", "tokenKey", backend.RecordQuery{Limit: 1})
	if fmt.Sprint(secrets) != "[<nil>]" {
		t.Errorf("got %v, want no secret", secrets)
	}
}

func refusesWrongLists(t *testing.T, s *suite) {
	s.numbered(t, 4)
	for _, query := range []backend.RecordQuery{
		{Filter: "colour = 1"}, {Filter: "text = "}, {Sort: "colour"}, {Sort: "text,,colour"}, {Sort: "@request.auth.id"}, {Sort: "text;drop"}, {Filter: strings.Repeat("x", 4000)}, {Sort: strings.Repeat("text,", 8) + "text"},
	} {
		query.Limit = 2
		if _, err := s.engine.List(t.Context(), s.place, "entries", query); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%+v: got %v, want code %s", query, err, core.CodeValidationFailed)
		}
	}
	_, err := s.engine.List(t.Context(), s.place, "entries", backend.RecordQuery{Sort: "colour", Limit: 2})
	if err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("got %v, want the field named", err)
	}
	for _, query := range []backend.RecordQuery{{After: "x"}, {After: "[]"}, {After: "[1,2,3]"}, {Sort: "@random", After: `["bjE="]`}} {
		query.Limit = 2
		if _, err := s.engine.List(t.Context(), s.place, "entries", query); !core.IsCode(err, core.CodeInvalidCursor) {
			t.Errorf("%+v: got %v, want code %s", query, err, core.CodeInvalidCursor)
		}
	}
	for _, collection := range []string{"nowhere", "_superusers", "_otps"} {
		if _, err := s.engine.List(t.Context(), s.place, collection, backend.RecordQuery{Limit: 2}); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want code %s", collection, err, core.CodeNotFound)
		}
	}
	elsewhere := backend.Place{Project: core.NewID(), Env: core.DataTest}
	if _, err := s.engine.List(t.Context(), elsewhere, "entries", backend.RecordQuery{Limit: 2}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v for a place without data, want code %s", err, core.CodeNotFound)
	}
}
