package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/bunstore"
)

// Check reads an archive to its end, as Restore would: it decrypts and unpacks it, and checks every
// SQLite database in it. It returns the digest that Write returned. With a key that only
// encrypts it returns "", having read nothing.
func (a *Archive) Check(ctx context.Context, from io.Reader) (digest string, err error) {
	if !a.settings.Backup.Key.Decrypts() {
		return "", nil
	}
	opened, err := a.settings.Backup.Key.Decrypt(from)
	if err != nil {
		return "", err
	}
	zipped, err := gzip.NewReader(opened)
	if err != nil {
		return "", fmt.Errorf("this is no archive of atelier backup: %w", err)
	}
	sum := sha256.New()
	content := io.TeeReader(zipped, sum)
	err = a.scratch(func(folder string) error { return checkEntries(ctx, content, filepath.Join(folder, "check.db")) })
	if err == nil {
		err = drain(content, opened)
	}
	if err != nil {
		return "", fmt.Errorf("the archive is damaged: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// checkEntries reads all entries, and checks the databases among them in a temporary file.
func checkEntries(ctx context.Context, content io.Reader, temporary string) error {
	entries := tar.NewReader(content)
	hasDatabase := false
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		hasDatabase = hasDatabase || header.Name == databaseName || strings.HasPrefix(header.Name, postgresDir+"/")
		if header.Name == databaseName || isBackendDatabase(header.Name) {
			err = checkDatabase(ctx, entries, temporary)
		}
		if err := errors.Join(ctx.Err(), err); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
	if !hasDatabase {
		return errors.New("it has no database")
	}
	return nil
}

// isBackendDatabase reports whether an entry is the database of an application.
func isBackendDatabase(name string) bool {
	below, inBackends := strings.CutPrefix(name, BackendsDir+"/")
	return inBackends && IsDatabase(below) && strings.HasSuffix(below, "/data.db")
}

func checkDatabase(ctx context.Context, content io.Reader, temporary string) error {
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	err = bunstore.CheckSQLite(ctx, temporary)
	for _, journal := range []string{"", "-wal", "-shm"} {
		if gone := os.Remove(temporary + journal); journal == "" {
			err = errors.Join(err, gone)
		}
	}
	return err
}
