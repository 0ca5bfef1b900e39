package disk_test

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
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// The environment in which this test binary is a writer instead; see TestMain.
const (
	writerRoot  = "ATELIER_TEST_WRITER_ROOT"
	limitedRoot = "ATELIER_TEST_LIMITED_ROOT"
)

// TestMain runs the tests, or a writer that a test starts.
func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(writerRoot) != "":
		err = writeForEver(context.Background(), os.Getenv(writerRoot))
	case os.Getenv(limitedRoot) != "":
		err = writeOnFullDisk(context.Background(), os.Getenv(limitedRoot))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func onlyTree(ctx context.Context, root string) (worktree.Tree, error) {
	trees, err := disk.NewTrees(root)
	if err != nil {
		return nil, err
	}
	projects, err := trees.List(ctx)
	if err != nil {
		return nil, err
	}
	return trees.Open(ctx, projects[0])
}

// writeForEver prints each acknowledged write as "path hash".
func writeForEver(ctx context.Context, root string) error {
	tree, err := onlyTree(ctx, root)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	for n := 0; ; n++ {
		changes := make([]core.FileChange, 1+n%3*10)
		for i := range changes {
			path := core.MustPath(fmt.Sprintf("d%d/f%d", random.IntN(5), i))
			body := strings.Repeat(fmt.Sprint(os.Getpid(), n, i, " "), 1+random.IntN(30_000))
			changes[i] = core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(hashOf(body) + body)}
		}
		var lines strings.Builder
		for i, result := range tree.Apply(ctx, changes) {
			if result.Err != nil {
				return result.Err
			}
			fmt.Fprintln(&lines, changes[i].Path, hashOf(string(changes[i].Content)))
		}
		if _, err := os.Stdout.WriteString(lines.String()); err != nil {
			return err
		}
	}
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestKilledWriter(t *testing.T) {
	root := t.TempDir()
	trees := newTrees(t, root)
	project := core.NewID()
	if err := trees.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string][]string{}
	random := rand.New(rand.NewPCG(1, 1))
	for round := range 20 {
		runWriter(t, root, random.IntN(60), time.Duration(random.IntN(20))*time.Millisecond, func(path, hash string) {
			acknowledged[path] = append(acknowledged[path], hash)
		})
		tree, err := newTrees(t, root).Open(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		wantAcknowledged(t, tree.FS(), acknowledged)
		wantNoTemps(t, root)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	if len(acknowledged) < 20 {
		t.Errorf("got %d files acknowledged, want at least 20", len(acknowledged))
	}
}

// runWriter starts a writer, passes on what it acknowledges, and kills it shortly after a
// number of words.
func runWriter(t *testing.T, root string, words int, after time.Duration, heard func(path, hash string)) {
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
		if path, hash, found := strings.Cut(lines.Text(), " "); found && len(hash) == 64 {
			heard(path, hash)
		}
	}
	if err := writer.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("writer: got %v, want it killed", err)
	}
}

// wantAcknowledged checks that every file holds the last write that was
// acknowledged, or the one that was under way.
func wantAcknowledged(t *testing.T, view fs.FS, acknowledged map[string][]string) {
	t.Helper()
	for path, hashes := range acknowledged {
		content, err := fs.ReadFile(view, path)
		if err != nil {
			t.Errorf("%s: got %v, want the file", path, err)
			continue
		}
		last := len(hashes) - 1
		whole := len(content) > 64 && hashOf(string(content[64:])) == string(content[:64])
		switch at := slices.Index(hashes, hashOf(string(content))); {
		case at >= 0 && at < last:
			t.Errorf("%s: got write %d, want the last that was acknowledged, %d", path, at, last)
		case at < 0 && !whole:
			t.Errorf("%s: got %d torn bytes, want a whole content", path, len(content))
		case at < 0:
			acknowledged[path] = append(hashes, hashOf(string(content)))
		}
	}
}

func wantNoTemps(t *testing.T, root string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(root, ".atelier", "tmp", "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("got the temporary files %q left, %v, want none", left, err)
	}
}

// writeOnFullDisk is a process whose files cannot exceed 64 KiB. The kernel refuses
// larger ones like a full disk, for root too.
func writeOnFullDisk(ctx context.Context, root string) error {
	signal.Ignore(syscall.SIGXFSZ)
	tree, err := onlyTree(ctx, root)
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 1 << 16, Max: 1 << 16}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	large := make([]byte, 1<<17)
	results := tree.Apply(ctx, []core.FileChange{
		{Op: core.OpWrite, Path: core.MustPath("old"), Content: large},
		{Op: core.OpWrite, Path: core.MustPath("small"), Content: []byte("small")},
		{Op: core.OpWrite, Path: core.MustPath("new/file"), Content: large},
	})
	for _, result := range results {
		fmt.Printf("%q\n", core.CodeOf(result.Err))
	}
	return nil
}

func TestFullDiskKeepsOldContent(t *testing.T) {
	root := t.TempDir()
	trees := newTrees(t, root)
	project := core.NewID()
	if err := trees.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	tree, err := trees.Open(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	old := core.FileChange{Op: core.OpWrite, Path: core.MustPath("old"), Content: []byte("old content")}
	if err := tree.Apply(t.Context(), []core.FileChange{old})[0].Err; err != nil {
		t.Fatal(err)
	}
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), limitedRoot+"="+root)
	out, err := writer.CombinedOutput()
	if want := "\"unavailable\"\n\"\"\n\"unavailable\"\n"; err != nil || string(out) != want {
		t.Errorf("codes: got %s, %v, want %s", out, err, want)
	}
	for path, want := range map[string]string{"old": "old content", "small": "small"} {
		if content, err := fs.ReadFile(tree.FS(), path); err != nil || string(content) != want {
			t.Errorf("%s: got %q, %v, want %q", path, content, err, want)
		}
	}
	if _, err := tree.Stat(t.Context(), core.MustPath("new")); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("the directory of a refused write: got %v, want code %s", err, core.CodeNotFound)
	}
	wantNoTemps(t, root)
}
