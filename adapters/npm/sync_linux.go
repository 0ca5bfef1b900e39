package npm

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncAll syncs the whole file system of path: one call for the thousands of files of a
// set.
func syncAll(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(dir.Fd())), dir.Close())
}
