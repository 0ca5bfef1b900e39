//go:build !linux

package npm

import "golang.org/x/sys/unix"

// syncAll brings all that was written to the disk.
func syncAll(string) error { return unix.Sync() }
