package git_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// TestStockClientAgrees plays random sequences of saves and commits, with the
// stock client at work in between, and holds the repository against it.
func TestStockClientAgrees(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := newRandomProject(t, seed)
			for range 40 {
				s.step(t)
				if t.Failed() {
					t.Fatalf("after: %s", strings.Join(s.told, "; "))
				}
			}
			s.wantSameLog(t)
			verify(t, s.dir)
		})
	}
}

// randomProject is a project to which random things happen.
type randomProject struct {
	random       *rand.Rand
	dir          string
	project      core.ID
	tree         worktree.Tree
	repositories *git.Repositories
	told         []string
}

func newRandomProject(t *testing.T, seed uint64) *randomProject {
	t.Helper()
	root := t.TempDir()
	s := &randomProject{random: rand.New(rand.NewPCG(seed, 1)), project: core.NewID(), repositories: newRepositories(t, root)}
	s.dir = filepath.Join(root, string(s.project))
	trees := newTrees(t, root)
	err := trees.Create(t.Context(), s.project)
	if err == nil {
		s.tree, err = trees.Open(t.Context(), s.project)
	}
	if err == nil {
		err = s.repositories.Init(t.Context(), s.project)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *randomProject) step(t *testing.T) {
	t.Helper()
	switch n := s.random.IntN(20); {
	case n < 11:
		s.save(t, 1+s.random.IntN(4))
	case n < 12:
		s.save(t, 30+s.random.IntN(20))
	case n < 16:
		s.commit(t)
	default:
		s.stock(t)
	}
	s.wantClean(t)
}

// save applies random changes and stages the successful ones, like the files use case.
func (s *randomProject) save(t *testing.T, n int) {
	t.Helper()
	var changes, done []core.FileChange
	for range n {
		changes = append(changes, s.change())
	}
	for i, result := range s.tree.Apply(t.Context(), changes) {
		if result.Err == nil {
			done = append(done, changes[i])
			s.told = append(s.told, fmt.Sprint(changes[i].Op, " ", changes[i].Path, " ", changes[i].To))
		}
	}
	if err := s.repositories.Stage(t.Context(), s.project, done); err != nil {
		t.Errorf("stage: got %v, want nil", err)
	}
}

func (s *randomProject) change() core.FileChange {
	switch s.random.IntN(10) {
	case 0:
		return core.FileChange{Op: core.OpDelete, Path: s.path()}
	case 1, 2:
		return core.FileChange{Op: core.OpRename, Path: s.path(), To: s.path()}
	}
	content := make([]byte, s.random.IntN(300))
	for i := range content {
		content[i] = byte(s.random.IntN(4) + 'a')
	}
	return core.FileChange{Op: core.OpWrite, Path: s.path(), Content: content}
}

// path is one of few, so that files and directories meet; their names sort
// differently with and without a slash behind them.
func (s *randomProject) path() core.ProjectPath {
	names := []string{"a", "a.b", "a-b", "a0", "b"}
	path := names[s.random.IntN(len(names))]
	for s.random.IntN(2) == 0 && len(path) < 20 {
		path += "/" + names[s.random.IntN(len(names))]
	}
	return core.MustPath(path)
}

func (s *randomProject) commit(t *testing.T) {
	t.Helper()
	s.told = append(s.told, "commit")
	staged := s.must(t, "diff", "--cached", "--name-only", "--no-renames")
	version, made, err := s.repositories.Commit(t.Context(), s.project, vcs.Commit{
		Message: fmt.Sprint("version ", s.random.Int()), Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: 1_700_000_000_000,
	})
	if err != nil || made != (staged != "") {
		t.Errorf("commit: got made %v, %v, want %v", made, err, staged != "")
	}
	if changed := len(strings.Fields(staged)); version.FilesChanged != changed {
		t.Errorf("commit: got %d files changed, want %d", version.FilesChanged, changed)
	}
}

// stock lets the stock client do something.
func (s *randomProject) stock(t *testing.T) {
	t.Helper()
	head := s.must(t, "rev-list", "--all", "--max-count=1")
	commands := [][]string{{"add", "--all"}, {"update-index", "--index-version", "4"}, {"update-index", "--really-refresh"}, {"status"}}
	if head != "" {
		commands = append(commands, []string{"gc", "--quiet", "--prune=now"}, []string{"pack-refs", "--all"}, []string{"repack", "-adfq"},
			[]string{"commit", "--allow-empty", "--quiet", "--message=stock"}, []string{"checkout", "--quiet", "--detach"},
			[]string{"checkout", "--quiet", "-B", "main"})
	}
	command := commands[s.random.IntN(len(commands))]
	s.told = append(s.told, "git "+strings.Join(command, " "))
	s.must(t, command...)
}

// wantClean checks that status shows nothing that is not staged.
func (s *randomProject) wantClean(t *testing.T) {
	t.Helper()
	for line := range strings.SplitSeq(s.must(t, "status", "--porcelain", "--untracked-files=all", "--no-renames"), "\n") {
		if len(line) > 1 && line[1] != ' ' {
			t.Errorf("git status: got %q, want it staged", line)
		}
	}
	staged, err := s.repositories.Staged(t.Context(), s.project)
	if err != nil {
		t.Errorf("staged: got %v, want nil", err)
	}
	var got []string
	for _, file := range staged {
		got = append(got, file.Path.String())
	}
	want := strings.Fields(s.must(t, "ls-files"))
	if !slices.Equal(got, want) {
		t.Errorf("staged: got %q, want %q", got, want)
	}
}

func (s *randomProject) wantSameLog(t *testing.T) {
	t.Helper()
	s.commit(t)
	versions, err := s.repositories.Log(t.Context(), s.project, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, version := range versions {
		changed := strings.Fields(s.must(t, "diff-tree", "--root", "--no-commit-id", "--name-only", "--no-renames", "-r", version.ID))
		if len(changed) != version.FilesChanged {
			t.Errorf("version %s: got %d files changed, want %d", version.ID, version.FilesChanged, len(changed))
		}
		got = append(got, version.ID)
	}
	if want := strings.Fields(s.must(t, "log", "--first-parent", "--format=%H")); !slices.Equal(got, want) {
		t.Errorf("log: got %q, want %q", got, want)
	}
}

func (s *randomProject) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := stock(s.dir, args...)
	if err != nil {
		t.Errorf("git %s: got %q, %v", strings.Join(args, " "), out, err)
	}
	return out
}

// TestStockClientWorksMeanwhile lets the stock git client stage while files are saved:
// each waits for the other's lock or fails, and nothing is lost.
func TestStockClientWorksMeanwhile(t *testing.T) {
	s := newRandomProject(t, 1)
	done := make(chan int)
	go func() {
		added := 0
		for i := range 30 {
			name := fmt.Sprintf("stock%02d", i)
			if err := os.WriteFile(filepath.Join(s.dir, name), []byte(name), 0o644); err != nil {
				break
			}
			for range 100 {
				if _, err := stock(s.dir, "add", name); err == nil {
					added++
					break
				}
			}
		}
		done <- added
	}()
	for i := range 60 {
		change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(fmt.Sprintf("own%02d", i)), Content: []byte("x")}
		s.tree.Apply(t.Context(), []core.FileChange{change})
		if err := s.repositories.Stage(t.Context(), s.project, []core.FileChange{change}); err != nil {
			t.Errorf("stage: got %v, want nil", err)
		}
	}
	if added := <-done; added != 30 {
		t.Errorf("stock client: got %d files added, want 30", added)
	}
	if staged, err := s.repositories.Staged(t.Context(), s.project); err != nil || len(staged) != 90 {
		t.Errorf("got %d files staged, %v, want 90", len(staged), err)
	}
	s.wantClean(t)
	verify(t, s.dir)
}

// TestRacyChangeStaysVisible changes a file without changing its size or time, in
// the tick in which the stock client staged it. git notices that for as long as
// the index is not newer than the file; a newer index must not hide it.
func TestRacyChangeStaysVisible(t *testing.T) {
	s := newRandomProject(t, 1)
	file, index := filepath.Join(s.dir, "racy"), filepath.Join(s.dir, ".git", "index")
	writeFile(t, file, "before", 0o644)
	s.must(t, "add", "racy")
	staged, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, "after!", 0o644)
	for _, path := range []string{file, index} {
		if err := os.Chtimes(path, staged.ModTime(), staged.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.saveOne(t, core.FileChange{Op: core.OpWrite, Path: core.MustPath("other"), Content: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	s.stageUnknown(t)
	listed := s.must(t, "ls-files", "--stage", "racy")
	if want := s.must(t, "hash-object", "racy"); !strings.Contains(listed, want) {
		t.Errorf("got %q staged, want the content %s", listed, want)
	}
}
