package values_test

import (
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

func TestLike(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{"Ada", "ada", true}, {"Ada", "a%", true}, {"Ada", "%d%", true}, {"Ada", "_d_", true}, {"Ada", "d", false},
		{"", "%", true}, {"", "_", false}, {"é", "_", true}, {"aXbXc", "%x_", true}, {"aXbXc", "a%b", false},
		{"50%", `50\%`, true}, {"500", `50\%`, false}, {"a_b", `a\_b`, true}, {"axb", `a\_b`, false},
	} {
		if got := values.Like(c.text, c.pattern); got != c.want {
			t.Errorf("%q LIKE %q: got %v", c.text, c.pattern, got)
		}
	}
}

func TestWildcard(t *testing.T) {
	for text, want := range map[string]string{
		"new": "%new%", "n%w": "n%w", "a_b": `%a\_b%`, `50\%`: `%50\%%`, `a\b`: `%a\\b%`,
	} {
		if got := values.Wildcard(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestCompare has plain values in their order.
func TestCompare(t *testing.T) {
	ordered := []any{nil, -1.0, 0.0, "1", 2.0, "10", "9", "a", "b"}
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {0, 8}, {4, 7}} {
		a, b := ordered[pair[0]], ordered[pair[1]]
		if values.Compare(a, b) >= 0 || values.Compare(b, a) <= 0 {
			t.Errorf("%#v is not before %#v", a, b)
		}
	}
	if values.Compare("1", 1.0) != 0 || values.Compare(nil, nil) != 0 {
		t.Error("what is equal differs")
	}
}

func TestConversions(t *testing.T) {
	for name, c := range map[string]struct{ got, want any }{
		"a number as a text":       {values.Text(1.5), "1.5"},
		"null as a text":           {values.Text(nil), ""},
		"JSON as a text":           {values.Text([]any{"a", 1.0}), `["a",1]`},
		"a text as texts":          {values.Texts("a"), []string{"a"}},
		"a JSON text as texts":     {values.Texts(`["a","","b"]`), []string{"a", "b"}},
		"a list as texts":          {values.Texts([]any{"a", 2.0}), []string{"a", "2"}},
		"a text as a number":       {values.Number("2.5"), 2.5},
		"a word as a number":       {values.Number("two"), "two"},
		"a word as a float":        {values.Float("two"), 0.0},
		"true as a number":         {values.Number(true), 1.0},
		"a bool as SQLite's":       {values.Plain(false), 0.0},
		"a list as SQLite's":       {values.Plain([]string{"a"}), `["a"]`},
		"a text as a geo point":    {values.GeoPoint(`{"lon":1,"lat":"2"}`), map[string]any{"lon": 1.0, "lat": 2.0}},
		"a day as a date":          {values.Date("2024-02-29"), "2024-02-29 00:00:00.000Z"},
		"an offset as a date":      {values.Date("2024-01-01T02:00:00+02:00"), "2024-01-01 00:00:00.000Z"},
		"no day as a date":         {values.Date("2023-02-29"), ""},
		"a member of a list":       {values.Member(map[string]any{"a": []any{"x", "y"}}, []string{"a", "1"}), "y"},
		"a member beyond the list": {values.Member([]any{"x"}, []string{"1"}), nil},
		"a member of a text":       {values.Member("x", []string{"a"}), nil},
		"zero at 0,0":              {values.IsZero(map[string]any{"lon": 0.0, "lat": 0.0}), true},
		"zero of a list":           {values.IsZero([]string{"a"}), false},
		"texts once":               {values.Unique([]string{"a", "b", "a"}), []string{"a", "b"}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %#v, want %#v", name, c.got, c.want)
		}
	}
}
