package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/sandbox"
)

// calls are numbers of system calls, on amd64 and elsewhere.
const calls = `my ($mmap, $munmap, $madvise, $memfd, $msgget, $semget, $mqopen, $vmsplice, $ftruncate, $read) =
qx(uname -m) =~ /x86/ ? (9, 11, 28, 319, 68, 64, 240, 278, 77, 0) : (222, 215, 233, 279, 186, 190, 180, 75, 46, 63);
sub hold { print "kept it\n"; sleep 30; exit 0 } $| = 1;
`

// hoards are programs in perl that take memory which no process has to itself. Each
// holds %[1]d bytes and then says that it kept them, or fails when it is refused.
func hoards() map[string]string {
	return map[string]string{
		"shared segments": `for (1 .. 16) { my $id = shmget(0, %[1]d / 16, 01600) // exit 7; shmwrite($id, "x" x (%[1]d / 16), 0, %[1]d / 16) or exit 7 } hold()`,
		"files in memory": `for (1 .. %[1]d >> 22) { my $fd = syscall($memfd, my $name = "x", 0); exit 7 if $fd < 0;
open(my $f, ">&=", $fd) or exit 7; syswrite($f, "x" x (4 << 20)) or exit 7; push @all, $f } hold()`,
		"shared pages": `my $at = syscall($mmap, 0, %[1]d, 3, 0x21, -1, 0); exit 7 if $at == -1; open(my $zero, "<", "/dev/zero");
syscall($read, fileno $zero, $at, %[1]d); syscall($munmap, $at, %[1]d - 4096); hold()`,
		"shared pages of zeros": `open(my $zero, "+<", "/dev/zero") or exit 7; my $at = syscall($mmap, 0, %[1]d, 3, 0x01, fileno $zero, 0); exit 7 if $at == -1;
syscall($read, fileno $zero, $at, %[1]d); syscall($munmap, $at, %[1]d - 4096); hold()`,
		"tables of pages": `for (1 .. 16) { my $at = syscall($mmap, 0, %[1]d << 5, 1, 0x4022, -1, 0); exit 7 if $at == -1; syscall($madvise, $at, %[1]d << 5, 22) } hold()`,
	}
}

// boundsSharedMemory allocates memory that belongs to no process: it must be counted or
// refused.
func boundsSharedMemory(t *testing.T, c Cell) {
	for name, hoard := range hoards() {
		got := c.run(t, "perl -e '"+calls+fmt.Sprintf(hoard, 2*c.MemoryBytes)+"'")
		if got.Ended != sandbox.LimitMemory && got.ExitCode != 7 {
			t.Errorf("%s: got %+v, want them refused or the command ended for its memory", name, got)
		}
	}
	// Temporary files, and their names, are memory beside that of processes, which alone is
	// not too much here.
	beside := fmt.Sprintf(`; for i in 1 2; do perl -e 'vec($x, %d, 8) = 1; sleep 30' & done; wait`, c.MemoryBytes*35/100)
	for name, fill := range map[string]string{
		"temporary files":   fmt.Sprintf("for d in /tmp /dev/shm; do for i in 1 2 3; do head -c %d /dev/zero >$d/$i; done; done", c.FileBytes-4096),
		"temporary folders": fmt.Sprintf(`perl -e 'mkdir "/tmp/$_" for 1 .. %d'`, 2*c.ScratchBytes>>10),
	} {
		if got := c.run(t, fill+beside); got.Ended != sandbox.LimitMemory {
			t.Errorf("%s: got %+v, want the command ended for its memory", name, got)
		}
	}
}

// refusesQueues checks that there is no way to leave uncounted memory with the kernel.
func refusesQueues(t *testing.T, c Cell) {
	for name, call := range map[string]string{
		"a queue of messages":      `syscall($msgget, 0, 01600)`,
		"semaphores":               `syscall($semget, 0, 1000, 01600)`,
		"a named queue":            `syscall($mqopen, my $name = "x", 0102, 0600, 0)`,
		"pages of others in pipes": `syscall($vmsplice, 1, 0, 0, 0)`,
	} {
		got := c.run(t, "perl -e '"+calls+"print "+call+` == -1 ? "refused: $!" : "made"'`)
		if !strings.Contains(got.Output, "refused: Function not implemented") && !strings.Contains(got.Output, "refused: Operation not permitted") {
			t.Errorf("%s: got %+v, want it refused", name, got)
		}
	}
}
