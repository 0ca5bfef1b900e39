package seccomp

import (
	"errors"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported reports whether this kernel filters system calls and Atelier knows the calls of this
// processor architecture.
func Supported() bool {
	_, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return auditArch != 0 && err == nil
}

// ConfineWorker puts this process, with all its threads, under a filter of its own permanently.
// The process can compute, and read and write files that it can open. It cannot connect, start a
// program or process, or reach another process. It is refused everything that commands are
// refused.
func ConfineWorker() error {
	if auditArch == 0 {
		return errors.New("there is no filter of system calls for this kind of processor")
	}
	f := begin()
	f.answer(refused, workerCalls()...)
	f.answer(refused, workerCallsHere()...)
	// Go creates threads by clone. A clone without this bit creates a process.
	f.unlessBits(unix.SYS_CLONE, 0, unix.CLONE_THREAD)
	f.unlessValue(unix.SYS_TGKILL, 0, uint32(os.Getpid()))
	f.unlessValue(unix.SYS_PRLIMIT64, 0, 0)
	f.rules()
	return f.install()
}

// workerCalls are calls that a worker does not need on any machine.
func workerCalls() []uint32 {
	return []uint32{
		unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
		unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVMSG, unix.SYS_RECVMMSG,
		unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP,
		unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETAFFINITY,
		unix.SYS_FANOTIFY_INIT, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	}
}

// unlessBits refuses a call that has none of the bits set in an argument.
func (f *filter) unlessBits(call uint32, arg int, bits uint32) {
	*f = append(*f,
		unix.SockFilter{Code: ifEqual, Jf: 4, K: call},
		unix.SockFilter{Code: load, K: argument(arg)},
		unix.SockFilter{Code: ifAnyBit, Jt: 1, K: bits},
		unix.SockFilter{Code: conclude, K: refused},
		unix.SockFilter{Code: load, K: offsetCall},
	)
}

// unlessValue refuses a call whose argument has another value.
func (f *filter) unlessValue(call uint32, arg int, value uint32) {
	*f = append(*f,
		unix.SockFilter{Code: ifEqual, Jf: 4, K: call},
		unix.SockFilter{Code: load, K: argument(arg)},
		unix.SockFilter{Code: ifEqual, Jt: 1, K: value},
		unix.SockFilter{Code: conclude, K: refused},
		unix.SockFilter{Code: load, K: offsetCall},
	)
}

// install puts all threads of this process under the filter.
func (f filter) install() error {
	// Both calls must come from one thread. The second applies to all threads.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	stuck, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	switch {
	case errno != 0:
		return os.NewSyscallError("seccomp", errno)
	case stuck != 0:
		return errors.New("a thread has another filter of system calls")
	}
	return nil
}
