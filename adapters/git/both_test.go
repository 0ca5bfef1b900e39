package git_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

// both is a project, and a bare repository that the stock server serves.
type both struct {
	t       *testing.T
	repos   *git.Repositories
	remotes *git.Remotes
	project core.ID
	source  vcs.Source
	// bare is the served repository, clone a clone of somebody elsewhere.
	bare, clone string
}

func newBoth(t *testing.T) *both {
	t.Helper()
	place, err := stock("/", "--exec-path")
	if err != nil {
		t.Fatal(err)
	}
	served, root, branch := t.TempDir(), t.TempDir(), "main"
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(place), "git-http-backend"), Stderr: io.Discard, Logger: log.New(io.Discard, "", 0),
		Env: []string{"GIT_PROJECT_ROOT=" + served, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=true"},
	}
	b := &both{t: t, repos: newRepositories(t, root), project: core.NewID(), source: vcs.Source{Address: "https://ann:secret@git.example.com/shop.git", Branch: &branch}, bare: filepath.Join(served, "shop.git"), clone: t.TempDir()}
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	})
	b.remotes = git.NewRemotes(b.repos, memory.NewGuard().Handle("git.example.com", guarded), false)
	b.git("/", "init", "-q", "--bare", "-b", "main", b.bare)
	b.git("/", "clone", "-q", b.bare, b.clone)
	trees := newTrees(t, root)
	worktreetest.Create(t, worktreetest.Harness{Trees: trees}, b.project)
	conformance.Must(t, b.repos.Init(t.Context(), b.project))
	return b
}

