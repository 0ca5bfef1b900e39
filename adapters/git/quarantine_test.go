package git_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
)

// receiverRoot makes this test binary a process that receives a push from its
// standard input; see TestMain.
const receiverRoot = "ATELIER_TEST_RECEIVER_ROOT"

// receive receives a push into the only project below root and keeps it until its
// input ends.
func receive(ctx context.Context, root string) error {
	repositories, err := git.NewRepositories(root)
	if err != nil {
		return err
	}
	_, err = git.NewWire(repositories).Receive(ctx, core.ID(os.Getenv("ATELIER_TEST_PROJECT")), os.Stdin, receiverLimits)
	return err
}

var receiverLimits = vcs.Limits{PackBytes: 1 << 20, FileBytes: 1 << 20}

// pushRequest is an empty project and a push of its first version.
type pushRequest struct {
	root    string
	project core.ID
	version string
	// request is the push; it stops in the middle of the pack at half.
	request []byte
	half    int
}

func newPushRequest(t *testing.T) *pushRequest {
	t.Helper()
	p := &pushRequest{root: t.TempDir(), project: core.NewID()}
	if err := newTrees(t, p.root).Create(t.Context(), p.project); err != nil {
		t.Fatal(err)
	}
	if err := newRepositories(t, p.root).Init(t.Context(), p.project); err != nil {
		t.Fatal(err)
	}
	blob := []byte("hello")
	tree := append([]byte("100644 README.md\x00"), idOf("blob", blob)...)
	commit := fmt.Appendf(nil, "tree %x\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n\nFirst\n", idOf("tree", tree))
	p.version = fmt.Sprintf("%x", idOf("commit", commit))
	command := fmt.Sprintf("%040d %s refs/heads/main\x00 report-status", 0, p.version)
	p.request = fmt.Appendf(nil, "%04x%s0000", len(command)+4, command)
	pack := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 3)
	pack = appendPacked(appendPacked(pack, 3, blob), 2, tree)
	p.half = len(p.request) + len(pack)
	pack = appendPacked(pack, 1, commit)
	sum := sha1.Sum(pack)
	p.request = append(append(p.request, pack...), sum[:]...)
	return p
}

func idOf(kind string, body []byte) []byte {
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kind, len(body)), body...))
	return sum[:]
}

// appendPacked appends an object to a pack.
func appendPacked(pack []byte, kind byte, body []byte) []byte {
	pack = append(pack, 0x80|kind<<4|byte(len(body)&15), byte(len(body)>>4))
	var packed bytes.Buffer
	deflater := zlib.NewWriter(&packed)
	_, _ = deflater.Write(body)
	_ = deflater.Close()
	return append(pack, packed.Bytes()...)
}

// aside are the quarantines that there are.
func (p *pushRequest) aside(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(p.root, string(p.project), ".git", "atelier", "pack-*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// await waits until the push is being received and its file is locked: before that, a
// repair may take it as abandoned, and its maker creates another.
func (p *pushRequest) await(t *testing.T) {
	t.Helper()
	conformance.Eventually(t, "somebody who receives the push", func() bool { return slices.ContainsFunc(p.aside(t), isLocked) })
}

func isLocked(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// repair does what another process does when it first accesses the project.
func (p *pushRequest) repair(t *testing.T) {
	t.Helper()
	if _, err := newRepositories(t, p.root).Repair(t.Context(), p.project); err != nil {
		t.Fatalf("repair: got %v, want nil", err)
	}
}

func TestAPushSurvivesTheRepairOfAnotherProcess(t *testing.T) {
	p := newPushRequest(t)
	repositories := newRepositories(t, p.root)
	from, to := io.Pipe()
	type receipt struct {
		push vcs.Push
		err  error
	}
	done := make(chan receipt, 1)
	go func() {
		push, err := git.NewWire(repositories).Receive(t.Context(), p.project, from, receiverLimits)
		done <- receipt{push, err}
	}()
	if _, err := to.Write(p.request[:p.half]); err != nil {
		t.Fatal(err)
	}
	p.await(t)
	p.repair(t)
	if _, err := to.Write(p.request[p.half:]); err != nil {
		t.Fatal(err)
	}
	to.Close()
	got := <-done
	if got.err != nil {
		t.Fatalf("receive: got %v, want a push", got.err)
	}
	p.repair(t)
	if left := p.aside(t); len(left) != 1 {
		t.Errorf("got %q aside, want the push that waits for its turn", left)
	}
	arrival, err := got.push.Arrival()
	if err == nil {
		err = got.push.Adopt(t.Context())
	}
	if err == nil {
		err = repositories.Arrive(t.Context(), p.project, arrival)
	}
	if err == nil {
		err = repositories.Settle(t.Context(), p.project, arrival)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := got.push.Close(); err != nil {
		t.Error(err)
	}
	log, err := repositories.Log(t.Context(), p.project, "", 2)
	if err != nil || len(log) != 1 || log[0].ID != p.version {
		t.Errorf("got the versions %+v, %v, want the one that was pushed", log, err)
	}
	if left := p.aside(t); len(left) != 0 {
		t.Errorf("got %q left aside, want nothing", left)
	}
}

func TestWhatADeadProcessReceivedIsRemoved(t *testing.T) {
	p := newPushRequest(t)
	receiver := exec.Command(os.Args[0])
	receiver.Env = append(os.Environ(), receiverRoot+"="+p.root, "ATELIER_TEST_PROJECT="+string(p.project))
	receiver.Stderr = os.Stderr
	to, err := receiver.StdinPipe()
	if err == nil {
		err = receiver.Start()
	}
	if err == nil {
		_, err = to.Write(p.request[:p.half])
	}
	if err != nil {
		t.Fatal(err)
	}
	p.await(t)
	p.repair(t)
	if left := p.aside(t); len(left) != 1 {
		t.Errorf("while it lives: got %q aside, want its push", left)
	}
	if err := receiver.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = receiver.Wait()
	p.repair(t)
	if left := p.aside(t); len(left) != 0 {
		t.Errorf("when it is dead: got %q aside, want nothing", left)
	}
}

func TestAPushToAnotherMachineIsLeftAloneUntilItIsOld(t *testing.T) {
	p := newPushRequest(t)
	names := []string{"pack-8f9d0c52-another-machine." + string(core.NewID()), "pack-" + string(core.NewID())}
	for _, name := range names {
		path := filepath.Join(p.root, string(p.project), ".git", "atelier", name)
		writeFile(t, path, "PACK", 0o444)
		before := time.Now().Add(-50 * time.Minute)
		if err := os.Chtimes(path, before, before); err != nil {
			t.Fatal(err)
		}
	}
	p.repair(t)
	left := p.aside(t)
	if len(left) != len(names) {
		t.Fatalf("while they may be in use: got %q aside, want both", left)
	}
	for _, path := range left {
		before := time.Now().Add(-70 * time.Minute)
		if err := os.Chtimes(path, before, before); err != nil {
			t.Fatal(err)
		}
	}
	p.repair(t)
	if left := p.aside(t); len(left) != 0 {
		t.Errorf("when they are old: got %q aside, want nothing", left)
	}
}
