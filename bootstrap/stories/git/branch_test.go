package git_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// importsBranch asks for an import of one branch.
func importsBranch(c *storytest.Caller, address string, branch any) storytest.Answer {
	return c.Do(http.MethodPost, c.ImportPath(), storytest.Fields{"name": "From git", "gitUrl": address, "branch": branch})
}

// TestTheNamedBranchIsImported takes a branch that is not the default one, with its
// history, as the project's main.
func TestTheNamedBranchIsImported(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		address, root := gitServer(t)
		c := repositoryAt(t, root, "none.git", map[string]string{"index.html": "1"})
		c.git("checkout", "-q", "-b", "feature/ünï-2")
		c.write("index.html", "2")
		c.commit("On the branch")
		branch := strings.TrimSpace(c.git("rev-parse", "HEAD"))
		c.git("checkout", "-q", "trunk")
		c.publish(root, "shop.git")
		w := &storytest.Work{Caller: storytest.Serve(t, t.TempDir(), program.Make, private(t, program)).SignUp()}
		w.Must(http.StatusCreated, http.MethodPost, w.ImportPath(), storytest.Fields{"name": "From git", "gitUrl": address + "/shop.git", "branch": "feature/ünï-2"}, &w.Project)
		w.WantFiles("index.html", "2")
		clone := clone(w)
		if got := strings.TrimSpace(clone.git("rev-parse", "HEAD")); got != branch || strings.TrimSpace(clone.git("branch", "--show-current")) != "main" {
			t.Errorf("got %s cloned, want %s on main", got, branch)
		}
		w.Must(http.StatusCreated, http.MethodPost, w.ImportPath(), storytest.Fields{"name": "From git", "gitUrl": address + "/shop.git"}, &w.Project)
		w.WantFiles("index.html", "1")
	})
}

func TestABranchThatIsNotThereIsNamed(t *testing.T) {
	address, root := gitServer(t)
	c := repositoryAt(t, root, "none.git", map[string]string{"index.html": "1"})
	c.git("tag", "v1")
	c.publish(root, "shop.git")
	dir := t.TempDir()
	by := storytest.Serve(t, dir, local.New, private(t, storytest.Programs()["local"])).SignUp()
	for name, want := range map[string]struct {
		branch any
		code   core.Code
		says   string
	}{
		"another":       {"gone", core.CodeValidationFailed, `branch: the repository has no branch \"gone\"`},
		"a longer name": {"trunk/x", core.CodeValidationFailed, "branch: "},
		"a shorter one": {"trun", core.CodeValidationFailed, "branch: "},
		"another case":  {"Trunk", core.CodeValidationFailed, "branch: "},
		"a tag":         {"v1", core.CodeValidationFailed, "branch: "},
		"a whole ref":   {"refs/heads/trunk", core.CodeValidationFailed, "branch: "},
		"HEAD":          {"HEAD", core.CodeValidationFailed, "branch: "},
		"a way out":     {"../heads/trunk", core.CodeValidationFailed, "branch: "},
		"two lines":     {"trunk\n0000", core.CodeValidationFailed, "branch: "},
		"nothing":       {"", core.CodeValidationFailed, "branch must have 1 to 255 characters"},
		"far too long":  {strings.Repeat("x", 256), core.CodeValidationFailed, "branch must have 1 to 255 characters"},
		"a number":      {1, core.CodeInvalidRequest, "branch"},
	} {
		if got := importsBranch(by, address+"/shop.git", want.branch); got.Code() != want.code || !strings.Contains(string(got.Body), want.says) || strings.Contains(string(got.Body), "gitUrl") {
			t.Errorf("%s: got %d %s, want %s and %q", name, got.Status, got.Body, want.code, want.says)
		}
	}
	if got := importsBranch(by, address+"/gone.git", "trunk"); got.Code() != core.CodeValidationFailed || !strings.Contains(string(got.Body), "gitUrl: the repository does not exist") {
		t.Errorf("got %d %s, want the address named", got.Status, got.Body)
	}
	wantNoTrees(t, dir)
	if ids := by.ProjectIDs(); len(ids) > 0 {
		t.Errorf("got %v, want no project", ids)
	}
}
