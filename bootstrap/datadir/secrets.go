package datadir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// FillSecrets reads the secrets that the environment does not give from files in
// DATA_DIR, which it creates at the first start. If a key is missing while the database
// holds values that were sealed with it, it returns an error: a new key could open none
// of them.
func FillSecrets(s *settings.Settings) error {
	if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	var err error
	if len(s.JWTSecret) == 0 {
		if s.JWTSecret, err = secretFile(filepath.Join(s.DataDir, "jwt.secret"), settings.MinSecretBytes); err != nil {
			return err
		}
	}
	if len(s.EncryptionKey) == 0 {
		name := filepath.Join(s.DataDir, "encryption.key")
		if err := mayMakeKey(name, s.DatabaseURL); err != nil {
			return err
		}
		s.EncryptionKey, err = secretFile(name, settings.KeyBytes)
	}
	return err
}

// mayMakeKey refuses a new key if the old one is needed. It asks the database only if the
// key file is missing. A missing SQLite file holds nothing.
func mayMakeKey(name, database string) error {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if file, isFile := strings.CutPrefix(database, "sqlite://"); isFile || database == "" {
		if _, err := os.Stat(file); err != nil {
			return nil
		}
	}
	ctx := context.Background()
	store, err := bunstore.Open(ctx, database)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: encryption key %s is missing, and the database cannot be asked whether it is needed: %w", name, err)
	}
	defer store.Close()
	sealed, err := store.HoldsSealed(ctx)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: encryption key %s is missing, and the database cannot be asked whether it is needed: %w", name, err)
	}
	if sealed {
		return fmt.Errorf("encryption key %s is missing, but the database holds keys and values that only it opens: restore it from a backup, or set ENCRYPTION_KEY; to give them up, make a new one with: head -c %d /dev/urandom > %s", name, settings.KeyBytes, name)
	}
	return nil
}

// secretFile reads a secret of n bytes, and creates it if it does not exist. Two
// processes that start at the same time get the same one.
func secretFile(name string, n int) ([]byte, error) {
	secret, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeSecret(name, n); err == nil {
			secret, err = os.ReadFile(name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	if len(secret) != n {
		return nil, fmt.Errorf("secret %s has %d bytes, not %d: restore it from a backup", name, len(secret), n)
	}
	return secret, nil
}

// makeSecret writes a new secret. Of two processes the first wins.
func makeSecret(name string, n int) error {
	secret := make([]byte, n)
	_, _ = rand.Read(secret) // never fails: the runtime aborts instead
	return placeFile(name, secret)
}

// placeFile durably and atomically writes a file with mode 0600. An existing file stays.
func placeFile(name string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	if err := os.Link(temp.Name(), name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(name))
}

func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
