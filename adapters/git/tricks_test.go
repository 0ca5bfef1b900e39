package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// tricks are ways to make a git client run a command: files in the work tree, or in the
// repository if they get there. MARK is replaced by a script that leaves a mark.
var tricks = map[string]map[string]string{
	"fsmonitor":             {".git/config": "[core]\n\tfsmonitor = MARK\n"},
	"fsmonitor hook":        {".git/config": "[core]\n\tfsmonitor = true\n", ".git/hooks/fsmonitor-watchman": "MARK"},
	"hooks path":            {".git/config": "[core]\n\thooksPath = hooks\n", "hooks/pre-commit": "MARK", "hooks/post-index-change": "MARK"},
	"hooks":                 {".git/hooks/pre-commit": "MARK", ".git/hooks/post-commit": "MARK", ".git/hooks/reference-transaction": "MARK", ".git/hooks/post-index-change": "MARK"},
	"clean filter":          {".gitattributes": "* filter=evil\n", ".git/config": "[filter \"evil\"]\n\tclean = MARK\n\tsmudge = MARK\n\trequired = true\n"},
	"process filter":        {".gitattributes": "* filter=evil\n", ".git/config": "[filter \"evil\"]\n\tprocess = MARK\n"},
	"attributes in info":    {".git/info/attributes": "* filter=evil\n", ".git/config": "[filter \"evil\"]\n\tclean = MARK\n"},
	"included config":       {".git/config": "[include]\n\tpath = ../evil.config\n", "evil.config": "[core]\n\tfsmonitor = MARK\n"},
	"config of a work tree": {".git/config": "[extensions]\n\tworktreeConfig = true\n", ".git/config.worktree": "[core]\n\tfsmonitor = MARK\n"},
	"common directory":      {".git/commondir": "../evil\n", "evil/config": "[core]\n\tfsmonitor = MARK\n"},
	"signing program":       {".git/config": "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = MARK\n"},
	"external diff":         {".gitattributes": "* diff=evil\n", ".git/config": "[diff]\n\texternal = MARK\n[diff \"evil\"]\n\tcommand = MARK\n\ttextconv = MARK\n"},
	"trailer command":       {".git/config": "[trailer \"evil\"]\n\tkey = Evil\n\tcmd = MARK\n\tcommand = MARK\n"},
	"merge driver":          {".gitattributes": "* merge=evil\n", ".git/config": "[merge \"evil\"]\n\tdriver = MARK\n"},
	"editor and pager":      {".git/config": "[core]\n\teditor = MARK\n\tpager = MARK\n\tsshCommand = MARK\n\taskPass = MARK\n"},
	"nested repository":     {"sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.git/config": "[core]\n\tfsmonitor = MARK\n", "sub/.git/objects/info/x": "", "sub/.git/refs/x": ""},
	"repository by file":    {"sub/.git": "gitdir: ../evil\n", "evil/HEAD": "ref: refs/heads/main\n", "evil/config": "[core]\n\tfsmonitor = MARK\n"},
	"submodule": {
		".gitmodules": "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::MARK\n\tupdate = !MARK\n", "sub/.git": "gitdir: ../.git/modules/sub\n",
		".git/modules/sub/config": "[core]\n\tfsmonitor = MARK\n\tworktree = ../../../sub\n",
	},
	"bare look-alike": {"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\tfsmonitor = MARK\n\tbare = false\n\tworktree = .\n", "objects/x": "", "refs/x": ""},
	"alternates":      {".git/objects/info/alternates": "../../evil\n", ".git/config": "[core]\n\talternateRefsCommand = MARK\n"},
	"aliases":         {".git/config": "[alias]\n\tadd = !MARK\n\tstatus = !MARK\n\tcommit = !MARK\n"},
	"credentials":     {".git/config": "[credential]\n\thelper = !MARK\n[remote \"origin\"]\n\turl = ext::MARK\n"},
	"environment":     {".env": "GIT_EXTERNAL_DIFF=MARK\nGIT_SSH_COMMAND=MARK\n", ".envrc": "MARK\n"},
}

// TestTricksRunNothing is the regression for findings of command execution
// through repositories that users write.
func TestTricksRunNothing(t *testing.T) {
	for name, files := range tricks {
		t.Run(name, func(t *testing.T) {
			s := newRandomProject(t, 1)
			mark := filepath.Join(t.TempDir(), "mark")
			script := filepath.Join(t.TempDir(), "evil.sh")
			writeFile(t, script, "#!/bin/sh\necho ran >> "+mark+"\ncat\n", 0o755)
			for path, content := range files {
				body := strings.ReplaceAll(content, "MARK", script)
				if content == "MARK" {
					body = "#!/bin/sh\n" + script + "\n"
				}
				writeFile(t, filepath.Join(s.dir, path), body, 0o755)
			}
			s.useEverything(t)
			if ran, err := os.ReadFile(mark); err == nil {
				t.Errorf("got the command run %d times, want never", strings.Count(string(ran), "ran"))
			}
		})
	}
}

func writeFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// useEverything calls all that the port offers.
func (s *randomProject) useEverything(t *testing.T) {
	t.Helper()
	for _, change := range []core.FileChange{
		{Op: core.OpWrite, Path: core.MustPath("src/a.txt"), Content: []byte("a")},
		{Op: core.OpWrite, Path: core.MustPath("src/b.txt"), Content: []byte("b")},
		{Op: core.OpRename, Path: core.MustPath("src/b.txt"), To: core.MustPath("src/c.txt")},
		{Op: core.OpDelete, Path: core.MustPath("src/a.txt")},
	} {
		if err := s.tree.Apply(t.Context(), []core.FileChange{change})[0].Err; err != nil {
			t.Fatal(err)
		}
		if err := s.repositories.Stage(t.Context(), s.project, []core.FileChange{change}); err != nil {
			t.Fatalf("stage: got %v, want nil", err)
		}
		if _, made, err := s.repositories.Commit(t.Context(), s.project, vcs.Commit{Message: "m", At: 1000}); err != nil || !made {
			t.Fatalf("commit: got made %v, %v, want a version", made, err)
		}
	}
	if log, err := s.repositories.Log(t.Context(), s.project, "", 10); err != nil || len(log) != 4 {
		t.Errorf("log: got %d versions, %v, want 4", len(log), err)
	}
	if _, err := s.repositories.Repair(t.Context(), s.project); err != nil {
		t.Errorf("repair: got %v, want nil", err)
	}
	if staged, err := s.repositories.Staged(t.Context(), s.project); err != nil || len(staged) != 1 {
		t.Errorf("staged: got %d files, %v, want 1", len(staged), err)
	}
}

// TestStockClientFallsForTricks shows that the marks work: the same files make
// the stock client run the command.
func TestStockClientFallsForTricks(t *testing.T) {
	s := newRandomProject(t, 1)
	mark := filepath.Join(t.TempDir(), "mark")
	writeFile(t, filepath.Join(s.dir, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"echo ran >> "+mark+"; false\"\n", 0o644)
	writeFile(t, filepath.Join(s.dir, "a.txt"), "a", 0o644)
	if out, err := stock(s.dir, "add", "a.txt"); err != nil {
		t.Fatal(out, err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error("got no mark from the stock client, want one: the other test could not fail")
	}
}

// TestRepairLeavesLiveLocks is about the stock client at work while a project is
// repaired: its lock stays, whatever its age.
func TestRepairLeavesLiveLocks(t *testing.T) {
	s := newRandomProject(t, 1)
	s.save(t, 3)
	ref := filepath.Join(s.dir, ".git", "refs", "heads", "other.lock")
	held, err := os.Create(ref)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := os.Chtimes(ref, time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(s.dir, ".git", "refs", "heads", "fresh.lock")
	root := filepath.Dir(s.dir)
	repositories := newRepositories(t, root)
	for range 2 {
		// Younger than the adapter.
		writeFile(t, fresh, "", 0o644)
		if _, err := repositories.Repair(t.Context(), s.project); err != nil {
			t.Fatal(err)
		}
		for _, lock := range []string{ref, fresh} {
			if _, err := os.Lstat(lock); err != nil {
				t.Errorf("%s: got %v, want it left", filepath.Base(lock), err)
			}
		}
	}
}

// TestRepairClearsOwnLocks is about a lock whose holder died while the repairing process
// lived, so that nothing is older than the process.
func TestRepairClearsOwnLocks(t *testing.T) {
	s := newRandomProject(t, 1)
	s.save(t, 3)
	s.commit(t)
	own := filepath.Join(s.dir, ".git", "atelier", "lock")
	for _, name := range []string{"index.lock", "refs/heads/main.lock"} {
		if err := os.Link(own, filepath.Join(s.dir, ".git", name)); err != nil {
			t.Fatal(err)
		}
	}
	// A backup that was taken while the lock was held has it as a file of its own.
	note, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, ".git", "HEAD.lock"), string(note), 0o644)
	if rebuilt, err := s.repositories.Repair(t.Context(), s.project); err != nil || rebuilt {
		t.Errorf("repair: got rebuilt %v, %v, want only the locks cleared", rebuilt, err)
	}
	if _, err := os.Lstat(filepath.Join(s.dir, ".git", "HEAD.lock")); err == nil {
		t.Error("got the copied lock left, want it gone")
	}
	s.save(t, 3)
	s.commit(t)
}

// TestHeldLockIsWaitedFor ends the wait with the context.
func TestHeldLockIsWaitedFor(t *testing.T) { synctest.Test(t, heldLockIsWaitedFor) }

func heldLockIsWaitedFor(t *testing.T) {
	s := newRandomProject(t, 1)
	lock := filepath.Join(s.dir, ".git", "index.lock")
	writeFile(t, lock, "", 0o644)
	change := core.FileChange{Op: core.OpWrite, Path: core.MustPath("a"), Content: []byte("a")}
	brief, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.repositories.Stage(brief, s.project, []core.FileChange{change}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is held: got %v, want context.DeadlineExceeded", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = os.Remove(lock) })
	if err := s.saveOne(t, change); err != nil {
		t.Errorf("when it is given back: got %v, want nil", err)
	}
}
