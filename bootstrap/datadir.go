package bootstrap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// LockDataDir makes this process the only one that uses the data directory. The
// lock ends with the process, however it ends.
func LockDataDir(dir string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("DATA_DIR: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("DATA_DIR %s is in use by another atelier: stop it, or give this one a directory of its own", dir)
	}
	return func() { file.Close() }, nil
}

// CheckProjectsRoot compares the name that the projects' folder has had since its
// first use with the one that this installation remembers, so that a start never
// takes an empty mount point for the place of the projects.
func CheckProjectsRoot(s Settings, identity string) error {
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
