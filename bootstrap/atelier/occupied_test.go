package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
)

// TestASecondServeOnTheSameDataIsRefused starts while a first one holds the lock, and
// names it.
func TestASecondServeOnTheSameDataIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ database, want string }{
		"one data directory":  {"", "DATA_DIR "},
		"one PostgreSQL only": {freshSchema(t), "DATABASE_URL: "},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"DATA_DIR": t.TempDir(), "DATABASE_URL": c.database, "LISTEN_ADDR": "127.0.0.1:0", "PREPARE": "off"}
			s, err := settings.Read(func(name string) string { return env[name] })
			if err != nil {
				t.Fatal(err)
			}
			leave, err := datadir.Occupy(t.Context(), s, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			if c.database != "" {
				env["DATA_DIR"] = t.TempDir()
			}
			_, err = atelier(t, env, "serve")
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) {
				t.Errorf("got %v, want %q and who holds it", err, c.want)
			}
			if _, err := atelier(t, env, "migrate"); err != nil {
				t.Errorf("migrate beside it: got %v, want nil", err)
			}
		})
	}
}

// freshSchema returns the address of a new schema on the server that the test command
// provides.
func freshSchema(t *testing.T) string {
	t.Helper()
	address, err := url.Parse(os.Getenv("ATELIER_TEST_POSTGRES"))
	if err != nil || address.Host == "" {
		t.Fatal("ATELIER_TEST_POSTGRES is not set: run `make test`, which starts a PostgreSQL server for the tests")
	}
	admin, err := pgx.Connect(context.Background(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	schema := "occupied_" + strings.ReplaceAll(string(core.NewID()), "-", "")
	if _, err := admin.Exec(context.Background(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := admin.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
		if err := errors.Join(err, admin.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	options := address.Query()
	options.Set("search_path", schema)
	address.RawQuery = options.Encode()
	return address.String()
}
