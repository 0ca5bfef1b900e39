package git_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// limitedRoot makes this test binary a process whose files cannot grow; see TestMain.
const limitedRoot = "ATELIER_TEST_LIMITED_ROOT"

// stageOnFullDisk stages and commits while no file can exceed 4 KiB: the kernel refuses
// larger ones like a full disk, for root too.
func stageOnFullDisk(ctx context.Context, root string) error {
	signal.Ignore(syscall.SIGXFSZ)
	repositories, err := git.NewRepositories(root)
	if err != nil {
		return err
	}
	project := core.ID(os.Getenv("ATELIER_TEST_PROJECT"))
	limit := syscall.Rlimit{Cur: 1 << 12, Max: 1 << 12}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for _, content := range fullDiskContents() {
		err := repositories.Stage(ctx, project, []core.FileChange{{Op: core.OpWrite, Path: core.MustPath("a"), Content: content}})
		fmt.Printf("%q\n", core.CodeOf(err))
	}
	_, _, err = repositories.Commit(ctx, project, vcs.Commit{Message: strings.Repeat(string(fullDiskContents()[0]), 2), At: 1000})
	fmt.Printf("%q\n", core.CodeOf(err))
	return nil
}

// fullDiskContents are one that does not fit even deflated, and one that does.
func fullDiskContents() [][]byte {
	large := make([]byte, 1<<15)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range large {
		large[i] = byte('!' + random.IntN(90))
	}
	return [][]byte{large, []byte("small")}
}

func TestFullDiskKeepsRepositorySound(t *testing.T) {
	s := newRandomProject(t, 1)
	for range 2 {
		if err := s.saveOne(t, core.FileChange{Op: core.OpWrite, Path: core.MustPath("a"), Content: []byte(core.NewID())}); err != nil {
			t.Fatal(err)
		}
		s.commit(t)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), limitedRoot+"="+filepath.Dir(s.dir), "ATELIER_TEST_PROJECT="+string(s.project))
	out, err := child.CombinedOutput()
	if want := "\"unavailable\"\n\"\"\n\"unavailable\"\n"; err != nil || string(out) != want {
		t.Errorf("codes: got %s, %v, want %s", out, err, want)
	}
	if log, err := s.repositories.Log(t.Context(), s.project, "", 10); err != nil || len(log) != 2 {
		t.Errorf("log: got %d versions, %v, want 2", len(log), err)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, ".git", "atelier", "tmp-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("got the temporary files %q left, %v, want none", left, err)
	}
	verify(t, s.dir)
	if err := s.saveOne(t, core.FileChange{Op: core.OpWrite, Path: core.MustPath("a"), Content: []byte("next")}); err != nil {
		t.Errorf("the next save: got %v, want nil", err)
	}
	s.wantClean(t)
}
