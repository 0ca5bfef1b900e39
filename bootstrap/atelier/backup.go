package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/archive"
	"github.com/atelierhq/atelier/core/backups"
)

// vault returns the place of backups that the settings name.
func (c *command) vault() (*backups.Vault, error) {
	return bootstrap.Vault(c.settings, archive.New(c.settings, c.log), time.Now)
}

// backup writes everything that cannot be rebuilt into one archive: a file, or one in BACKUP_TARGET, where it
// is verified. The service may be running.
func (c *command) backup(ctx context.Context, args []string) error {
	if len(args) == 1 {
		return c.backupTo(ctx, args[0])
	}
	vault, err := c.vault()
	if err != nil {
		return err
	}
	if !vault.On() {
		return errors.New("backup takes the name of the archive to write, such as atelier.tar.gz, or a BACKUP_TARGET")
	}
	made, err := vault.Make(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s, %d MiB, was written and verified: %s\n", made.Name, made.Bytes>>20, c.sayKey())
	return err
}

// backupTo writes an archive to a new file.
func (c *command) backupTo(ctx context.Context, name string) error {
	partial, err := os.OpenFile(name+".part", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name())
	_, err = archive.New(c.settings, c.log).Write(ctx, partial)
	if err := errors.Join(err, partial.Sync(), partial.Close()); err != nil {
		return err
	}
	if err := os.Rename(partial.Name(), name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s holds the database, projects, their data, sites and the secrets of DATA_DIR: %s\n", name, c.sayKey())
	return err
}

// sayKey says how safe an archive is.
func (c *command) sayKey() string {
	if c.settings.Backup.Key.IsZero() {
		return "it is not encrypted (BACKUP_KEY), so keep it as safe as the service itself"
	}
	return "it is encrypted, so keep BACKUP_KEY in another place as well"
}

// restore unpacks an archive, which is a file, or one in BACKUP_TARGET by its name or as "latest".
func (c *command) restore(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("restore takes the name of an archive that atelier backup wrote, or latest with a BACKUP_TARGET")
	}
	content, err := c.openArchive(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	return archive.New(c.settings, c.log).Restore(ctx, content, c.out)
}

func (c *command) openArchive(ctx context.Context, name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if !errors.Is(err, fs.ErrNotExist) || c.settings.Backup.IsZero() {
		return file, err
	}
	vault, err := c.vault()
	if err != nil {
		return nil, err
	}
	name, content, err := vault.Open(ctx, name)
	if err == nil {
		_, err = fmt.Fprintf(c.out, "restoring %s\n", name)
	}
	return content, err
}
