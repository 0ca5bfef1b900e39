package bootstrap

import (
	"fmt"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/s3"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core/backups"
)

// Vault is where BACKUP_TARGET says that backups are.
func Vault(s settings.Settings, archive backups.Archive, now func() time.Time) (*backups.Vault, error) {
	vault := &backups.Vault{Archive: archive, Keep: s.Backup.Keep, Now: now}
	switch {
	case s.Backup.Folder != "":
		vault.Objects = disk.NewObjects(s.Backup.Folder)
	case s.Backup.Bucket != nil:
		bucket, err := s3.New(*s.Backup.Bucket)
		if err != nil {
			return nil, fmt.Errorf("BACKUP_ENDPOINT: %w", err)
		}
		vault.Objects = bucket
	}
	return vault, nil
}

// BackupSettings say which backups the service makes.
func BackupSettings(s settings.Settings) backups.Settings {
	target := s.Backup.Folder
	if bucket := s.Backup.Bucket; bucket != nil {
		target = "s3://" + bucket.Bucket + "/" + bucket.Prefix
	}
	return backups.Settings{Schedule: s.Backup.Schedule, Target: target, Encrypted: !s.Backup.Key.IsZero()}
}
