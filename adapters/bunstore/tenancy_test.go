package bunstore

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/core"
)

func TestProcessesThatDoNotHearOfEachOtherShareNoDatabase(t *testing.T) {
	address := newPostgres(t)
	open := func(name string, alone bool) (*Tenancy, error) {
		tenancy, err := openTenancy(t.Context(), address, Tenant{name, alone}, slog.New(slog.DiscardHandler), 50*time.Millisecond)
		if err == nil {
			t.Cleanup(tenancy.Close)
		}
		return tenancy, err
	}
	alone, err := open("atelier serve, process 1 on red", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range []bool{true, false} {
		_, err := open("atelier serve, process 2 on blue", second)
		if !core.IsCode(err, core.CodeConflict) || !strings.Contains(err.Error(), "process 1 on red") || !strings.Contains(err.Error(), "NATS_URL") {
			t.Errorf("alone %v beside one that is: got %v, want a refusal that names the holder and NATS_URL", second, err)
		}
	}
	alone.Close()
	for _, name := range []string{"first", "second"} {
		if _, err := open(name, false); err != nil {
			t.Errorf("%s of several: got %v, want nil", name, err)
		}
	}
	if _, err := open("third", true); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("alone beside several: got %v, want code %s", err, core.CodeConflict)
	}
}

// TestAClaimOutlivesItsConnection ends the session as a restart of the server does.
func TestAClaimOutlivesItsConnection(t *testing.T) {
	address := newPostgres(t)
	tenancy, err := openTenancy(t.Context(), address, Tenant{"atelier lost", true}, slog.New(slog.DiscardHandler), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer tenancy.Close()
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	holders := "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted AND application_name = 'atelier lost'"
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atelier lost'"); err != nil {
		t.Fatal(err)
	}
	for held := 0; held == 0; {
		if err := admin.QueryRow(t.Context(), holders).Scan(&held); err != nil {
			t.Fatal(err)
		}
	}
}
