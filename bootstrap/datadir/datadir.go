// Package datadir manages an installation's files in DATA_DIR: the lock of the process
// that uses it, the secrets that the environment does not give, and the identity of the
// folder of projects.
package datadir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// Lock makes this process the only one that uses the data directory. The lock ends with
// the process, however it ends.
func Lock(dir string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(file, 200))
		_ = file.Close()
		return nil, fmt.Errorf("DATA_DIR %s is in use by another atelier (%s): stop it, or give this one a directory of its own", dir, cmp.Or(strings.TrimSpace(string(holder)), "unknown process"))
	}
	// The name only informs others: the lock is valid without it.
	_ = file.Truncate(0)
	_, _ = file.WriteAt([]byte(processName()+"\n"), 0)
	return func() { _ = file.Close() }, nil
}

// Occupy is Lock, and also makes sure that all processes on the same database communicate:
// a process without NATS_URL tolerates no other. It waits at most five seconds for a
// process that is about to end. The lock ends with the process.
func Occupy(ctx context.Context, s settings.Settings, log *slog.Logger) (leave func(), err error) {
	unlock, err := Lock(s.DataDir)
	if err != nil || !bunstore.IsPostgres(s.DatabaseURL) {
		return unlock, err
	}
	tenancy, err := bunstore.OpenTenancy(ctx, s.DatabaseURL, bunstore.Tenant{Name: processName(), Alone: bool(s.Exclusive())}, log)
	if err != nil {
		unlock()
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	return func() {
		tenancy.Close()
		unlock()
	}, nil
}

// processName identifies this process for operators.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("%.15s, process %d on %.25s", filepath.Base(os.Args[0]), os.Getpid(), host)
}

// CheckProjectsRoot compares the name in the projects' folder with the one that this
// installation remembers, so that a start never mistakes an empty mount point for the
// projects.
func CheckProjectsRoot(s settings.Settings, identity string) error {
	file := filepath.Join(s.DataDir, "projects.identity")
	known, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := placeFile(file, []byte(identity)); err != nil {
			return err
		}
		known, err = os.ReadFile(file)
	}
	if err != nil {
		return fmt.Errorf("DATA_DIR: %w", err)
	}
	if string(known) != identity {
		return fmt.Errorf("PROJECTS_ROOT %s is not the folder that holds this installation's projects: is its disk mounted? To begin with a new folder, remove %s", s.ProjectsRoot, file)
	}
	return nil
}
