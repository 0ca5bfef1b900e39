package gitsync_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memoryvcs "github.com/atelierhq/atelier/adapters/memory/vcs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/gitsync"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

const address = "https://git.example.com/shop.git"

// stage is Ann's project, and a repository elsewhere.
type stage struct {
	*gitsync.Service
	t       *testing.T
	files   *files.Pipeline
	store   storage.Store
	host    *memoryvcs.Repository
	project core.ID
	ann     core.Actor
	now     time.Time
}

func newStage(t *testing.T) *stage {
	t.Helper()
	trees, store := memory.NewTrees(), memory.NewStore()
	repositories := memory.NewRepositories(trees)
	hosting := memory.NewHosting(repositories)
	s := &stage{t: t, store: store, host: hosting.Host(address), project: core.NewID(), ann: core.Actor{UserID: core.NewID()}, now: time.Unix(1_800_000_000, 0)}
	clock := func() time.Time { s.now = s.now.Add(time.Second); return s.now }
	log := slog.New(slog.DiscardHandler)
	s.files = files.NewPipeline(files.Deps{
		Exclusive: true, Trees: trees, Repositories: repositories, Store: store, Bus: memory.NewBus(), Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(),
		Search: memory.NewSearch(), Now: clock, Log: log,
	})
	rows, created := s.files.Create(t.Context(), s.project, fstest.MapFS{"a": {Data: []byte("a\n")}}, vcs.Commit{Message: "First", At: core.At(clock())})
	workspace := core.NewID()
	err := store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		err := errors.Join(created,
			tables.Users.Create(ctx, core.User{ID: s.ann.UserID, Email: "ann@example.com"}),
			tables.Workspaces.Create(ctx, core.Workspace{ID: workspace, Name: "Team", Slug: "team"}),
			tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: workspace, UserID: s.ann.UserID, Role: core.RoleMember}),
			tables.Projects.Create(ctx, core.Project{ID: s.project, WorkspaceID: workspace, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: s.ann.UserID}),
		)
		_, applied := tables.Files.Apply(ctx, s.project, storage.FileDelta{Put: rows})
		return errors.Join(err, applied)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Service = gitsync.New(gitsync.Deps{
		Gate: access.NewGate(store), Store: store, Audit: audit.New(audit.Deps{Store: store, Now: clock, Log: log}), Sealer: memory.NewSealer(), Remotes: hosting,
		Arrivals: s.files.Arrivals, History: s.files.History, MaxFileBytes: 1 << 20, Now: clock, Log: log,
	})
	if _, err := s.Connect(t.Context(), s.ann, s.project, gitsync.Input{URL: address}); err != nil {
		t.Fatal(err)
	}
	return s
}

// exchange has one exchange happen, as the worker does, and returns the connection.
func (s *stage) exchange() gitsync.Connection {
	s.t.Helper()
	if _, err := s.Sync(s.t.Context(), s.ann, s.project); err != nil {
		s.t.Fatal(err)
	}
	if !s.WorkOnce(s.t.Context()) {
		s.t.Fatal("got nothing to do, want an exchange")
	}
	remote, err := s.Get(s.t.Context(), s.ann, s.project)
	if err != nil {
		s.t.Fatal(err)
	}
	return remote
}

