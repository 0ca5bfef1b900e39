package git_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// writerRoot makes this test binary a writer that saves below it until it is
// killed; see TestMain.
const writerRoot = "ATELIER_TEST_WRITER_ROOT"

// TestMain runs the tests, or the process that one of them starts.
func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(writerRoot) != "":
		err = write(context.Background(), os.Getenv(writerRoot))
	case os.Getenv(limitedRoot) != "":
		err = stageOnFullDisk(context.Background(), os.Getenv(limitedRoot))
	case os.Getenv(receiverRoot) != "":
		err = receive(context.Background(), os.Getenv(receiverRoot))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write saves, stages and commits forever. It prints each acknowledged save as "number
// path hash", and each commit as "version id".
func write(ctx context.Context, root string) error {
	trees, err := disk.NewTrees(root)
	if err != nil {
		return err
	}
	repositories, err := git.NewRepositories(root)
	if err != nil {
		return err
	}
	projects, err := trees.List(ctx)
	if err != nil {
		return err
	}
	tree, err := trees.Open(ctx, projects[0])
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	for n := 0; ; n++ {
		changes := make([]core.FileChange, 1+n%3*15)
		for i := range changes {
			path := core.MustPath(fmt.Sprintf("d%d/f%d", random.IntN(5), i))
			body := strings.Repeat(fmt.Sprint(os.Getpid(), n, i, " "), 1+random.IntN(3000))
			changes[i] = core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(hashOf([]byte(body)) + body)}
		}
		if err := save(ctx, tree, repositories, projects[0], changes); err != nil {
			return err
		}
		if n%2 == 1 {
			version, _, err := repositories.Commit(ctx, projects[0], vcs.Commit{Message: "m", At: core.At(time.Now())})
			if err != nil {
				return err
			}
			fmt.Printf("version %s\n", version.ID)
		}
	}
}

func save(ctx context.Context, tree worktree.Tree, repositories *git.Repositories, project core.ID, changes []core.FileChange) error {
	var lines strings.Builder
	for i, result := range tree.Apply(ctx, changes) {
		if result.Err != nil {
			return result.Err
		}
		fmt.Fprintf(&lines, "saved %s %s\n", changes[i].Path, hashOf(changes[i].Content))
	}
	if err := repositories.Stage(ctx, project, changes); err != nil {
		return err
	}
	_, err := os.Stdout.WriteString(lines.String())
	return err
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// TestKilledWriter kills a writer at random times and compares what it left with what it
// acknowledged.
func TestKilledWriter(t *testing.T) {
	s := newRandomProject(t, 1)
	root := filepath.Dir(s.dir)
	acknowledged := map[string][]string{}
	versions := map[string]bool{}
	for round := range 25 {
		killWriter(t, root, s.random.IntN(100), time.Duration(s.random.IntN(20))*time.Millisecond, func(line string) {
			switch fields := strings.Fields(line); {
			case len(fields) == 3 && fields[0] == "saved":
				acknowledged[fields[1]] = append(acknowledged[fields[1]], fields[2])
			case len(fields) == 2 && fields[0] == "version":
				versions[fields[1]] = true
			}
		})
		s.recover(t, root)
		s.wantAcknowledged(t, acknowledged, versions)
		verify(t, s.dir)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	if len(acknowledged) == 0 || len(versions) == 0 {
		t.Errorf("got %d saves and %d versions acknowledged, want some of each", len(acknowledged), len(versions))
	}
}

// killWriter starts a writer, passes on what it prints, and kills it shortly after a
// number of words.
func killWriter(t *testing.T, root string, words int, after time.Duration, heard func(line string)) {
	t.Helper()
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerRoot+"="+root)
	writer.Stderr = os.Stderr
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == words {
			time.AfterFunc(after, func() { writer.Process.Kill() })
		}
		heard(lines.Text())
	}
	if err := writer.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("writer: got %v, want it killed", err)
	}
}

// recover does what the service does when it starts: repair, and stage what the index
// lacks.
func (s *randomProject) recover(t *testing.T, root string) {
	t.Helper()
	trees, err := disk.NewTrees(root)
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	s.repositories = newRepositories(t, root)
	if s.tree, err = trees.Open(t.Context(), s.project); err != nil {
		t.Fatal(err)
	}
	if _, err := s.repositories.Repair(t.Context(), s.project); err != nil {
		t.Fatalf("repair: got %v, want nil", err)
	}
	left, err := filepath.Glob(filepath.Join(root, ".atelier", "tmp", "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("got the temporary files %q left, %v, want none", left, err)
	}
	// The next save works immediately.
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath("next"), Content: []byte(core.NewID())}
	if err := s.saveOne(t, change); err != nil {
		t.Errorf("the next save: got %v, want nil", err)
	}
	s.stageUnknown(t)
	s.wantClean(t)
}

func (s *randomProject) saveOne(t *testing.T, change core.FileChange) error {
	if err := s.tree.Apply(t.Context(), []core.FileChange{change})[0].Err; err != nil {
		return err
	}
	return s.repositories.Stage(t.Context(), s.project, []core.FileChange{change})
}

// stageUnknown stages the files that differ from their entries in the index.
func (s *randomProject) stageUnknown(t *testing.T) {
	t.Helper()
	staged, err := s.repositories.Staged(t.Context(), s.project)
	if err != nil {
		t.Fatal(err)
	}
	known := map[vcs.StagedFile]bool{}
	for _, file := range staged {
		known[file] = true
	}
	var changes []core.FileChange
	err = s.tree.Walk(t.Context(), func(info worktree.Info) error {
		if known[vcs.StagedFile{Path: info.Path, Size: info.Size, ModifiedNano: info.ModifiedNano}] {
			return nil
		}
		content, err := fs.ReadFile(s.tree.FS(), info.Path.String())
		changes = append(changes, core.FileChange{Op: core.OpWrite, Path: info.Path, Content: content})
		return err
	})
	if err == nil {
		err = s.repositories.Stage(t.Context(), s.project, changes)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantAcknowledged checks that every file is whole, no acknowledged version is
// missing, and no acknowledged save is lost but to a later one. The hashes of the
// saves of a file are in their order.
func (s *randomProject) wantAcknowledged(t *testing.T, acknowledged map[string][]string, versions map[string]bool) {
	t.Helper()
	for path, hashes := range acknowledged {
		content, err := fs.ReadFile(s.tree.FS(), path)
		if err != nil {
			t.Errorf("%s: got %v, want the file", path, err)
			continue
		}
		last := len(hashes) - 1
		switch at := slices.Index(hashes, hashOf(content)); {
		case at >= 0 && at < last:
			t.Errorf("%s: got save %d, want the last that was acknowledged, %d", path, at, last)
		case at < 0 && !wholeWrite(string(content)):
			t.Errorf("%s: got %d torn bytes, want a whole content", path, len(content))
		case at < 0:
			// The save that was under way when the writer died.
			acknowledged[path] = append(hashes, hashOf(content))
		}
	}
	log, err := s.repositories.Log(t.Context(), s.project, "", 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range log {
		delete(versions, version.ID)
	}
	for id := range versions {
		t.Errorf("version %s: got it lost, want it in the log", id)
	}
	for _, version := range log {
		versions[version.ID] = true
	}
}

// wholeWrite recognises a content of the writer by the hash in front of it.
func wholeWrite(content string) bool {
	return len(content) > 64 && hashOf([]byte(content[64:])) == content[:64]
}
