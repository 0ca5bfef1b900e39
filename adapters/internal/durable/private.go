package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// others are the permissions of users who are neither the owner nor in the group.
const others fs.FileMode = 0o007

// Private creates a folder of the service's own, with its parents, and denies the machine's
// other users access. An existing folder is tightened (see Tighten).
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return Tighten(dir)
}

// Tighten denies other users access to a folder, if the folder is this user's. If the folder's
// setgid bit is set, the group keeps its access. A folder that many share, such as /tmp, is
// left unchanged.
func Tighten(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || !IsOpen(info) || !owned(info) || info.Mode()&fs.ModeSticky != 0 {
		return err
	}
	mode := fs.FileMode(0o700)
	if info.Mode()&fs.ModeSetgid != 0 {
		mode = info.Mode() &^ others & (fs.ModePerm | fs.ModeSetgid)
	}
	return os.Chmod(dir, mode)
}

// IsOpen reports whether users who are neither a folder's owner nor in its group have access.
func IsOpen(info fs.FileInfo) bool { return info.Mode().Perm()&others != 0 }

func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
