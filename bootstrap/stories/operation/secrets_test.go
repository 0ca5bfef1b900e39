package operation_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

func TestALostKeyIsNotReplacedWhileSealedValuesNeedIt(t *testing.T) {
	for name, more := range map[string]map[string]string{"SQLite": {}, "PostgreSQL": storytest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			values := map[string]string{"DATA_DIR": t.TempDir()}
			maps.Copy(values, more)
			settings := secretSettings(t, values)
			key := filepath.Join(settings.DataDir, "encryption.key")
			if err := datadir.FillSecrets(&settings); err != nil {
				t.Fatal(err)
			}
			store, err := bunstore.Open(t.Context(), settings.DatabaseURL)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(key); err != nil {
				t.Fatal(err)
			}
			again := secretSettings(t, values)
			if err := datadir.FillSecrets(&again); err != nil {
				t.Fatalf("nothing is sealed: got %v, want a new key", err)
			}
			at := core.At(time.Now())
			if err := store.Tables().Mails.Create(t.Context(), core.MailJob{ID: core.NewID(), Sealed: []byte("sealed"), DueAt: at, CreatedAt: at}); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(key); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				lost := secretSettings(t, values)
				err := datadir.FillSecrets(&lost)
				if err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "restore it from a backup") {
					t.Errorf("got %v, want the file named and what to do", err)
				}
			}
			if _, err := os.Stat(key); !os.IsNotExist(err) {
				t.Errorf("got %v, want no new key", err)
			}
		})
	}
}

func secretSettings(t *testing.T, values map[string]string) settings.Settings {
	t.Helper()
	s, err := settings.Read(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPublishedSecretsAreRefused(t *testing.T) {
	for variable, values := range map[string][]string{
		"JWT_SECRET":     {"change-me-change-me-change-me-change-me-change-me-change-me-1234", "CHANGE-ME-to-a-long-random-text-of-your-own"},
		"ENCRYPTION_KEY": {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
	} {
		for _, value := range values {
			_, err := settings.Read(func(name string) string { return map[string]string{variable: value}[name] })
			if err == nil || !strings.HasPrefix(err.Error(), variable) || strings.Contains(err.Error(), value) || !strings.Contains(err.Error(), "openssl rand") {
				t.Errorf("%s=%s: got %v, want a refusal that names the variable and how to make a secret", variable, value, err)
			}
		}
	}
}

// TestTheExampleBeginsWithoutSecrets reads the file that operators copy.
func TestTheExampleBeginsWithoutSecrets(t *testing.T) {
	file, err := settings.ReadEnvFile("../../examples/cluster/atelier.env")
	if err != nil {
		t.Fatal(err)
	}
	_, err = settings.Read(file.Or(func(string) string { return "" }))
	if err == nil || !strings.Contains(err.Error(), "JWT_SECRET") {
		t.Errorf("got %v, want the example to be refused until it has secrets", err)
	}
}
