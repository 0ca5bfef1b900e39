package sql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/backend/sql"
	"github.com/atelierhq/atelier/core"
)

// tables are people, and the posts that some of them wrote.
func tables(name string) *sql.Table {
	switch {
	case strings.EqualFold(name, "people"):
		return &sql.Table{Columns: []string{"id", "name", "age"}, Rows: func() [][]any {
			return [][]any{{"a", "Ada", 36.0}, {"b", "Bob", nil}, {"c", "Cy", 20.0}}
		}}
	case strings.EqualFold(name, "posts"):
		return &sql.Table{Columns: []string{"id", "author", "likes"}, Rows: func() [][]any {
			return [][]any{{"1", "a", 3.0}, {"2", "a", 5.0}, {"3", "b", 0.0}}
		}}
	}
	return nil
}

func TestRun(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT 1 + 2 * 3, -(1), 'it''s' || 1":                                                                              `[[7,-1,"it's1"]]`,
		"SELECT 1 / 0, 7 % 4, NOT 0, NULL = NULL":                                                                           `[[null,3,1,null]]`,
		"SELECT * FROM people LIMIT 1":                                                                                      `[["a","Ada",36]]`,
		"SELECT p.* FROM people AS p LIMIT 1 OFFSET 2":                                                                      `[["c","Cy",20]]`,
		"SELECT name FROM people WHERE age > 20 OR name LIKE 'b%'":                                                          `[["Ada"],["Bob"]]`,
		"SELECT name FROM people WHERE age IS NULL":                                                                         `[["Bob"]]`,
		"SELECT name FROM people WHERE age IS NOT NULL AND id IN ('b', 'c')":                                                `[["Cy"]]`,
		"SELECT name FROM people WHERE age NOT BETWEEN 21 AND 40":                                                           `[["Cy"]]`,
		"SELECT name FROM people ORDER BY age DESC, name":                                                                   `[["Ada"],["Cy"],["Bob"]]`,
		"SELECT name AS n FROM people ORDER BY n DESC LIMIT 1":                                                              `[["Cy"]]`,
		"SELECT p.name, likes FROM people p JOIN posts ON author = p.id":                                                    `[["Ada",3],["Ada",5],["Bob",0]]`,
		"SELECT p.id FROM people p LEFT JOIN posts o ON o.author = p.id WHERE o.id IS NULL":                                 `[["c"]]`,
		"SELECT count(*), sum(age), avg(age), min(name), max(name) FROM people":                                             `[[3,56,28,"Ada","Cy"]]`,
		"SELECT count(*), sum(age), total(age) FROM people WHERE false":                                                     `[[0,null,0]]`,
		"SELECT author, count(id) c FROM posts GROUP BY author HAVING count(id) > 1":                                        `[["a",2]]`,
		"SELECT count(DISTINCT author) FROM posts":                                                                          `[[2]]`,
		"SELECT DISTINCT author FROM posts":                                                                                 `[["a"],["b"]]`,
		"SELECT coalesce(NULL, NULL, 2), ifnull(NULL, 'x'), upper('a'), length('né'), abs(-2), lower('B'), cast(1 AS TEXT)": `[[2,"x","A",2,2,"b",1]]`,
		"select \"name\", [age], `id` from People -- a comment\n/* and another */ limit 1;":                                 `[["Ada",36,"a"]]`,
	} {
		parsed, err := sql.Parse(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		table, err := parsed.Run(tables, 10)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got, _ := json.Marshal(table.Rows); string(got) != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for query, want := range map[string]string{
		"":                                    "one SELECT",
		"DELETE FROM people":                  "one SELECT",
		"SELECT 1; SELECT 2":                  "one SELECT",
		"SELECT":                              "ends where a value is needed",
		"SELECT 1 FROM":                       "ends where a name is needed",
		"SELECT 'open":                        "an error at",
		"SELECT (1":                           "ends where )",
		"SELECT a IS 1":                       "where NULL is needed",
		"SELECT randomblob(9)":                "no such function: randomblob",
		"SELECT lower('a', 'b')":              "wrong number of arguments",
		"SELECT * FROM secrets":               "no such table: secrets",
		"SELECT * ":                           "no tables specified",
		"SELECT age2 FROM people":             "no such column: age2",
		"SELECT x.age FROM people":            "no such column: x.age",
		"SELECT " + strings.Repeat("(", 1000): "nested too deeply",
		"SELECT '" + strings.Repeat("x", 70_000) + "'": "longer than 64 KiB",
	} {
		parsed, err := sql.Parse(query)
		if err == nil {
			_, err = parsed.Run(tables, 10)
		}
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", query, err, want)
		}
	}
}

func TestRunIsBounded(t *testing.T) {
	parsed, err := sql.Parse("SELECT id FROM people")
	if err != nil {
		t.Fatal(err)
	}
	table, err := parsed.Run(tables, 2)
	if err != nil || len(table.Rows) != 2 || !table.Truncated {
		t.Errorf("got %d rows, truncated %v, %v, want 2 of 3", len(table.Rows), table.Truncated, err)
	}
	many := func(string) *sql.Table {
		return &sql.Table{Columns: []string{"n"}, Rows: func() [][]any { return make([][]any, 2000) }}
	}
	for _, query := range []string{"SELECT 1 FROM a, b", "SELECT 1 FROM a JOIN b ON false"} {
		parsed, err := sql.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parsed.Run(many, 1); err == nil || !strings.Contains(err.Error(), "takes too long") {
			t.Errorf("%s over 4 million pairs: got %v, want that it takes too long", query, err)
		}
	}
}

func TestColumns(t *testing.T) {
	parsed, err := sql.Parse("SELECT p.id, name AS called, count(o.id) AS posts, age + 1 FROM people p LEFT JOIN posts o ON o.author = p.id GROUP BY p.id")
	if err != nil {
		t.Fatal(err)
	}
	columns, err := parsed.Columns(tables)
	if err != nil {
		t.Fatal(err)
	}
	want := []sql.Column{
		{Name: "id", Table: "people", Field: "id"}, {Name: "called", Table: "people", Field: "name"},
		{Name: "posts", Counts: true}, {Name: "age+1"},
	}
	for i := range want {
		if len(columns) != len(want) || columns[i] != want[i] {
			t.Fatalf("got %+v, want %+v", columns, want)
		}
	}
}
