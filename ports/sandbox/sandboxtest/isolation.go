package sandboxtest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// Cell is a harness whose runner really isolates commands.
type Cell struct {
	Harness
	// Dir is where a project's files are on the host.
	Dir func(project core.ID) string
	// Unconfined runs lines without isolation: it shows that a probe finds what it
	// looks for where nothing hides it.
	Unconfined sandbox.Runner
	// FileBytes, DiskBytes, MemoryBytes and ScratchBytes are the runner's limits.
	FileBytes, DiskBytes, MemoryBytes, ScratchBytes int64
}

// RunIsolation tests that commands of a runner cannot do what the port forbids. The
// lines need bash and perl.
func RunIsolation(t *testing.T, open func(t *testing.T) Cell) {
	clauses := []struct {
		name string
		test func(t *testing.T, c Cell)
	}{
		{"nothing of the host is seen", hidesHost},
		{"the service's environment is seen nowhere", hidesEnvironment},
		{"there is no network", hasNoNetwork},
		{"the repository is hidden and cannot be changed", protectsRepository},
		{"nothing but the project can be changed", protectsHost},
		{"no rights can be won", givesNoRights},
		{"no file becomes the service's user for others", makesNoSetID},
		{"no descriptor is inherited", inheritsNothing},
		{"input is empty", hasEmptyInput},
		{"temporary files end with the command", dropsScratch},
		{"processes without end are ended and leave nothing", endsForking},
		{"memory is bounded over all processes", boundsMemory},
		{"memory that no process has to itself is bounded too", boundsSharedMemory},
		{"nothing is left with the kernel", refusesQueues},
		{"files and the disk are bounded", boundsDisk},
		{"temporary files are bounded", boundsScratch},
		{"endless output is ended", endsOutput},
		{"what runs in the background ends with the command", endsBackground},
		{"a cancelled command takes its grandchildren along", endsGrandchildren},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

// run runs a line inside.
func (c Cell) run(t *testing.T, line string) sandbox.Outcome {
	t.Helper()
	got, err := c.Runner.Run(t.Context(), c.Project, sandbox.Command{Line: line})
	if err != nil {
		t.Fatalf("%s: got error %v", line, err)
	}
	return got
}

// wantHidden checks that a line finds the secret outside and not inside.
func (c Cell) wantHidden(t *testing.T, line, secret string) {
	t.Helper()
	outside, err := c.Unconfined.Run(t.Context(), c.Project, sandbox.Command{Line: line})
	if err != nil || !strings.Contains(outside.Output, secret) {
		t.Fatalf("%s outside: got %.300q, %v: the probe does not find %q", line, outside.Output, err, secret)
	}
	if got := c.run(t, line); strings.Contains(got.Output, secret) {
		t.Errorf("%s: got %.300q, want no %q", line, got.Output, secret)
	}
}

func hidesHost(t *testing.T, c Cell) {
	canary := string(core.NewID())
	file := filepath.Join(t.TempDir(), "canary")
	if err := os.WriteFile(file, []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(c.Dir(c.Other), "other.txt")
	if err := os.WriteFile(other, []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"cat " + file,
		"ln -sf " + file + " link; cat link",
		"cat " + other,
		"cat ../" + string(c.Other) + "/other.txt",
		"cat /proc/*/root" + other,
		"cat /proc/$PPID/cwd/../" + string(c.Other) + "/other.txt " + other,
	} {
		c.wantHidden(t, line, canary)
	}
	c.wantHidden(t, "cat /etc/passwd", "root:")
	c.wantHidden(t, "cat /proc/*/cmdline | tr '\\0' ' '", filepath.Base(os.Args[0]))
	if got := c.run(t, "cat /proc/*/cmdline | tr '\\0' ' '"); strings.Contains(got.Output, c.Dir(c.Project)) {
		t.Errorf("got %q, want no place of the host", got.Output)
	}
	if got := c.run(t, "cat /etc/shadow /root/.* /home/*/.*; ls /home /root /var /srv /run"); strings.Contains(got.Output, "root:") || got.ExitCode == 0 {
		t.Errorf("got %q, want nothing of the host", got.Output)
	}
}

func hidesEnvironment(t *testing.T, c Cell) {
	secret := string(core.NewID())
	t.Setenv("ATELIER_CANARY", secret)
	got := c.run(t, "env; cat /proc/*/environ /proc/*/task/*/environ | tr '\\0' '\\n'")
	if strings.Contains(got.Output, secret) || strings.Contains(got.Output, "ATELIER_CANARY") {
		t.Errorf("got %q, want nothing of the service's environment", got.Output)
	}
	if !strings.Contains(got.Output, "HOME=") || !strings.Contains(got.Output, "PATH=") {
		t.Errorf("got %q, want a home and a path", got.Output)
	}
}

func hasNoNetwork(t *testing.T, c Cell) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	abstract, err := net.Listen("unix", "@atelier-"+string(core.NewID()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	c.wantHidden(t, fmt.Sprintf("bash -c 'echo hi >/dev/tcp/127.0.0.1/%d' && echo connected", port), "connected")
	name := strings.TrimPrefix(abstract.Addr().String(), "@")
	c.wantHidden(t, fmt.Sprintf(`perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); print "connected" if connect($s, sockaddr_un("\0%s"))'`, name), "connected")
	c.wantHidden(t, "grep -c . /proc/net/route >/dev/null && sed 1d /proc/net/route | grep -q . && echo connected || [ $(ls /sys/class/net /proc/sys/net/ipv4/conf | grep -cv -e lo -e all -e default) -gt 3 ] && echo connected", "connected")
	got := c.run(t, `perl -e 'for $family (16, 17, 38, 40) { print "$family opens\n" if socket(my $s, $family, 3, 0) || socket(my $s, $family, 1, 0) || socket(my $s, $family, 5, 0) }'`)
	if strings.Contains(strings.ReplaceAll(got.Output, "16 opens", ""), "opens") || got.ExitCode != 0 {
		t.Errorf("got %q, exit code %d, want no packets, no kernel ciphers, no way to the machine's host", got.Output, got.ExitCode)
	}
}

// repositoryFile is one that every repository of a harness has.
const repositoryFile = ".git/config"

func protectsRepository(t *testing.T, c Cell) {
	file := filepath.Join(c.Dir(c.Project), repositoryFile)
	before, err := os.ReadFile(file)
	if err != nil || len(before) == 0 {
		t.Fatalf("got %q, %v, want a repository to protect", before, err)
	}
	c.wantHidden(t, "cat .git/config", string(before[:min(len(before), 6)]))
	if got := c.run(t, "ls -A .git"); got.Output != "" {
		t.Errorf("got %q in .git, want nothing", got.Output)
	}
	for _, line := range []string{
		"echo x >.git/config", "mkdir -p .git/hooks", "mv .git moved", "mv src/../.git moved", "rmdir .git", "rm -rf .git",
		"ln -s /tmp .git/link", "chmod 777 .git", "mv /app/.git /tmp/", "rm -rf /app", "mount --bind /tmp .git", "umount .git", "umount -l .git",
	} {
		if got := c.run(t, "("+line+") && echo DONE"); strings.Contains(got.Output, "DONE") {
			t.Errorf("%s: got %q, want it refused", line, got.Output)
		}
	}
	after, err := os.ReadFile(file)
	if err != nil || string(after) != string(before) {
		t.Errorf("got %q, %v, want the repository as it was", after, err)
	}
}

func protectsHost(t *testing.T, c Cell) {
	for _, line := range []string{
		"touch /usr/x", "touch /usr/local/x", "touch /usr/bin/sh", "touch /x", "touch /etc/x", "touch /dev/x", "touch /home/x", "mkdir /var",
		"echo x >/proc/sys/kernel/hostname", "hostname other", `date -s "$(date)"`,
		// The file has this content already, or the command only asks for help.
		"cat /proc/sys/kernel/core_pattern >pattern && cat pattern >/proc/sys/kernel/core_pattern", "echo h >/proc/sysrq-trigger",
	} {
		if got := c.run(t, "("+line+") && echo DONE"); strings.Contains(got.Output, "DONE") {
			t.Errorf("%s: got %q, want it refused", line, got.Output)
		}
	}
	// A command that kills everything it can reach only kills itself.
	if _, err := c.Runner.Run(t.Context(), c.Project, sandbox.Command{Line: "kill -9 -1"}); err != nil && !core.IsCode(err, core.CodeSandboxUnavailable) {
		t.Errorf("got %v, want an end", err)
	}
}

func givesNoRights(t *testing.T, c Cell) {
	status := c.run(t, "cat /proc/self/status").Output
	for _, want := range []string{"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("got %s\nwant %q in it", status, want)
		}
	}
	for _, line := range []string{
		"unshare -U true", "unshare -m true", "unshare -n true", "chroot / true", "mount -t tmpfs none /mnt", "mknod disk b 8 0",
		// ptrace(PTRACE_TRACEME), by the numbers of amd64 and arm64.
		`perl -e 'exit(syscall($^O eq "linux" && qx(uname -m) =~ /x86/ ? 101 : 117, 0, 0, 0, 0) == -1)'`,
	} {
		if got := c.run(t, "("+line+") && echo DONE"); strings.Contains(got.Output, "DONE") {
			t.Errorf("%s: got %q, want it refused", line, got.Output)
		}
	}
}

func makesNoSetID(t *testing.T, c Cell) {
	for _, line := range []string{
		"cp /bin/true a; chmod u+s a", "cp /bin/true a; chmod 2755 a", "mkdir -m 2777 dir", "cp /bin/true a; perl -e 'chmod 04755, q(a) or exit 1'",
		"perl -e 'use Fcntl; sysopen(my $f, q(b), O_CREAT | O_WRONLY, 04755) or exit 1'",
	} {
		if got := c.run(t, "("+line+") && echo DONE"); strings.Contains(got.Output, "DONE") {
			t.Errorf("%s: got %q, want it refused", line, got.Output)
		}
	}
	entries, err := os.ReadDir(c.Dir(c.Project))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			t.Errorf("%s: got the mode %v, %v, want none of the bits", entry.Name(), info.Mode(), err)
		}
	}
	if got := c.run(t, "cp /bin/true a && chmod 755 a && mkdir -p deep/er && ./a"); got.ExitCode != 0 {
		t.Errorf("ordinary modes: got %+v, want them to work", got)
	}
}

func inheritsNothing(t *testing.T, c Cell) {
	got := c.run(t, "for i in $(seq 3 300); do readlink /proc/$$/fd/$i; done; echo end")
	if got.Output != "end\n" {
		t.Errorf("got %q, want the three standard descriptors", got.Output)
	}
}

func hasEmptyInput(t *testing.T, c Cell) {
	if got := c.run(t, "cat; echo done"); got.Output != "done\n" || got.Ended != "" {
		t.Errorf("got %+v, want empty input", got)
	}
}

func dropsScratch(t *testing.T, c Cell) {
	name := "/tmp/" + string(core.NewID())
	if got := c.run(t, "echo x >"+name+" && echo y >$HOME/file && cat "+name+" $HOME/file"); got.Output != "x\ny\n" {
		t.Fatalf("got %+v, want a temporary directory and a home", got)
	}
	if got := c.run(t, "cat "+name+" $HOME/file"); got.ExitCode == 0 {
		t.Errorf("got %q, want them gone", got.Output)
	}
	if _, err := os.Lstat(name); err == nil {
		t.Error("got the file on the host")
	}
}
