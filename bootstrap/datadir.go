package bootstrap

import (
	"fmt"
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
