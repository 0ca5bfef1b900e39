package npm

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncAll brings all that was written to the file system of path to the disk:
// one call for the thousands of files of a set.
func syncAll(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(dir.Fd())), dir.Close())
}
