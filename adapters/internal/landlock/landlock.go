// Package landlock restricts worker processes to the files that they need, with the kernel's
// Landlock.
package landlock

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights that Landlock withholds from a worker, by version of the kernel's interface.
const (
	// seesOnly and itsOwn are a worker's rights in directories.
	seesOnly = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	itsOwn   = seesOnly | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// runs and writes are a worker's rights on files.
	runs   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	writes = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE

	// firstRights are those of the first version, to which later ones add.
	firstRights  = 1<<13 - 1
	netRights    = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopedRights = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// Version returns the version of the kernel's interface, 0 if it has no Landlock or has it
// switched off.
func Version() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// handled returns the rights that a version withholds, and those that apply to directories
// alone.
func handled(version int) unix.LandlockRulesetAttr {
	all := unix.LandlockRulesetAttr{Handled_access_fs: firstRights}
	if version >= 2 {
		all.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		all.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		all.Handled_access_net = netRights
	}
	if version >= 5 {
		all.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		all.Scoped = scopedRights
	}
	return all
}

// Rules are what a worker may reach.
type Rules struct {
	// Program is its own program.
	Program string
	// Readable are directories that it may read; in Writable it may also write, and link and
	// rename files.
	Readable, Writable []string
}

// Restrict restricts the calling thread, and every process that it starts. This is permanent, so
// the thread must not be reused. If the kernel has no Landlock, Restrict does nothing.
//
// Namespaces would require a user namespace, which many machines forbid, and would add nothing:
// a process that cannot create sockets needs no network namespace.
func (r Rules) Restrict() error {
	version := Version()
	if version == 0 {
		return nil
	}
	rules := handled(version)
	made, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	ruleset := int(made)
	defer unix.Close(ruleset)
	allow := func(rights uint64, paths ...string) error {
		for _, path := range paths {
			if err := allowBeneath(ruleset, rights&rules.Handled_access_fs, path); err != nil {
				return err
			}
		}
		return nil
	}
	// A dynamically linked program needs the system's libraries, which hold no secret.
	for _, err := range []error{
		allow(runs, r.Program), allow(runs|unix.LANDLOCK_ACCESS_FS_READ_DIR, "/lib", "/lib64", "/usr/lib", "/usr/lib64"),
		allow(writes, os.DevNull), allow(seesOnly, r.Readable...), allow(itsOwn, r.Writable...),
	} {
		if err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// allowBeneath allows rights on a file, or in a directory and below it. A missing path needs no
// rule.
func allowBeneath(ruleset int, rights uint64, path string) error {
	place, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(place)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(place)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "landlock_add_rule", Path: path, Err: errno}
	}
	return nil
}
