package bunstore

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
)

// pausableProxy is a proxy between a store and its server that can stop passing bytes on, like
// a server that is stopped or cut off silently.
type pausableProxy struct {
	gate sync.RWMutex
}

// put makes the address of a database lead through the pausable.
func (p *pausableProxy) put(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	server := parsed.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go p.pass(client, upstream)
			go p.pass(upstream, client)
		}
	}()
	parsed.Host = listener.Addr().String()
	return parsed.String()
}

func (p *pausableProxy) pass(to io.WriteCloser, from io.ReadCloser) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		p.gate.RLock()
		if n > 0 {
			_, _ = to.Write(buffer[:n])
		}
		p.gate.RUnlock()
		if err != nil {
			return
		}
	}
}

func TestAServerThatFallsSilentHoldsNobodyForEver(t *testing.T) {
	var between pausableProxy
	address := newPostgres(t)
	migrated(t, address)
	store, err := open(t.Context(), between.put(t, address), limits{
		call: 200 * time.Millisecond, tx: 200 * time.Millisecond, migration: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	user := core.User{ID: core.NewID(), Email: "a@example.com"}
	calls := map[string]func(context.Context) error{
		"read": func(ctx context.Context) error {
			_, err := store.Tables().Users.ByEmail(ctx, "b@example.com")
			return err
		},
		"exec": func(ctx context.Context) error { return store.Tables().Users.Create(ctx, user) },
		"write": func(ctx context.Context) error {
			_, err := store.Tables().Files.Apply(ctx, user.ID, storage.FileDelta{})
			return err
		},
		"tx":      func(ctx context.Context) error { return store.InTx(ctx, createTwo(user)) },
		"ping":    store.Ping,
		"pending": func(ctx context.Context) error { _, err := store.Pending(ctx); return err },
		"migrate": store.Migrate,
	}
	between.gate.Lock()
	for name, call := range calls {
		if err := call(t.Context()); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeUnavailable)
		}
	}
	between.gate.Unlock()
	store.limits = defaultLimits
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("when the server speaks again: got %v, want nil", err)
	}
}

func createTwo(user core.User) func(context.Context, storage.Tables) error {
	return func(ctx context.Context, in storage.Tables) error {
		if err := in.Users.Create(ctx, user); err != nil {
			return err
		}
		return in.Users.Create(ctx, core.User{ID: core.NewID(), Email: "c@example.com"})
	}
}

// TestTheDatabasesClockCounts lets the database's clock go ahead of this machine's: its
// own clock_timestamp comes before that of PostgreSQL.
func TestTheDatabasesClockCounts(t *testing.T) {
	const ahead = time.Hour
	address := newPostgres(t)
	_, err := opened(t, address).writer.ExecContext(t.Context(), "CREATE FUNCTION clock_timestamp() RETURNS timestamptz "+
		"LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	store := opened(t, withOption(t, address, "search_path", parsed.Query().Get("search_path")+",pg_catalog"))
	before, got, after := time.Now().Add(ahead), store.Now(), time.Now().Add(ahead)
	const near = 5 * time.Second
	if got.Before(before.Add(-near)) || got.After(after.Add(near)) {
		t.Errorf("got %v, want about %v", got, before)
	}
	conformance.Eventually(t, "a later time", func() bool { return store.Now().Sub(got) >= 10*time.Millisecond })
	if off := store.Now().Sub(time.Now().Add(ahead)).Abs(); off > near {
		t.Errorf("later: got a clock that is off by %v", off)
	}
}

func TestAStoreOutlivesItsConnections(t *testing.T) {
	address := newPostgres(t)
	migrated(t, address)
	admin := opened(t, address)
	mark := "t" + strings.ReplaceAll(string(core.NewID()), "-", "")
	store := opened(t, withOption(t, address, "application_name", mark))
	for range 3 {
		_, err := admin.writer.ExecContext(t.Context(),
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?", mark)
		if err != nil {
			t.Fatal(err)
		}
		// The first call may meet the broken connection; the next has a new one.
		_ = store.Ping(t.Context())
		if err := store.Ping(t.Context()); err != nil {
			t.Errorf("got %v, want nil", err)
		}
	}
}

func TestAnAddressThatCannotBeReadOrReachedKeepsItsPassword(t *testing.T) {
	for address, want := range map[string]core.Code{
		"postgres://atelier:hunter2@127.0.0.1:1/name?sslmode=disable": core.CodeUnavailable,
		"postgres://atelier:hunter2@127.0.0.1:no/name":                core.CodeValidationFailed,
		"postgresql://atelier:hunter2@127.0.0.1/name?sslmode=maybe":   core.CodeValidationFailed,
	} {
		_, err := Open(t.Context(), address)
		if !core.IsCode(err, want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want code %s without the password", err, want)
		}
	}
}
