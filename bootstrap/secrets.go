package bootstrap

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FillSecrets completes the secrets that the environment does not give from the
// files in DATA_DIR, which are made at the first start.
func FillSecrets(settings *Settings) error {
	if err := os.MkdirAll(settings.DataDir, 0o700); err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	var err error
	if len(settings.JWTSecret) == 0 {
		if settings.JWTSecret, err = secretFile(filepath.Join(settings.DataDir, "jwt.secret"), minSecretBytes); err != nil {
			return err
		}
	}
	if len(settings.EncryptionKey) == 0 {
		settings.EncryptionKey, err = secretFile(filepath.Join(settings.DataDir, "encryption.key"), keyBytes)
	}
	return err
}

// secretFile reads a secret of n bytes, and makes it when there is none. Two
// processes that start at once end up with the same one.
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
		return nil, fmt.Errorf("secret %s has %d bytes, not %d: restore it from a backup, or remove it to make a new one (which ends all sessions and loses sealed keys)", name, len(secret), n)
	}
	return secret, nil
}

// makeSecret writes a new secret. Of two processes the first wins.
func makeSecret(name string, n int) error {
	secret := make([]byte, n)
	_, _ = rand.Read(secret) // never fails: the runtime aborts instead
	return placeFile(name, secret)
}

// placeFile writes a file with mode 0600 durably, whole or not at all. One that is
// there already stays.
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
