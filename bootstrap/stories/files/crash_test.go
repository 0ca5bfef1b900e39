package files

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/worktree"
)

// The environment of a child that writes until it is killed.
const (
	crashDir     = "FILETESTS_CRASH_DIR"
	crashUser    = "FILETESTS_CRASH_USER"
	crashProject = "FILETESTS_CRASH_PROJECT"
	crashFrom    = "FILETESTS_CRASH_FROM"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled writes its own files in four goroutines and prints what was
// acknowledged. It returns only when a write fails.
func writeUntilKilled(dir string) error {
	ctx := context.Background()
	d, _, err := openLocal(ctx, dir)
	if err != nil {
		return err
	}
	writer := &crashWriter{
		useCases: newUseCases(d), by: core.Actor{UserID: core.ID(os.Getenv(crashUser))}, project: core.ID(os.Getenv(crashProject)),
	}
	if _, err := fmt.Sscan(os.Getenv(crashFrom), &writer.from); err != nil {
		return err
	}
	failed := make(chan error)
	for i := range 2 {
		go func() { failed <- writer.puts(ctx, fmt.Sprintf("put%d", i)) }()
		go func() { failed <- writer.bulks(ctx, fmt.Sprintf("bulk%d", i)) }()
	}
	return <-failed
}

type crashWriter struct {
	useCases
	by      core.Actor
	project core.ID
	from    int
	mu      sync.Mutex
}

// acknowledge says that the files hold the sequence number.
func (c *crashWriter) acknowledge(sequence int, paths ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Printf("%d %s\n", sequence, strings.Join(paths, " "))
}

// versionOf is a content of 1 to 61 KB that carries its sequence number at both
// ends.
func versionOf(sequence int) string {
	mark := fmt.Sprintf("<%d>", sequence)
	return mark + strings.Repeat("x", 1000+sequence*7919%60_000) + mark
}

func (c *crashWriter) puts(ctx context.Context, path string) error {
	at := core.FileAt{Project: c.project, Path: core.MustPath(path)}
	for sequence := c.from; ; sequence++ {
		content := func() ([]byte, error) { return []byte(versionOf(sequence)), nil }
		if _, err := c.service.Write(ctx, c.by, at, content, nil); err != nil {
			return err
		}
		c.acknowledge(sequence, path)
	}
}

func (c *crashWriter) bulks(ctx context.Context, dir string) error {
	for sequence := c.from; ; sequence++ {
		var operations []files.Operation
		var paths []string
		for i := range 4 {
			path, content := fmt.Sprintf("%s/%d", dir, i), versionOf(sequence)
			operations = append(operations, files.Operation{Op: core.OpWrite, Path: &path, Content: &content})
			paths = append(paths, path)
		}
		moved, name := dir+"/0", dir+"/moved"
		operations = append(operations, files.Operation{Op: core.OpRename, From: &moved, To: &name})
		paths[0] = name
		answer, err := c.service.Bulk(ctx, c.by, c.project, files.Batch{Operations: operations})
		if err != nil {
			return err
		}
		if answer.Commit == nil {
			return fmt.Errorf("bulk %d made no version", sequence)
		}
		c.acknowledge(sequence, append(paths, "version:"+*answer.Commit)...)
	}
}

// acknowledgedFirst is how many acknowledgements there are before the clock of a
// kill starts, however slow the machine is.
const acknowledgedFirst = 4

// crash starts a child, kills it after a while, and adds what it acknowledged to the
// ledger, which maps paths to the last sequence number.
func crash(t *testing.T, dir string, w *world, from int, after time.Duration, ledger map[string]int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir, crashUser+"="+string(w.actor.UserID), crashProject+"="+w.project, fmt.Sprintf("%s=%d", crashFrom, from))
	var problems bytes.Buffer
	child.Stderr = &problems
	output, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	reader := bufio.NewReader(output)
	first := ""
	for range acknowledgedFirst {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatalf("the child acknowledged too little: %v, %s", err, problems.String())
		}
		first += line
	}
	kill := time.AfterFunc(after, func() { _ = child.Process.Kill() })
	defer kill.Stop()
	rest, err := io.ReadAll(reader)
	must(t, err)
	_ = child.Wait()
	if problems.Len() > 0 {
		t.Fatalf("the child failed: %s", problems.String())
	}
	lines := strings.Split(first+string(rest), "\n")
	for _, line := range lines[:len(lines)-1] {
		fields := strings.Fields(line)
		var sequence int
		_, err := fmt.Sscan(fields[0], &sequence)
		must(t, err)
		for _, path := range fields[1:] {
			ledger[path] = max(ledger[path], sequence)
		}
	}
}

func TestNothingAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	const rounds = 20
	dir := t.TempDir()
	first, closeFirst, err := openLocal(t.Context(), dir)
	must(t, err)
	w := newWorld(t, first)
	closeFirst()
	ledger := map[string]int{}
	for round := range rounds {
		crash(t, dir, w, round*100_000, time.Duration(20+rand.IntN(250))*time.Millisecond, ledger)
		func() {
			d, closeAll, err := openLocal(t.Context(), dir)
			must(t, err)
			defer closeAll()
			after := &restartedService{t: t, adapterSet: d, useCases: newUseCases(d), project: core.ID(w.project), by: w.actor}
			after.check(ledger)
		}()
	}
	if len(ledger) < 10+rounds {
		t.Errorf("got only %d acknowledged paths and versions in %d rounds", len(ledger), rounds)
	}
}

// restartedService is the service as it comes up after a crash.
type restartedService struct {
	t *testing.T
	adapterSet
	useCases
	project core.ID
	by      core.Actor
}

func (r *restartedService) check(ledger map[string]int) {
	r.t.Helper()
	ctx := r.t.Context()
	listing, err := r.pipeline.List(ctx, r.project)
	must(r.t, err)
	r.checkContents(listing.Entries, ledger)
	r.checkVersions(ledger)
	r.checkListing(listing.Entries)
	r.git("fsck", "--full", "--no-dangling", "--strict")
	if changed := r.git("diff-files", "--name-only"); changed != "" {
		r.t.Errorf("the index lacks %q", changed)
	}
	if untracked := r.git("ls-files", "--others"); untracked != "" {
		r.t.Errorf("not in the index: %q", untracked)
	}
	r.checkLeftovers()
	at := core.FileAt{Project: r.project, Path: core.MustPath("after")}
	_, err = r.service.Write(ctx, r.by, at, func() ([]byte, error) { return []byte("1"), nil }, nil)
	must(r.t, err)
}

// checkContents checks that every file holds one complete version, none older than what
// was acknowledged.
func (r *restartedService) checkContents(entries []core.FileEntry, ledger map[string]int) {
	r.t.Helper()
	found := map[string]int{}
	for _, entry := range entries {
		path := entry.Path.String()
		if !strings.HasPrefix(path, "put") && !strings.HasPrefix(path, "bulk") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.root, string(r.project), path))
		must(r.t, err)
		var sequence int
		if _, err := fmt.Sscanf(string(content), "<%d>", &sequence); err != nil || string(content) != versionOf(sequence) {
			r.t.Errorf("%s is torn: %d bytes, %v", path, len(content), err)
		}
		if entry.ETag != files.ETag(content) {
			r.t.Errorf("%s: the cache has another content's tag", path)
		}
		found[path] = sequence
	}
	for path, acknowledged := range ledger {
		if sequence, there := found[path]; !strings.HasPrefix(path, "version:") && (!there || sequence < acknowledged) {
			r.t.Errorf("%s holds %d (there: %t), want at least the acknowledged %d", path, sequence, there, acknowledged)
		}
	}
}

func (r *restartedService) checkVersions(ledger map[string]int) {
	r.t.Helper()
	versions, err := r.pipeline.Versions(r.t.Context(), r.project, "", 100_000)
	must(r.t, err)
	for name := range ledger {
		id, isVersion := strings.CutPrefix(name, "version:")
		if isVersion && !slices.ContainsFunc(versions, func(v core.Version) bool { return v.ID == id }) {
			r.t.Errorf("the acknowledged version %s is lost", id)
		}
	}
}

// checkListing compares the cache with a walk of the disk.
func (r *restartedService) checkListing(entries []core.FileEntry) {
	r.t.Helper()
	tree, err := r.trees.Open(r.t.Context(), r.project)
	must(r.t, err)
	i := 0
	must(r.t, tree.Walk(r.t.Context(), func(info worktree.Info) error {
		if i >= len(entries) || entries[i].Path != info.Path || entries[i].Size != info.Size || entries[i].UpdatedAt != info.Modified {
			r.t.Errorf("the cache disagrees with the disk about %s", info.Path)
		}
		i++
		return nil
	}))
	if i != len(entries) {
		r.t.Errorf("the cache has %d files, the disk %d", len(entries), i)
	}
}

// checkLeftovers looks for locks and half-written files.
func (r *restartedService) checkLeftovers() {
	r.t.Helper()
	repository := filepath.Join(r.root, string(r.project), ".git")
	must(r.t, filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); strings.HasSuffix(name, ".lock") || strings.Contains(name, "tmp") {
			r.t.Errorf("left behind: %s", path)
		}
		return err
	}))
}

func (r *restartedService) git(arguments ...string) string {
	r.t.Helper()
	command := exec.Command("git", append([]string{"-C", filepath.Join(r.root, string(r.project))}, arguments...)...)
	output, err := command.CombinedOutput()
	if err != nil {
		r.t.Errorf("git %s: %v, %s", arguments[0], err, output)
	}
	return strings.TrimSpace(string(output))
}
