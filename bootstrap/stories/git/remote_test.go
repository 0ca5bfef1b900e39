package git_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

type shownRemote struct {
	State     string
	Problem   *string
	Conflicts []core.MergeConflict
	Hook      struct{ URL, Secret string }
}

// remoteIn waits until a project's connection has a state.
func remoteIn(w *storytest.Work, state string) shownRemote {
	w.T.Helper()
	w.Must(http.StatusAccepted, http.MethodPost, w.Path("/remote/sync"), nil, nil)
	var now shownRemote
	if conformance.Becomes(func() bool {
		w.Must(http.StatusOK, http.MethodGet, w.Path("/remote"), nil, &now)
		return now.State == state
	}) {
		return now
	}
	problem := ""
	if now.Problem != nil {
		problem = *now.Problem
	}
	w.T.Fatalf("got %+v, %s, want the state %s", now, problem, state)
	return now
}

// TestAProjectLivesOnAnotherHost connects a project with a branch on the stock server: versions go
// there, pushes arrive, and what both sides changed waits for a person.
func TestAProjectLivesOnAnotherHost(t *testing.T) {
	address, root := gitServer(t)
	w := storytest.Serve(t, t.TempDir(), local.New, private(t, storytest.Programs()["local"])).SignUp().Create(storytest.Template)
	bare := filepath.Join(root, "shop.git")
	for _, args := range [][]string{{"init", "-q", "--bare", "-b", "main", bare}, {"-C", bare, "config", "http.receivepack", "true"}} {
		if out, err := storytest.StockGit("/", args...); err != nil {
			t.Fatal(out)
		}
	}
	var remote shownRemote
	answer := w.Must(http.StatusOK, http.MethodPut, w.Path("/remote"), storytest.Fields{"url": address + "/shop.git", "token": "hidden-token"}, &remote)
	if strings.Contains(string(answer.Body), "hidden-token") || remote.Hook.Secret == "" {
		t.Fatalf("got %s, want a webhook and no token", answer.Body)
	}
	remoteIn(w, "synced")
	there := &checkout{t, t.TempDir()}
	there.git("clone", "-q", bare, ".")
	there.write("there.txt", "1\n")
	there.commit("There")
	there.git("push", "-q", "origin", "HEAD:main")
	if !conformance.Becomes(func() bool { return w.Do(http.MethodGet, w.Path("/files/there.txt"), nil).Status == http.StatusOK }) {
		t.Fatal("got no file, want the one that was pushed")
	}
	there.write("there.txt", "2\n")
	there.commit("There again")
	there.git("push", "-q", "origin", "HEAD:main")
	w.Put("there.txt", "3\n")
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions"), storytest.Fields{"message": "Here"}, nil)
	if found := remoteIn(w, "conflict"); len(found.Conflicts) != 1 || found.Conflicts[0].Path != "there.txt" {
		t.Fatalf("got %+v, want one conflict", found)
	}
	var seen struct {
		Items []struct{ Path, ID, Ours, Theirs, Merged string }
	}
	w.Must(http.StatusOK, http.MethodGet, w.Path("/remote/conflicts"), nil, &seen)
	if len(seen.Items) != 1 || seen.Items[0].Ours != "3\n" || seen.Items[0].Theirs != "2\n" {
		t.Fatalf("got %+v, want both texts", seen)
	}
	settled := func(text string) storytest.Fields {
		return storytest.Fields{"files": []storytest.Fields{{"path": "there.txt", "id": seen.Items[0].ID, "take": "text", "text": text}}}
	}
	if got := w.Do(http.MethodPost, w.Path("/remote/resolve"), settled(seen.Items[0].Merged)); got.Status != http.StatusBadRequest || !strings.Contains(string(got.Body), "there.txt still has the markers of a conflict") {
		t.Errorf("got %d %s, want no text with markers", got.Status, got.Body)
	}
	w.Must(http.StatusOK, http.MethodPost, w.Path("/remote/resolve"), settled("2 and 3\n"), nil)
	remoteIn(w, "synced")
	there.git("pull", "-q", "--ff-only", "origin", "main")
	if got := there.git("show", "HEAD:there.txt"); got != "2 and 3" {
		t.Errorf("got %q there, want what the person wrote", got)
	}
}
