package backendtest

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

func queries(t *testing.T, s *suite) {
	s.filled(t)
	got, err := s.engine.Query(t.Context(), s.place, "SELECT text, stars FROM entries WHERE stars > 1 ORDER BY text;")
	conformance.Must(t, err)
	if len(got.Rows) != 2 || got.Rows[0][0] != "first entry" || len(got.Columns) != 2 || got.Columns[1] != "stars" || got.Truncated {
		t.Errorf("got %+v", got)
	}
	got, err = s.engine.Query(t.Context(), s.place, "SELECT count(*) AS n FROM entries")
	conformance.Must(t, err)
	if len(got.Rows) != 1 || got.Rows[0][0] != 2.0 && got.Rows[0][0] != int64(2) {
		t.Errorf("got %+v", got)
	}
}

func queriesHideSecrets(t *testing.T, s *suite) {
	s.filled(t)
	got, err := s.engine.Query(t.Context(), s.place, "SELECT email, password, tokenKey FROM users")
	conformance.Must(t, err)
	if len(got.Rows) != 1 || got.Rows[0][0] != "anna@example.com" || got.Rows[0][1] != nil || got.Rows[0][2] != nil {
		t.Errorf("got %+v", got)
	}
}

// queriesSeeOnlyCollections tries the engine's own tables, which hold the keys of tokens.
func queriesSeeOnlyCollections(t *testing.T, s *suite) {
	s.filled(t)
	for _, table := range []string{"_collections", "_params", "_superusers", "_externalAuths", "_otps", "_migrations"} {
		got, err := s.engine.Query(t.Context(), s.place, "SELECT * FROM "+table)
		if err == nil && len(got.Rows) > 0 || err != nil && !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("a query of %s returned %v, %v", table, got, err)
		}
	}
}

func queriesOnlySelect(t *testing.T, s *suite) {
	s.filled(t)
	for _, sql := range []string{
		"", "DELETE FROM entries", "UPDATE entries SET text = 'x'", "SELECT 1; DELETE FROM entries", "SELECT 1); DELETE FROM entries; SELECT (1",
		"PRAGMA query_only = 0", "ATTACH DATABASE '/etc/passwd' AS x", "SELECT * FROM nowhere", "SELECT text FROM", "VACUUM", "SELECT '",
		"SELECT * FROM main.users", "SELECT hex(data) AS page FROM pragma_database_list AS d, sqlite_dbpage WHERE schema = d.name", "SELECT * FROM sqlite_schema",
	} {
		if got, err := s.engine.Query(t.Context(), s.place, sql); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q returned %v, %v; want code %s", sql, got, err, core.CodeValidationFailed)
		}
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q", got)
	}
	nowhere := backend.Place{Project: core.NewID(), Env: core.DataTest}
	if _, err := s.engine.Query(t.Context(), nowhere, "SELECT 1"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("a query of no place returned %v", err)
	}
}

// queriesEnd has a moment for a query, in which nothing but an endless one is asked.
func queriesEnd(t *testing.T, s *suite) {
	s.filled(t)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	if got, err := s.engine.Query(t.Context(), s.place, endless); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, %v; want code %s", got, err, core.CodeValidationFailed)
	}
}
