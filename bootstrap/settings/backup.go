package settings

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/age"
	"github.com/atelierhq/atelier/adapters/s3"
	"github.com/atelierhq/atelier/core"
)

// Backup says where backups go, when, and how they are encrypted.
type Backup struct {
	// Folder is where they are files; Bucket is storage that speaks S3. Without either there are no backups but
	// those of atelier backup FILE.
	Folder string
	Bucket *s3.Config
	Key    age.Key
	// Schedule says when the service makes one by itself; nil is never.
	Schedule *core.Cron
	// Keep is how many are kept, at least 1.
	Keep int
}

// IsZero reports whether backups have no place.
func (b Backup) IsZero() bool { return b.Folder == "" && b.Bucket == nil }

// dailyBackup is the schedule of installations that set none.
const dailyBackup = "0 3 * * *"

func readBackup(r *reader, s Settings) Backup {
	read := Backup{Keep: int(r.number("BACKUP_KEEP", 14, 1, 10_000))}
	key, err := age.ParseKey(r.env("BACKUP_KEY"))
	if err != nil {
		r.fail("BACKUP_KEY", "", "a key that age-keygen made: AGE-SECRET-KEY-1…, or age1… to encrypt only")
	}
	read.Key = key
	accessKey, secretKey := r.env("BACKUP_ACCESS_KEY"), r.env("BACKUP_SECRET_KEY")
	target, schedule := r.env("BACKUP_TARGET"), cmp.Or(r.env("BACKUP_SCHEDULE"), dailyBackup)
	switch {
	case strings.HasPrefix(target, "s3://"):
		read.Bucket = readBucket(r, target, accessKey, secretKey)
		if key.IsZero() {
			r.fail("BACKUP_KEY", "", "set for a BACKUP_TARGET on another machine, since a backup holds every secret: make one with age-keygen, and keep it elsewhere too")
		}
	case target != "":
		read.Folder = r.path("BACKUP_TARGET", "")
		for _, place := range []string{s.DataDir, s.ProjectsRoot, s.SitesDir} {
			if below, err := filepath.Rel(place, read.Folder); err == nil && filepath.IsLocal(below) {
				r.fail("BACKUP_TARGET", target, "outside of DATA_DIR, PROJECTS_ROOT and SITES_DIR, best on another disk")
			}
		}
	}
	if schedule != "off" {
		cron, err := core.ParseCron(schedule)
		if err != nil {
			r.fail("BACKUP_SCHEDULE", schedule, `off, or five fields in UTC such as "0 3 * * *" for every night at 3:00`)
		}
		read.Schedule = &cron
	}
	if read.IsZero() {
		read.Schedule = nil
	}
	return read
}

// readBucket reads s3://<bucket>/<folder>, and the server that has it.
func readBucket(r *reader, target, accessKey, secretKey string) *s3.Config {
	parsed, err := url.Parse(target)
	if err != nil || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.Port() != "" {
		r.fail("BACKUP_TARGET", withoutPassword(target), "a folder, or s3://<bucket> with or without a folder behind it")
		return nil
	}
	config := &s3.Config{
		Endpoint: r.url("BACKUP_ENDPOINT", "https://s3.amazonaws.com"), Region: cmp.Or(r.env("BACKUP_REGION"), "us-east-1"),
		Bucket: parsed.Host, Prefix: strings.Trim(parsed.Path, "/"),
		AccessKey: accessKey, SecretKey: secretKey,
	}
	if config.Endpoint.Path != "" || config.Endpoint.RawQuery != "" {
		r.fail("BACKUP_ENDPOINT", config.Endpoint.String(), "the URL of a server, without a path")
	}
	for name, value := range map[string]string{"BACKUP_ACCESS_KEY": config.AccessKey, "BACKUP_SECRET_KEY": config.SecretKey} {
		if value == "" {
			r.fail(name, "", "set for a BACKUP_TARGET with s3://")
		}
	}
	return config
}