// save makes a version here.
func (s *stage) save(content map[string][]byte) string {
	s.t.Helper()
	var changes []core.FileChange
	for _, name := range slices.Sorted(maps.Keys(content)) {
		path, err := core.ParsePath(name)
		if err != nil {
			s.t.Fatal(err)
		}
		change := core.FileChange{Op: core.OpWrite, Path: path, Content: content[name]}
		if content[name] == nil {
			change = core.FileChange{Op: core.OpDelete, Path: path}
		}
		changes = append(changes, change)
	}
	author := core.Author{Kind: core.AuthorUser, Name: "Ann"}
	_, _, err := s.files.Committer.Revise(s.t.Context(), s.project, func(context.Context, files.Snapshot) (files.Revision, error) {
		return files.Revision{Changes: changes, Commit: vcs.Commit{Message: "Here", Author: author, At: core.At(s.now)}}, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.head()
}

func (s *stage) head() string {
	s.t.Helper()
	versions, err := s.files.Versions(s.t.Context(), s.project, "", 1)
	if err != nil {
		s.t.Fatal(err)
	}
	return versions[0].ID
}

// here returns the project's files.
func (s *stage) here() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	all, err := s.files.FilesAt(s.t.Context(), s.project, s.head())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range all {
		content, err := s.files.Content(s.t.Context(), s.project, *file.Blob, 1<<20)
		if err != nil {
			s.t.Fatal(err)
		}
		found[file.Path.String()] = string(content)
	}
	return found
}

// edit changes one line of a random file, or adds or removes one.
func edit(random *rand.Rand, now map[string]string, mark string) map[string][]byte {
	name := fmt.Sprintf("f%d", random.IntN(6))
	text, found := now[name]
	switch {
	case !found:
		return map[string][]byte{name: []byte(strings.Repeat("line\n", 8) + mark + "\n")}
	case random.IntN(12) == 0:
		return map[string][]byte{name: nil}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	lines[random.IntN(len(lines))] = mark
	return map[string][]byte{name: []byte(strings.Join(lines, "\n") + "\n")}
}

// settleAll settles all conflicts, each another way.
func (s *stage) settleAll(random *rand.Rand) {
	s.t.Helper()
	conflicts, err := s.Conflicts(s.t.Context(), s.ann, s.project)
	if err != nil || len(conflicts) == 0 {
		s.t.Fatalf("got %d conflicts, %v, want some", len(conflicts), err)
	}
	settlements := make([]gitsync.Settlement, len(conflicts))
	for i, conflict := range conflicts {
		take := []gitsync.Take{gitsync.TakeOurs, gitsync.TakeTheirs, gitsync.TakeText}[random.IntN(3)]
		settlements[i] = gitsync.Settlement{Path: conflict.Path, ID: conflict.ID, Take: take}
		if take == gitsync.TakeText {
			settlements[i].Text = "both\n"
		}
	}
	if _, err := s.Settle(s.t.Context(), s.ann, s.project, settlements); err != nil {
		s.t.Fatal(err)
	}
}

// TestAThousandPushesOnBothSidesConverge lets both sides change the same few files at random. After
// each exchange that is not a conflict both sides have the same files, and every version that either
// side ever had is part of the history.
func TestAThousandPushesOnBothSidesConverge(t *testing.T) {
	s := newStage(t)
	random := rand.New(rand.NewPCG(22, 5))
	var made []string
	conflicts := 0
	for step := range 1000 {
		if mark := fmt.Sprintf("mark %d", step); random.IntN(2) == 0 {
			made = append(made, s.save(edit(random, s.here(), mark)))
		} else {
			made = append(made, s.host.Commit("main", "There", s.now, edit(random, s.host.Files("main"), mark)))
		}
		if random.IntN(3) != 0 {
			continue
		}
		remote := s.exchange()
		if remote.State == core.RemoteConflict {
			conflicts++
			if here, there := s.head(), s.host.Tip("main"); here == there {
				t.Fatalf("step %d: got both sides at %s, want a conflict to change neither", step, here)
			}
			s.settleAll(random)
			remote = s.exchange()
		}
		s.wantSame(step, remote)
	}
	s.settleRest(random)
	for _, version := range made {
		if !s.host.Holds("main", version) {
			t.Fatalf("the version %s is lost", version)
		}
	}
	if conflicts < 10 {
		t.Errorf("got %d conflicts, want a test that meets them", conflicts)
	}
}

func (s *stage) settleRest(random *rand.Rand) {
	s.t.Helper()
	if remote := s.exchange(); remote.State == core.RemoteConflict {
		s.settleAll(random)
		s.wantSame(-1, s.exchange())
	}
}

func (s *stage) wantSame(step int, remote gitsync.Connection) {
	s.t.Helper()
	if here, there := s.head(), s.host.Tip("main"); remote.State != core.RemoteSynced || here != there {
		problem := ""
		if remote.Problem != nil {
			problem = *remote.Problem
		}
		s.t.Fatalf("step %d: got %s (%s), here %s, there %s, want the same version", step, remote.State, problem, here, there)
	}
	if here, there := s.here(), s.host.Files("main"); !maps.Equal(here, there) {
		s.t.Fatalf("step %d: got %v here and %v there", step, here, there)
	}
}

func TestASettledConflictThatChangedIsAConflictAgain(t *testing.T) {
	s := newStage(t)
	s.exchange()
	s.host.Commit("main", "There", s.now, map[string][]byte{"a": []byte("there\n")})
	s.save(map[string][]byte{"a": []byte("here\n")})
	if remote := s.exchange(); remote.State != core.RemoteConflict || len(remote.Conflicts) != 1 {
		t.Fatalf("got %+v, want a conflict", remote)
	}
	seen, err := s.Conflicts(t.Context(), s.ann, s.project)
	if err != nil || len(seen) != 1 || *seen[0].Ours != "here\n" || *seen[0].Theirs != "there\n" {
		t.Fatalf("got %+v, %v, want both texts", seen, err)
	}
	s.save(map[string][]byte{"a": []byte("later\n")})
	_, err = s.Settle(t.Context(), s.ann, s.project, []gitsync.Settlement{{Path: "a", ID: seen[0].ID, Take: gitsync.TakeTheirs}})
	if !core.IsCode(err, core.CodeConflict) || s.here()["a"] != "later\n" {
		t.Errorf("got %v and %q, want the later edit to stay", err, s.here()["a"])
	}
}

func TestADeletedBranchIsNotMadeAnew(t *testing.T) {
	s := newStage(t)
	s.wantSame(0, s.exchange())
	s.host.Delete("main")
	if remote := s.exchange(); remote.State != core.RemoteNoBranch || remote.Problem == nil || s.host.Tip("main") != "" {
		t.Errorf("got %+v, want it to say that the branch is gone", remote)
	}
	if _, err := s.Connect(t.Context(), s.ann, s.project, gitsync.Input{URL: address, Branch: "main"}); err != nil {
		t.Fatal(err)
	}
	s.wantSame(1, s.exchange())
}

func TestAHookWithoutTheSecretIsRefused(t *testing.T) {
	s := newStage(t)
	remote, err := s.Connect(t.Context(), s.ann, s.project, gitsync.Input{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		call gitsync.Call
		want core.Code
	}{
		"an unknown token":            {gitsync.Call{Token: "x", Body: http.NoBody, Secret: remote.Hook.Secret}, core.CodeNotFound},
		"no secret":                   {gitsync.Call{Token: remote.Hook.Token, Body: http.NoBody}, core.CodeUnauthenticated},
		"another one":                 {gitsync.Call{Token: remote.Hook.Token, Body: http.NoBody, Secret: "x", Signatures: []string{"sha256=00", "zz"}}, core.CodeUnauthenticated},
		"a signature of another body": {gitsync.Call{Token: remote.Hook.Token, Body: strings.NewReader("{}"), Signatures: []string{signature(remote.Hook.Secret, "{ }")}}, core.CodeUnauthenticated},
		"a signature":                 {gitsync.Call{Token: remote.Hook.Token, Body: strings.NewReader("{}"), Signatures: []string{"", signature(remote.Hook.Secret, "{}")}}, ""},
		"the secret":                  {gitsync.Call{Token: remote.Hook.Token, Body: http.NoBody, Secret: remote.Hook.Secret}, ""},
	} {
		if err := s.Call(t.Context(), c.call); core.CodeOf(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: got %v, want code %q", name, err, c.want)
		}
	}
}

// signature signs a body as GitHub does.
func signature(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestAddressesWithCredentialsAndOtherSchemesAreRefused(t *testing.T) {
	s := newStage(t)
	for _, input := range []gitsync.Input{{URL: "https://ann:secret@git.example.com/x"}, {URL: "ssh://git@git.example.com/x"}, {URL: "git@git.example.com:x"}, {URL: "https://git.example.com/x?y"}, {URL: address, Branch: "a..b"}, {URL: address, Branch: "-x"}} {
		_, err := s.Connect(t.Context(), s.ann, s.project, input)
		if !core.IsCode(err, core.CodeValidationFailed) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: got %v, want it refused without its secret", input, err)
		}
	}
}
