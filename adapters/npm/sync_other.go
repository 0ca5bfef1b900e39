//go:build !linux

package npm

import "golang.org/x/sys/unix"

// syncAll syncs all file systems.
func syncAll(string) error { return unix.Sync() }
