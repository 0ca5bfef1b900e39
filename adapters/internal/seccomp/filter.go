// Package seccomp makes the filter of system calls that everything in a sandbox
// runs under.
package seccomp

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// filter is a classic BPF program that the kernel runs at every system call of a command. It
// closes what namespaces leave open: calls that reach deep into the kernel, new namespaces,
// setuid files that would run as the service's user when another user starts them, and socket
// families that ignore the network namespace.
type filter []unix.SockFilter

// Offsets in struct seccomp_data, on a little-endian machine.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArgs = 16
)

// argument returns the offset of the lower half of a call's n-th argument.
func argument(n int) uint32 { return offsetArgs + 8*uint32(n) }

const (
	load       = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	ifEqual    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	ifAtLeast  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ifAnyBit   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	onlyBits   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	conclude   = unix.BPF_RET | unix.BPF_K
	allowed    = unix.SECCOMP_RET_ALLOW
	killed     = unix.SECCOMP_RET_KILL_PROCESS
	refused    = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	noFamily   = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	setIDBits  = unix.S_ISUID | unix.S_ISGID
	namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	// foreignCalls is the first number of an x32 call on amd64. No other machine has numbers
	// as high.
	foreignCalls = 0x40000000
)

// Filter returns the program in the form that bubblewrap reads. It returns an error on an
// unknown processor architecture.
func Filter() ([]byte, error) {
	if auditArch == 0 {
		return nil, errors.New("there is no filter of system calls for this kind of processor")
	}
	f := begin()
	f.answer(unknown, hoardingCalls()...)
	f.whenAllBits(unix.SYS_MMAP, 3, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	f.rules()
	var program bytes.Buffer
	err := binary.Write(&program, binary.NativeEndian, []unix.SockFilter(f))
	return program.Bytes(), err
}

// begin returns a filter that separates this machine's calls from foreign ones.
func begin() filter {
	return filter{
		{Code: load, K: offsetArch},
		{Code: ifEqual, Jt: 1, K: auditArch},
		{Code: conclude, K: killed},
		{Code: load, K: offsetCall},
		{Code: ifAtLeast, Jf: 1, K: foreignCalls},
		{Code: conclude, K: killed},
	}
}

// rules adds the rules for everything that is confined, and the end of the filter.
func (f *filter) rules() {
	// The filter cannot check what a pointer hides. Libraries fall back to calls that it can
	// check.
	f.answer(unknown, unix.SYS_CLONE3, unix.SYS_OPENAT2)
	f.answer(refused, dangerousCalls()...)
	f.answer(refused, dangerousCallsHere()...)
	f.whenBits(unix.SYS_CLONE, 0, namespaces)
	f.sockets()
	for _, call := range append(modeCallsHere(), modeCalls()...) {
		f.whenBits(call.number, call.mode, setIDBits)
	}
	for _, call := range append(openCallsHere(), openCall{unix.SYS_OPENAT, 2}) {
		f.whenCreating(call)
	}
	*f = append(*f, unix.SockFilter{Code: conclude, K: allowed})
}

// dangerousCalls are refused on every machine.
func dangerousCalls() []uint32 {
	return []uint32{
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS, unix.SYS_UNSHARE,
		unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_PERSONALITY, unix.SYS_VHANGUP,
	}
}

// hoardingCalls allocate memory that is charged to no process and so escapes the count: shared
// segments, queues, memory files, pages that only a pipe still holds. Programs fall back to
// other calls if the kernel does not know these. Filter also refuses shared pages without a
// file: they outlast their mapping.
func hoardingCalls() []uint32 {
	return []uint32{
		unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_VMSPLICE,
	}
}

// modeCall is a call that sets the mode of a file.
type modeCall struct {
	number uint32
	// mode is the index of the argument.
	mode int
}

func modeCalls() []modeCall {
	return []modeCall{
		{unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}, {unix.SYS_MKDIRAT, 2}, {unix.SYS_MKNODAT, 2},
	}
}

// openCall is a call that may create a file. The mode follows the flags.
type openCall struct {
	number uint32
	flags  int
}

// answer ends the calls with a verdict.
func (f *filter) answer(verdict uint32, calls ...uint32) {
	for _, call := range calls {
		*f = append(*f, unix.SockFilter{Code: ifEqual, Jf: 1, K: call}, unix.SockFilter{Code: conclude, K: verdict})
	}
}

// whenBits refuses a call that has any of the bits set in an argument.
func (f *filter) whenBits(call uint32, arg int, bits uint32) {
	*f = append(*f,
		unix.SockFilter{Code: ifEqual, Jf: 4, K: call},
		unix.SockFilter{Code: load, K: argument(arg)},
		unix.SockFilter{Code: ifAnyBit, Jf: 1, K: bits},
		unix.SockFilter{Code: conclude, K: refused},
		unix.SockFilter{Code: load, K: offsetCall},
	)
}

// whenAllBits refuses a call that has all of the bits set in an argument.
func (f *filter) whenAllBits(call uint32, arg int, bits uint32) {
	*f = append(*f,
		unix.SockFilter{Code: ifEqual, Jf: 5, K: call},
		unix.SockFilter{Code: load, K: argument(arg)},
		unix.SockFilter{Code: onlyBits, K: bits},
		unix.SockFilter{Code: ifEqual, Jf: 1, K: bits},
		unix.SockFilter{Code: conclude, K: refused},
		unix.SockFilter{Code: load, K: offsetCall},
	)
}

// whenCreating is whenBits for the mode of a call that has a mode only if it creates a file.
func (f *filter) whenCreating(call openCall) {
	const creates = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
	*f = append(*f,
		unix.SockFilter{Code: ifEqual, Jf: 6, K: call.number},
		unix.SockFilter{Code: load, K: argument(call.flags)},
		unix.SockFilter{Code: ifAnyBit, Jf: 3, K: creates},
		unix.SockFilter{Code: load, K: argument(call.flags + 1)},
		unix.SockFilter{Code: ifAnyBit, Jf: 1, K: setIDBits},
		unix.SockFilter{Code: conclude, K: refused},
		unix.SockFilter{Code: load, K: offsetCall},
	)
}

// sockets allows the socket families that belong to the network namespace. Others do not, such
// as the family between a virtual machine and its host.
func (f *filter) sockets() {
	families := []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	*f = append(*f, unix.SockFilter{Code: ifEqual, Jf: uint8(len(families) + 3), K: unix.SYS_SOCKET}, unix.SockFilter{Code: load, K: argument(0)})
	for i, family := range families {
		*f = append(*f, unix.SockFilter{Code: ifEqual, Jt: uint8(len(families) - i), K: family})
	}
	*f = append(*f, unix.SockFilter{Code: conclude, K: noFamily}, unix.SockFilter{Code: load, K: offsetCall})
}
