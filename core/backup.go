package core

// Backup is a copy of the whole installation.
type Backup struct {
	// Name is that of its file.
	Name      string `json:"name"`
	CreatedAt Time   `json:"createdAt"`
	Bytes     int64  `json:"bytes"`
	// Verified says that it was read back and compared after it was written.
	Verified bool `json:"verified"`
}

// BackupRun is the latest try to make a backup, in any process. The zero value says that there was none.
type BackupRun struct {
	StartedAt Time `json:"startedAt,omitempty"`
	// EndedAt is 0 while it goes on.
	EndedAt Time `json:"endedAt,omitempty"`
	// SeenAt is when its process last said that it goes on.
	SeenAt Time `json:"seenAt,omitempty"`
	// Name is that of the backup, "" until it is verified.
	Name string `json:"name,omitempty"`
	// Failure says why there is none, for admins.
	Failure string `json:"failure,omitempty"`
}

// backupSilence is how long a run may say nothing before it counts as dead, in milliseconds.
const backupSilence = 2 * 60 * 1000

// Active reports whether the run goes on.
func (r BackupRun) Active(now Time) bool {
	return r.StartedAt != 0 && r.EndedAt == 0 && now < r.SeenAt+backupSilence
}
