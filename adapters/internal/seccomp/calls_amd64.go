package seccomp

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

func dangerousCallsHere() []uint32 {
	return []uint32{unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_USELIB, unix.SYS_USTAT}
}

func workerCallsHere() []uint32 { return []uint32{unix.SYS_FORK, unix.SYS_VFORK} }

func modeCallsHere() []modeCall {
	return []modeCall{{unix.SYS_CHMOD, 1}, {unix.SYS_MKDIR, 1}, {unix.SYS_MKNOD, 1}, {unix.SYS_CREAT, 1}}
}

func openCallsHere() []openCall { return []openCall{{unix.SYS_OPEN, 1}} }
