// Package nofollow opens files below a directory without following any link.
//
// os.Root is not enough where users and their tools write: it follows a link that
// stays inside its root, and such a link may lead to the repository.
package nofollow

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// ErrLink reports that a path has a link in it that does not lead out of the directory.
var ErrLink = errors.New("a part of the path is a link")

// Open opens path, which is clean and relative or "" for base itself, below base without
// following any link, and returns the descriptor. A link that leads out of base has code
// core.CodePathTraversal; ErrLink is any other link.
//
// It uses openat2 with RESOLVE_NO_SYMLINKS, or opens component by component if the kernel
// has no openat2. For the former, base itself must be free of links.
func Open(base, path string, flags int) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_NOFOLLOW | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	full := base
	if path != "" {
		full += "/" + path
	}
	var fd int
	err := durable.Retried(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, full, &how)
		return err
	})
	if err == nil || errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	// The kernel has no openat2, or refused: the slow way finds out why.
	return openStepwise(base, path, flags)
}

// openStepwise is Open one component at a time.
func openStepwise(base, path string, flags int) (int, error) {
	dir, err := OpenAt(unix.AT_FDCWD, base, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil || path == "" && flags == unix.O_PATH|unix.O_DIRECTORY {
		return dir, err
	}
	if path == "" {
		path = "."
	}
	done := 0
	for {
		name, rest, more := strings.Cut(path[done:], "/")
		want := flags
		if more {
			want = unix.O_PATH | unix.O_DIRECTORY
		}
		next, err := OpenAt(dir, name, want)
		if err != nil && isLinkAt(dir, name) {
			err = JudgeLink(base, path[:done+len(name)])
		}
		_ = unix.Close(dir)
		if err != nil || !more {
			return next, err
		}
		dir = next
		done = len(path) - len(rest)
	}
}

// OpenAt opens name in an open directory. It does not follow a link, but returns ELOOP or
// ENOTDIR.
func OpenAt(dir int, name string, flags int) (fd int, err error) {
	err = durable.Retried(func() (err error) {
		fd, err = unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	return fd, err
}

func isLinkAt(dir int, name string) bool {
	stat, err := LstatAt(dir, name)
	return err == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK
}

// LstatAt describes name in dir itself, without following a link.
func LstatAt(dir int, name string) (stat unix.Stat_t, err error) {
	err = durable.Retried(func() error { return unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW) })
	return stat, err
}

// JudgeLink distinguishes a link at path that leads out of base, core.CodePathTraversal,
// from one that does not, ErrLink. os.Root follows all links and refuses to leave base:
// that refusal is its only error without an errno.
func JudgeLink(base, path string) error {
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	var number syscall.Errno
	if _, err := root.Stat(path); err != nil && !errors.As(err, &number) {
		return core.Wrap(core.CodePathTraversal, err, "path escapes the project root through a link")
	}
	return ErrLink
}

// OpenAny opens a regular file or a directory for reading and describes it. Anything else
// is fs.ErrNotExist, or an error of Open. O_NONBLOCK keeps open from waiting for the
// writer of a pipe before the type is known.
func OpenAny(base, path string) (fd int, stat unix.Stat_t, err error) {
	fd, err = Open(base, path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return -1, stat, err
	}
	err = unix.Fstat(fd, &stat)
	if err == nil && !IsRegular(stat) && !IsDir(stat) {
		err = fs.ErrNotExist
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, stat, err
	}
	return fd, stat, nil
}

// OpenRegular is OpenAny for regular files alone.
func OpenRegular(base, path string) (fd int, stat unix.Stat_t, err error) {
	fd, stat, err = OpenAny(base, path)
	if err == nil && !IsRegular(stat) {
		_ = unix.Close(fd)
		return -1, stat, fs.ErrNotExist
	}
	return fd, stat, err
}

// Stat describes a regular file or a directory. Anything else is fs.ErrNotExist, or an
// error of Open.
func Stat(base, path string) (stat unix.Stat_t, err error) {
	fd, err := Open(base, path, unix.O_PATH)
	if err != nil {
		return stat, err
	}
	defer unix.Close(fd)
	if err := unix.Fstat(fd, &stat); err != nil {
		return stat, err
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR:
		return stat, nil
	case unix.S_IFLNK:
		return stat, JudgeLink(base, path)
	}
	return stat, fs.ErrNotExist
}

// IsAbsence reports whether err means that no file or directory is at a path: the path
// does not exist, is a link or a socket (ENXIO), or has a file as a parent.
func IsAbsence(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrLink) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO)
}

// IsRegular reports whether stat describes a regular file.
func IsRegular(stat unix.Stat_t) bool { return stat.Mode&unix.S_IFMT == unix.S_IFREG }

// IsDir reports whether stat describes a directory.
func IsDir(stat unix.Stat_t) bool { return stat.Mode&unix.S_IFMT == unix.S_IFDIR }
