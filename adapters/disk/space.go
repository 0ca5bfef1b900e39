package disk

import (
	"syscall"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// ScarceBytes is how much room on a disk is too little to go on.
const ScarceBytes = 1 << 30

// FreeBytes returns how much room the disk of a folder has. A missing folder has code core.CodeNotFound.
func FreeBytes(dir string) (uint64, error) {
	var found syscall.Statfs_t
	if err := syscall.Statfs(dir, &found); err != nil {
		return 0, durable.Fault(err, "folder")
	}
	return found.Bavail * uint64(found.Bsize), nil
}
