package versions_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/ports/vcs"
)

// onDisk is a fixture whose files and repository are real ones, in dir.
func onDisk(t *testing.T) (f *fixture, dir string) {
	t.Helper()
	f = newFixture(t, nil)
	root := t.TempDir()
	trees, err := disk.NewTrees(root)
	f.must(err)
	t.Cleanup(func() { f.must(trees.Close()) })
	repositories, err := git.NewRepositories(root)
	f.must(err)
	f.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: repositories, Store: f.store, Bus: memory.NewBus(), Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(),
		Search: memory.NewSearch(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	f.service = versions.New(versions.Deps{Gate: access.NewGate(f.store), Store: f.store, History: f.pipeline.History, Committer: f.pipeline.Committer, Bus: memory.NewBus(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	f.must(trees.Create(t.Context(), f.project), repositories.Init(t.Context(), f.project))
	return f, filepath.Join(root, string(f.project))
}

// stock runs git in a directory, with text on its standard input.
func stock(t *testing.T, dir, input string, arguments ...string) string {
	t.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = dir
	command.Stdin = strings.NewReader(input)
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v, %s\n%.3000s", strings.Join(arguments, " "), err, out, input)
	}
	return strings.TrimSpace(string(out))
}

// wantPatch applies a version's patch to the files of the version before with stock
// git, and compares the outcome with the version.
func wantPatch(t *testing.T, repository string, parent string, detail versions.Detail) {
	t.Helper()
	index := filepath.Join(t.TempDir(), "index")
	run := func(input string, arguments ...string) string {
		t.Helper()
		return stock(t, repository, input, append([]string{"-c", "core.fsync=none"}, arguments...)...)
	}
	t.Setenv("GIT_INDEX_FILE", index)
	if parent != "" {
		run("", "read-tree", parent)
	}
	if detail.Patch != "" {
		run(detail.Patch, "apply", "--cached", "--whitespace=nowarn", "-")
	}
	if got, want := run("", "write-tree"), run("", "rev-parse", detail.ID+"^{tree}"); got != want {
		t.Errorf("git apply made another tree of %s:\n%s\n%.3000s", detail.Message, run("", "diff-index", "--cached", detail.ID), detail.Patch)
	}
	_ = os.Unsetenv("GIT_INDEX_FILE")
}

// oddNames are names that a patch has to quote, or that are ambiguous in it.
var oddNames = []string{
	"plain.txt", "with space", "two  spaces.txt", "é", "東京/file", "a\u00a0b", "🎨.css", "it's", "dir/with space/x", "-dash", "--- a", "+++ b", "@@",
	"dev/null", "a/b/c/d/e", "trailing.tab x", "a b/c", "日本 語", "%s", "$HOME", "#hash", "=", "~", "old mode", "rename from x", "{", "index 12..34",
}

// randomText is some lines, with ends of all kinds.
func randomText(random *rand.Rand) string {
	var b strings.Builder
	words := []string{"a", "b", "c", "", "é", "-", "--", "+", "@@", "\\", " ", "--- a/x", "+++ b/x", "diff --git a/x b/x", "\\ No newline at end of file", "東", "\t"}
	for range random.IntN(40) {
		b.WriteString(words[random.IntN(len(words))])
		b.WriteString([]string{"\n", "\n", "\n", "\r\n", "\r", "\n\n"}[random.IntN(6)])
	}
	if random.IntN(3) == 0 {
		b.WriteString("no end")
	}
	return b.String()
}

// mutated changes a few lines of a text.
func mutated(random *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + random.IntN(3) {
		at := random.IntN(len(lines))
		switch random.IntN(4) {
		case 0:
			lines[at] = ""
		case 1:
			lines[at] += "new\n"
		case 2:
			lines[at] = "changed " + lines[at]
		default:
			lines[at] = strings.TrimSuffix(lines[at], "\n")
		}
	}
	return strings.Join(lines, "")
}

// randomChanges makes random changes and applies them to held.
func randomChanges(random *rand.Rand, held map[string]string) []core.FileChange {
	var changes []core.FileChange
	for range 1 + random.IntN(6) {
		name := oddNames[random.IntN(len(oddNames))]
		content, found := held[name]
		executable := random.IntN(4) == 0
		switch {
		case found && random.IntN(4) == 0:
			delete(held, name)
			changes = append(changes, core.FileChange{Op: core.OpDelete, Path: core.MustPath(name)})
			continue
		case found && random.IntN(5) > 0:
			content = mutated(random, content)
		case random.IntN(8) == 0:
			content = ""
		default:
			content = randomText(random)
		}
		held[name] = content
		change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(name), Content: []byte(content)}
		if random.IntN(3) == 0 {
			change.Executable = &executable
		}
		changes = append(changes, change)
	}
	return changes
}

func TestGitAppliesThePatchOfEveryVersion(t *testing.T) {
	f, dir := onDisk(t)
	random := rand.New(rand.NewPCG(7, 11))
	parent, held := "", map[string]string{}
	shown := 0
	for i := range 40 {
		_, made, err := f.pipeline.ApplyAndCommit(t.Context(), f.project, randomChanges(random, held), vcs.Commit{Message: fmt.Sprint("step ", i), Author: person})
		f.must(err)
		if made == nil {
			continue
		}
		detail, err := f.service.Show(t.Context(), f.ann, f.project, made.ID)
		f.must(err)
		if detail.Truncated || len(detail.Files) != made.FilesChanged || detail.Version != *made {
			t.Errorf("got %d files of %+v, cut %t, want the %d of %+v", len(detail.Files), detail.Version, detail.Truncated, made.FilesChanged, *made)
		}
		wantPatch(t, dir, parent, detail)
		wantCounts(t, dir, parent, detail)
		parent = made.ID
		shown++
	}
	if shown < 35 {
		t.Errorf("got %d versions, want nearly 40", shown)
	}
}

// wantCounts compares the numbers of lines with what stock git counts in the patch.
func wantCounts(t *testing.T, dir, parent string, detail versions.Detail) {
	t.Helper()
	if detail.Patch == "" {
		return
	}
	counted := map[string]string{}
	for record := range strings.SplitSeq(stock(t, dir, detail.Patch, "apply", "--whitespace=nowarn", "--numstat", "-z", "-"), "\x00") {
		if fields := strings.SplitN(record, "\t", 3); len(fields) == 3 {
			counted[fields[2]] = fields[0] + " " + fields[1]
		}
	}
	for _, file := range detail.Files {
		if got, want := fmt.Sprint(*file.Additions, " ", *file.Deletions), counted[file.Path.String()]; got != want {
			t.Errorf("%s: got %s lines, git counts %s", file.Path, got, want)
		}
	}
}

func TestAPatchReadsAsGitWritesIt(t *testing.T) {
	f, dir := onDisk(t)
	yes := true
	long := strings.Repeat("line\n", 20)
	f.commit(person, "First", map[string]string{"a": long, "é x": "1\n2", "gone": "x\n", "bin": "\x00\x01", "latin": "caf\xe9\n", "mode": "m\n"})
	changes := changesTo(map[string]string{"a": "first\n" + long + "last", "é x": "1\n2\n", "gone": "-", "bin": "\x00\x02", "latin": "th\xe9\n", "empty": "", "new": "n"})
	changes = append(changes, core.FileChange{Op: core.OpWrite, Path: core.MustPath("mode"), Content: []byte("m\n"), Executable: &yes})
	_, made, err := f.pipeline.ApplyAndCommit(t.Context(), f.project, changes, vcs.Commit{Message: "Second", Author: person})
	f.must(err)
	detail, err := f.service.Show(t.Context(), f.ann, f.project, made.ID)
	f.must(err)
	want := stock(t, dir, "", "-c", "diff.indentHeuristic=false", "diff", "--no-renames", "--full-index", "--no-color", made.ID+"^", made.ID)
	// Here, a file that is not UTF-8 is binary.
	got := strings.TrimSpace(detail.Patch)
	at, end := strings.Index(want, "--- a/latin"), strings.Index(want, "diff --git a/mode")
	want = want[:at] + "Binary files a/latin and b/latin differ\n" + want[end:]
	if want = withoutHeadings(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, file := range detail.Files {
		if isText := file.Path.String() != "bin" && file.Path.String() != "latin"; (file.Additions != nil) != isText {
			t.Errorf("%s: got lines counted %t, want %t", file.Path, file.Additions != nil, isText)
		}
	}
}

// withoutHeadings removes the headings that git writes after the ranges of a hunk.
func withoutHeadings(patch string) string {
	lines := strings.Split(patch, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "@@ ") {
			lines[i] = line[:strings.Index(line[3:], "@@")+5]
		}
	}
	return strings.Join(lines, "\n")
}

func TestThePatchOfALargeVersionIsCutBetweenFiles(t *testing.T) {
	f, dir := onDisk(t)
	states := map[string]string{}
	for i := range 40 {
		states[fmt.Sprintf("f%02d", i)] = strings.Repeat(fmt.Sprintln("line", i), 10_000)
	}
	states["image"] = strings.Repeat("\x00", 3<<20)
	states["long"] = strings.Repeat("x\n", 1<<20)
	made := f.commit(person, "Much", states)
	detail, err := f.service.Show(t.Context(), f.ann, f.project, made.ID)
	f.must(err)
	if !detail.Truncated || len(detail.Patch) > versions.MaxPatchBytes || len(detail.Patch) < versions.MaxPatchBytes/2 || len(detail.Files) != 42 {
		t.Errorf("got %d bytes of %d files, cut %t, want at most %d bytes of 42", len(detail.Patch), len(detail.Files), detail.Truncated, versions.MaxPatchBytes)
	}
	if !strings.Contains(detail.Patch, "Binary files /dev/null and b/image differ") || strings.Contains(detail.Patch, "b/long") {
		t.Error("want the image told of and the long text left out")
	}
	parts := strings.SplitAfterN(detail.Patch, "diff --git a/image", 2)
	stock(t, dir, strings.TrimSuffix(parts[0], "diff --git a/image"), "apply", "--numstat", "-")
}

func TestShowAsksTheGateAndKnowsVersionsOnly(t *testing.T) {
	f, dir := onDisk(t)
	made := f.commit(person, "First", map[string]string{"a": "1"})
	if _, err := f.service.Show(t.Context(), f.stranger, f.project, made.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("a stranger: got %v, want not_found", err)
	}
	tree := stock(t, dir, "", "rev-parse", made.ID+"^{tree}")
	blob := stock(t, dir, "", "rev-parse", made.ID+":a")
	for _, sha := range []string{"", "HEAD", "main", made.ID[:3], made.ID[:39], tree, blob, "..", "refs/heads/main", made.ID + "\n", strings.Repeat("0", 40)} {
		if _, err := f.service.Show(t.Context(), f.ann, f.project, sha); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("show %q: got %v, want not_found", sha, err)
		}
		if _, _, err := f.service.Restore(t.Context(), f.ann, f.project, sha); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("restore %q: got %v, want not_found", sha, err)
		}
	}
	public := func(p *core.Project) error { p.Visibility = core.VisibilityPublic; return nil }
	_, err := f.store.Tables().Projects.Update(t.Context(), f.project, public)
	_, shown := f.service.Show(t.Context(), f.stranger, f.project, made.ID)
	f.must(err, shown)
	_, err = f.service.Save(t.Context(), f.stranger, f.project, "x")
	_, _, restored := f.service.Restore(t.Context(), f.stranger, f.project, made.ID)
	if !core.IsCode(err, core.CodeForbidden) || !core.IsCode(restored, core.CodeForbidden) {
		t.Errorf("a reader: got %v, want forbidden", errors.Join(err, restored))
	}
}
