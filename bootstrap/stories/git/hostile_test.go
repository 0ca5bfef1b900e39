package git_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// object stores an object in a clone as the stock client's plumbing does, which takes
// more than its porcelain.
func (c *checkout) object(content string, args ...string) string {
	c.t.Helper()
	command := exec.Command("git", args...)
	command.Dir = c.dir
	command.Stdin = strings.NewReader(content)
	out, err := command.Output()
	if err != nil {
		c.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// commitTree makes a commit on top of HEAD of lines as ls-tree shows them, in which
// "%b" is a blob and "%t" a tree.
func (c *checkout) commitTree(lines string) string {
	c.t.Helper()
	blob := c.object("content", "hash-object", "-w", "--stdin")
	tree := c.object("100644 blob "+blob+"\tx\x00", "mktree", "-z")
	text := strings.NewReplacer("%b", blob, "%t", tree).Replace(lines)
	root := c.object(text, "mktree", "-z", "--missing")
	return c.git("commit-tree", "-p", "HEAD", "-m", "hostile", root)
}

// deep is a commit of one file at a path.
func (c *checkout) deep(path string) string {
	c.t.Helper()
	hash, kind := c.object("content", "hash-object", "-w", "--stdin"), "100644 blob "
	segments := strings.Split(path, "/")
	for i := len(segments) - 1; i >= 0; i-- {
		hash = c.object(kind+hash+"\t"+segments[i]+"\x00", "mktree", "-z")
		kind = "040000 tree "
	}
	return c.git("commit-tree", "-p", "HEAD", "-m", "deep", hash)
}

func TestWhatTheFileAPIRefusesNoPushBrings(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	before := newest(w)
	long := strings.Repeat("a", 250)
	for name, hostile := range map[string]struct{ commit, want string }{
		"a link":                     {c.commitTree("120000 blob %b\tlink\x00"), `"link" is a link`},
		"a submodule":                {c.commitTree("160000 commit 1111111111111111111111111111111111111111\tsub\x00"), `"sub" is a submodule`},
		"a group-writable file":      {c.commitTree("100664 blob %b\tf\x00"), "has the mode"},
		"the repository":             {c.commitTree("040000 tree %t\t.git\x00"), "is reserved for the repository"},
		"the repository, in capital": {c.commitTree("040000 tree %t\t.GIT\x00"), "is reserved for the repository"},
		"the repository, on NTFS":    {c.commitTree("100644 blob %b\tgit~1\x00"), "is reserved for the repository"},
		"the repository, on HFS":     {c.commitTree("040000 tree %t\t.g\u200cit\x00"), "is reserved for the repository"},
		"the repository, deep":       {c.deep("a/b/.git/config"), "is reserved for the repository"},
		"two dots":                   {c.deep("../x"), "escapes"},
		"one dot":                    {c.deep("./x"), `the segment "."`},
		"a backslash":                {c.commitTree("100644 blob %b\ta\\b\x00"), "file names must not contain"},
		"dots behind a backslash":    {c.commitTree("100644 blob %b\t..\\b\x00"), "escapes"},
		"a drive":                    {c.commitTree("100644 blob %b\tC:\x00"), "escapes"},
		"a device":                   {c.commitTree("100644 blob %b\taux.txt\x00"), "reserved name on Windows"},
		"another normal form":        {c.commitTree("100644 blob %b\te\u0301\x00"), "normal form C"},
		"bytes that are no text":     {c.commitTree("100644 blob %b\t\xff\x00"), "not valid UTF-8"},
		"a line break":               {c.commitTree("100644 blob %b\ta\nb\x00"), "file names must not contain"},
		"a space at the end":         {c.commitTree("100644 blob %b\ta \x00"), "starts or ends with a space"},
		"a name too long":            {c.commitTree("100644 blob %b\t" + strings.Repeat("a", 256) + "\x00"), "longer than 255 bytes"},
		"a path too long":            {c.deep(long + "/" + long + "/" + long + "/" + long + "/" + long), "longer than 1024 bytes"},
		"an empty folder":            {c.commitTree("040000 tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\tx\x00"), "folder without a file"},
	} {
		c.git("config", "protocol.version", "2")
		out, err := storytest.StockGit(c.dir, "-c", "push.default=nothing", "push", "origin", hostile.commit+":refs/heads/main")
		plain := strings.ReplaceAll(strings.ReplaceAll(out, "\nremote:", ""), "\n", " ")
		if err == nil || !strings.Contains(plain, hostile.want) {
			t.Errorf("%s: got %v\n%s\nwant a refusal that says %q", name, err, out, hostile.want)
		}
	}
	if newest(w) != before {
		t.Error("got another version, want none of it")
	}
	wantInStep(w, c, dir)
	if left, _ := filepath.Glob(filepath.Join(storytest.ProjectDir(dir, w.ID), ".git", "atelier", "pack-*")); len(left) > 0 {
		t.Errorf("got %q left aside, want nothing", left)
	}
}

func TestAnOffendingVersionBelowTheTipIsRefusedToo(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	bad := c.commitTree("120000 blob %b\tlink\x00")
	tree := c.git("rev-parse", "HEAD^{tree}")
	tip := c.git("commit-tree", "-p", bad, "-m", "clean again", tree)
	c.refused(fmt.Sprintf("commit %.10s: \"link\" is a link", bad), "push", "origin", tip+":refs/heads/main")
	wantInStep(w, c, dir)
}

func TestASecondSpellingOfAPathIsRefused(t *testing.T) {
	w, dir := gitStory(t, storytest.Programs()["local"])
	w.Put("notes/Name.txt", "1")
	w.Must(http.StatusConflict, http.MethodPut, w.Path("/files/notes/name.txt"), strings.NewReader("2"), nil)
	w.Must(http.StatusConflict, http.MethodPut, w.Path("/files/Notes/other.txt"), strings.NewReader("2"), nil)
	c := clone(w)
	c.refused("fetch first", "push", "origin", c.commit("x")+":refs/heads/main")
	c.git("pull", "-q", "--no-rebase", "--no-edit")
	c.write("notes/NAME.txt", "3")
	c.commit("Both")
	c.refused(`"notes/NAME.txt" and "notes/Name.txt" differ only in upper and lower case`, "push", "origin", "main")
	c.git("reset", "-q", "--hard", "HEAD~1")
	c.git("mv", "notes/Name.txt", "notes/name.txt")
	c.commit("Another spelling")
	c.git("push", "-q", "origin", "main")
	wantInStep(w, c, dir)
}

func TestLongHistoriesAndLargeFiles(t *testing.T) {
	t.Parallel()
	w, dir := gitStory(t, storytest.Programs()["local"])
	c := clone(w)
	var stream strings.Builder
	fmt.Fprintf(&stream, "reset refs/heads/long\nfrom %s\n\n", c.git("rev-parse", "HEAD"))
	for i := range 1000 {
		text := fmt.Sprintf("%d\n%s", i, strings.Repeat("a line that stays\n", 200))
		fmt.Fprintf(&stream, "commit refs/heads/long\ncommitter Stock <s@example.com> %d +0000\ndata 5\nagain\nM 100644 inline f%d/file.txt\ndata %d\n%s\n", 1_700_000_000+i, i%10, len(text), text)
	}
	c.object(stream.String(), "fast-import", "--quiet", "--force")
	c.git("push", "-q", "origin", "long:main")
	c.git("checkout", "-q", "-B", "main", "long")
	wantInStep(w, c, dir)
	again := clone(w)
	if got := again.git("rev-list", "--count", "HEAD"); got != "1001" {
		t.Errorf("got %s commits cloned, want 1001", got)
	}
	again.git("fsck", "--strict", "--no-progress")
	shallow := clone(w, "--depth", "3", "--no-single-branch")
	if got := shallow.git("rev-list", "--count", "HEAD"); got != "3" {
		t.Errorf("got %s commits at depth 3", got)
	}
	shallow.write("s.txt", "from a shallow clone")
	shallow.commit("Shallow")
	shallow.git("push", "-q", "origin", "main")
	shallow.git("fetch", "-q", "--unshallow")
	if got := shallow.git("rev-list", "--count", "HEAD"); got != "1002" {
		t.Errorf("got %s commits after --unshallow, want 1002", got)
	}
	shallow.git("fsck", "--strict", "--no-progress")
	again.git("pull", "-q", "--ff-only")
	again.write("large.bin", strings.Repeat("0123456789abcdef", 200<<20/16))
	again.commit("Large")
	again.refused("a file has 209715200 bytes, at most", "push", "origin", "main")
	again.git("reset", "-q", "--hard", "HEAD~1")
	wantInStep(w, again, dir)
}