func (b *both) git(dir string, args ...string) string {
	b.t.Helper()
	out, err := stock(dir, args...)
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

// here makes a version of the project with one more file, and returns its id.
func (b *both) here(name, content string) string {
	b.t.Helper()
	path, err := core.ParsePath(name)
	conformance.Must(b.t, err)
	conformance.Must(b.t, b.repos.Stage(b.t.Context(), b.project, []core.FileChange{{Op: core.OpWrite, Path: path, Content: []byte(content)}}))
	made, _, err := b.repos.Commit(b.t.Context(), b.project, vcs.Commit{Message: "Here", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: 1_800_000_000_000})
	conformance.Must(b.t, err)
	return made.ID
}

// there pushes a commit with one more file from elsewhere, and returns its id.
func (b *both) there(name, content string) string {
	b.t.Helper()
	if out, err := stock(b.clone, "pull", "-q", "--ff-only", "origin", "main"); err != nil && !strings.Contains(out, "couldn't find remote ref") {
		b.t.Fatal(out)
	}
	conformance.Must(b.t, os.WriteFile(filepath.Join(b.clone, name), []byte(content), 0o600))
	b.git(b.clone, "add", ".")
	b.git(b.clone, "commit", "-q", "-m", "There")
	b.git(b.clone, "push", "-q", "origin", "HEAD:main")
	return b.git(b.clone, "rev-parse", "HEAD")
}

// pull pulls and adopts, and returns the tip.
func (b *both) pull() string {
	b.t.Helper()
	pulled, err := b.remotes.Pull(b.t.Context(), b.project, b.source, nil, vcs.Limits{PackBytes: 1 << 20, FileBytes: 1 << 20})
	conformance.Must(b.t, err)
	defer conformance.MustClose(b.t, pulled)
	conformance.Must(b.t, pulled.Adopt(b.t.Context()))
	return pulled.Tip()
}

func (b *both) push(from, to string) error {
	return b.remotes.Push(b.t.Context(), b.project, b.source, vcs.Arrival{From: from, To: to})
}

// TestVersionsGoBothWaysWithTheStockServer creates a branch, joins what both sides did, and meets a
// push that came in between.
func TestVersionsGoBothWaysWithTheStockServer(t *testing.T) {
	b := newBoth(t)
	if tip := b.pull(); tip != "" {
		t.Fatalf("got the tip %s of an empty repository, want none", tip)
	}
	first := b.here("a", "1\n")
	conformance.Must(t, b.push("", first))
	conformance.Must(t, b.push("", first)) // an answer that was lost
	for step := range 10 {
		ours := b.here("here", strings.Repeat("x", step+1))
		theirs := b.there("there", strings.Repeat("y", step+1))
		if tip := b.pull(); tip != theirs {
			t.Fatalf("got the tip %s, want %s", tip, theirs)
		}
		if err := b.push(theirs, ours); !core.IsCode(err, core.CodeConflict) {
			t.Fatalf("got %v, want no push that removes a version", err)
		}
		if err := b.push(first, ours); !core.IsCode(err, core.CodeConflict) {
			t.Fatalf("got %v, want no push over another one", err)
		}
		base, err := b.repos.Base(t.Context(), b.project, ours, theirs)
		conformance.Must(t, err)
		differences, err := b.repos.Compare(t.Context(), b.project, base, theirs)
		conformance.Must(t, err)
		join := vcs.Join{Ours: ours, Theirs: theirs, Commit: vcs.Commit{Message: "Merge", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: 1_800_000_000_000}}
		for _, difference := range differences {
			join.Files = append(join.Files, vcs.JoinedFile{Path: difference.Path, Blob: difference.After})
		}
		made, err := b.repos.Join(t.Context(), b.project, join)
		conformance.Must(t, err)
		arrival := vcs.Arrival{From: ours, To: made.ID}
		conformance.Must(t, b.repos.Arrive(t.Context(), b.project, arrival))
		conformance.Must(t, b.repos.Settle(t.Context(), b.project, arrival))
		for _, difference := range differences {
			content, err := b.repos.Content(t.Context(), b.project, *difference.After, 1<<20)
			conformance.Must(t, err)
			conformance.Must(t, b.repos.Stage(t.Context(), b.project, []core.FileChange{{Op: core.OpWrite, Path: difference.Path, Content: content}}))
		}
		conformance.Must(t, b.push(theirs, made.ID))
		if got := b.git(b.bare, "rev-parse", "main"); got != made.ID {
			t.Fatalf("got main at %s, want %s", got, made.ID)
		}
		if base, err := b.repos.Base(t.Context(), b.project, made.ID, theirs); err != nil || base != theirs {
			t.Fatalf("got the base %s, %v, want %s", base, err, theirs)
		}
	}
	if out := b.git(b.bare, "fsck", "--strict", "--no-dangling"); strings.Contains(out, "error") {
		t.Errorf("got %s, want a sound repository", out)
	}
}

func TestWhatAHostRefusesIsToldApart(t *testing.T) {
	b := newBoth(t)
	first := b.here("a", "1\n")
	conformance.Must(t, b.push("", first))
	denied := vcs.Source{Address: strings.Replace(b.source.Address, "secret", "wrong", 1), Branch: b.source.Branch}
	if err := b.remotes.Push(t.Context(), b.project, denied, vcs.Arrival{From: first, To: first}); !errors.Is(err, vcs.ErrDenied) || strings.Contains(err.Error(), "wrong") {
		t.Errorf("got %v, want it denied without the token", err)
	}
	conformance.Must(t, os.WriteFile(filepath.Join(b.bare, "hooks", "pre-receive"), []byte("#!/bin/sh\nexit 1\n"), 0o700))
	if err := b.push(first, b.here("a", "2\n")); !errors.Is(err, vcs.ErrRejected) {
		t.Errorf("got %v, want it rejected", err)
	}
	conformance.Must(t, os.Remove(filepath.Join(b.bare, "hooks", "pre-receive")))
	b.git(b.clone, "pull", "-q", "origin", "main")
	conformance.Must(t, os.Symlink("a", filepath.Join(b.clone, "link")))
	b.there("b", "1\n")
	_, err := b.remotes.Pull(t.Context(), b.project, b.source, nil, vcs.Limits{PackBytes: 1 << 20, FileBytes: 1 << 20})
	if !errors.Is(err, vcs.ErrContent) {
		t.Errorf("got %v, want a link to be unsuitable", err)
	}
	small := vcs.Limits{PackBytes: 100, FileBytes: 1 << 20}
	if _, err := b.remotes.Pull(t.Context(), b.project, b.source, nil, small); !core.IsCode(err, core.CodePayloadTooLarge) {
		t.Errorf("got %v, want it to be too large", err)
	}
}
