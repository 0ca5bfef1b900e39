package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// others are the permissions of everybody who is neither the owner nor in the group.
const others fs.FileMode = 0o007

// Private makes a folder of the service's own, with those above it, and keeps the machine's
// other users out, also of one that is there already (see Tighten).
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return Tighten(dir)
}

// Tighten keeps other users out of a folder into which they may come, when it is this user's. A
// group for which somebody has set the folder's group bit stays. A folder that many share, such
// as /tmp, is left as it is.
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

// IsOpen reports whether a folder lets in users who are neither its owner nor in its group.
func IsOpen(info fs.FileInfo) bool { return info.Mode().Perm()&others != 0 }

func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
