package vcstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

// RemotesHarness is an empty place for trees with their repositories, and remotes that
// reach one server at https://git.example.com.
type RemotesHarness struct {
	Harness
	Remotes vcs.Remotes
	// Silent says that this adapter uses no network: Fetch must say so.
	Silent bool
}

// gitHost is a server of git's, as a test plays it: refs is what it advertises, pack
// what it answers to a request for objects.
type gitHost struct {
	refs, pack string
	asked      []string
}

// ServeHTTP implements http.Handler.
func (h *gitHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	user, password, _ := r.BasicAuth()
	h.asked = append(h.asked, strings.Join([]string{r.Method, r.URL.RequestURI(), user, password, string(body)}, " "))
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = io.WriteString(w, h.refs)
		return
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	_, _ = io.WriteString(w, h.pack)
}

// hosting serves objects; the last one is the commit at HEAD.
func hosting(objects ...packObject) *gitHost {
	tip := objects[len(objects)-1].id()
	return &gitHost{
		refs: pktLine("# service=git-upload-pack\n") + "0000" + pktLine(tip+" HEAD\x00ofs-delta\n") + pktLine(tip+" refs/heads/trunk\n") + "0000",
		pack: pktLine("NAK\n") + string(packOf(len(objects), objects...)),
	}
}

// RunRemotes tests remotes against the port. open returns a new harness whose server is
// host.
func RunRemotes(t *testing.T, open func(t *testing.T, host http.Handler) RemotesHarness) {
	if open(t, hosting(aBlob("x"))).Silent {
		t.Run("an adapter without a network says so", func(t *testing.T) {
			_, err := open(t, hosting(aBlob("x"))).Remotes.Fetch(t.Context(), core.NewID(), vcs.Source{Address: "https://git.example.com/x.git"}, wireLimits())
			wantCode(t, err, core.CodeUnavailable)
		})
		return
	}
	for name, clause := range map[string]func(t *testing.T, open func(*testing.T, *gitHost) *remoteProject){
		"a repository comes with its history":              remotesFetch,
		"a named branch comes in the place of the default": remotesBranch,
		"a branch that is not there is told apart":         remotesNoBranch,
		"credentials are sent and never told":              remotesCredentials,
		"what no project can hold is told apart":           remotesJudge,
		"odd entries of the newest version are left out":   remotesOdd,
		"packs that are damaged or too large are refused":  remotesDamaged,
		"invalid addresses are refused without a call":     remotesAddresses,
		"an ended context ends a fetch":                    remotesEndedContext,
	} {
		t.Run(name, func(t *testing.T) {
			clause(t, func(t *testing.T, host *gitHost) *remoteProject {
				h := open(t, host)
				r := &remoteProject{h: h, id: core.NewID()}
				worktreetest.Create(t, worktreetest.Harness{Trees: h.Trees}, r.id)
				conformance.Must(t, h.Repositories.Init(t.Context(), r.id))
				return r
			})
		})
	}
}

// remoteProject is a project that fetches.
type remoteProject struct {
	h  RemotesHarness
	id core.ID
}

func (r *remoteProject) fetch(ctx context.Context, address string) (vcs.FetchedBranch, error) {
	return r.h.Remotes.Fetch(ctx, r.id, vcs.Source{Address: address}, wireLimits())
}

func (r *remoteProject) fetchBranch(t *testing.T, branch string) (vcs.FetchedBranch, error) {
	return r.h.Remotes.Fetch(t.Context(), r.id, vcs.Source{Address: "https://git.example.com/x", Branch: &branch}, wireLimits())
}

func wantCode(t *testing.T, err error, want core.Code) {
	t.Helper()
	if !core.IsCode(err, want) {
		t.Errorf("got %v, want code %s", err, want)
	}
}

func remotesFetch(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	first := aCommit(aTree("100755 run", aBlob("1")))
	second := aCommit(aTree("100755 run", aBlob("2")), first.id())
	host := hosting(aBlob("1"), aTree("100755 run", aBlob("1")), first, aBlob("2"), aTree("100755 run", aBlob("2")), second)
	r := open(t, host)
	fetched, err := r.fetch(t.Context(), "https://git.example.com/shop.git/")
	conformance.Must(t, err)
	defer conformance.MustClose(t, fetched)
	if fetched.Tip() != second.id() || fetched.Tree() != nil || fetched.History() != nil {
		t.Errorf("got %s, %v, %v, want %s and no complaint", fetched.Tip(), fetched.Tree(), fetched.History(), second.id())
	}
	var files []core.FileChange
	_, err = fetched.Files(t.Context(), func(change core.FileChange) error { files = append(files, change); return nil })
	conformance.Must(t, err)
	if len(files) != 1 || files[0].Path.String() != "run" || string(files[0].Content) != "2" || files[0].Executable == nil || !*files[0].Executable {
		t.Errorf("got %+v, want one file that may be executed", files)
	}
	conformance.Must(t, fetched.Adopt(t.Context()))
	arrival := vcs.Arrival{To: fetched.Tip()}
	conformance.Must(t, r.h.Repositories.Arrive(t.Context(), r.id, arrival))
	conformance.Must(t, r.h.Repositories.Settle(t.Context(), r.id, arrival))
	versions, err := r.h.Repositories.Log(t.Context(), r.id, "", 5)
	if err != nil || len(versions) != 2 || versions[1].ID != first.id() {
		t.Errorf("got %+v, %v, want both versions", versions, err)
	}
	if len(host.asked) != 2 || !strings.HasPrefix(host.asked[0], "GET /shop.git/info/refs?service=git-upload-pack ") || !strings.Contains(host.asked[1], "POST /shop.git/git-upload-pack   "+pktLine("want "+second.id()+" agent=atelier ofs-delta\n")+"0000"+pktLine("done\n")) {
		t.Errorf("got asked %q, want the refs and then the newest version", host.asked)
	}
}

// branched serves the older of two commits at HEAD and trunk, and the newer one on another
// branch and as a tag.
func branched() (host *gitHost, newer string) {
	tree := aTree("100644 f", aBlob("x"))
	first := aCommit(tree)
	second := aCommit(tree, first.id())
	host = hosting(aBlob("x"), tree, first, second)
	host.refs = pktLine("# service=git-upload-pack\n") + "0000" + pktLine(first.id()+" HEAD\x00ofs-delta\n") + pktLine(second.id()+" refs/heads/next/ünï\n") +
		pktLine(first.id()+" refs/heads/trunk\n") + pktLine(second.id()+" refs/tags/v1\n") + "0000"
	return host, second.id()
}

func remotesBranch(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	host, newer := branched()
	fetched, err := open(t, host).fetchBranch(t, "next/ünï")
	conformance.Must(t, err)
	defer conformance.MustClose(t, fetched)
	if fetched.Tip() != newer || fetched.Tree() != nil || fetched.History() != nil {
		t.Errorf("got %s, %v, %v, want %s and no complaint", fetched.Tip(), fetched.Tree(), fetched.History(), newer)
	}
	if len(host.asked) != 2 || !strings.Contains(host.asked[1], pktLine("want "+newer+" agent=atelier ofs-delta\n")+"0000"+pktLine("done\n")) {
		t.Errorf("got asked %q, want the branch alone", host.asked)
	}
}

func remotesNoBranch(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	host, _ := branched()
	r := open(t, host)
	for i, branch := range []string{"", "next", "Trunk", "trunk\n", "v1", "HEAD", "refs/heads/trunk", "../tags/v1"} {
		_, err := r.fetchBranch(t, branch)
		wantCode(t, err, core.CodeValidationFailed)
		if !errors.Is(err, vcs.ErrNoBranch) || len(host.asked) != i+1 {
			t.Errorf("%q: got %v after %d calls, want ErrNoBranch after %d", branch, err, len(host.asked), i+1)
		}
	}
	host.refs = "what?"
	if _, err := r.fetchBranch(t, "trunk"); errors.Is(err, vcs.ErrNoBranch) {
		t.Errorf("got %v of a server that does not speak git, want nothing about branches", err)
	}
}

func remotesCredentials(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	host := hosting(aBlob("x"))
	host.refs = "what?"
	_, err := open(t, host).fetch(t.Context(), "https://ann:s3cret@git.example.com/shop.git")
	wantCode(t, err, core.CodeValidationFailed)
	if len(host.asked) != 1 || !strings.Contains(host.asked[0], " ann s3cret ") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got asked %q and %v, want the password sent and not told", host.asked, err)
	}
}

func remotesJudge(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	harm, file := aTree("100644 .GIT", aBlob("x")), aTree("100644 f", aBlob("x"))
	bad := aCommit(harm)
	fetched, err := open(t, hosting(aBlob("x"), harm, bad)).fetch(t.Context(), "https://git.example.com/x")
	conformance.Must(t, err)
	defer conformance.MustClose(t, fetched)
	wantCode(t, fetched.Tree(), core.CodeInvalidPath)
	wantCode(t, fetched.History(), core.CodeInvalidPath)
	good := aCommit(file, bad.id())
	fetched, err = open(t, hosting(aBlob("x"), harm, bad, file, good)).fetch(t.Context(), "https://git.example.com/x")
	conformance.Must(t, err)
	defer conformance.MustClose(t, fetched)
	wantCode(t, fetched.History(), core.CodeInvalidPath)
	if fetched.Tree() != nil {
		t.Errorf("got %v, want a newest version that is good", fetched.Tree())
	}
	for _, name := range []string{"..", ".", `..\x`, "git~1", ".git"} {
		tree := aTree("120000 "+name, aBlob("x"))
		fetched, err = open(t, hosting(aBlob("x"), tree, aCommit(tree))).fetch(t.Context(), "https://git.example.com/x")
		conformance.Must(t, err)
		defer conformance.MustClose(t, fetched)
		if fetched.Tree() == nil {
			t.Errorf("got nil for a link named %q, want an error", name)
		}
	}
}

func remotesOdd(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	text, toText, toTree, toLink, away := aBlob("text"), aBlob("../f"), aBlob("d"), aBlob("d/up"), aBlob("/etc/passwd")
	below := aTree("120000 up", toText)
	tree := packObject{kind: packTree}
	for _, entry := range []packObject{
		aTree("120000 away", away), aTree("160000 code", aBlob("a commit elsewhere")), aTree("40000 d", below), aTree("100755 f", text), aTree("100644 fOLD", text), aTree("100644 fold", text),
		aTree("120000 folder", toTree), aTree("120000 link", toLink), aTree("100644 nul", text), aTree("40000 what?", below),
	} {
		tree.body = append(tree.body, entry.body...)
	}
	fetched, err := open(t, hosting(text, toText, toTree, toLink, away, below, tree, aCommit(tree))).fetch(t.Context(), "https://git.example.com/x")
	conformance.Must(t, err)
	defer conformance.MustClose(t, fetched)
	if fetched.Tree() != nil || fetched.History() == nil {
		t.Errorf("got %v and %v, want files that can be held and a history that cannot", fetched.Tree(), fetched.History())
	}
	var files []string
	omitted, err := fetched.Files(t.Context(), func(change core.FileChange) error {
		files = append(files, fmt.Sprint(change.Path, " ", string(change.Content), " ", *change.Executable))
		return nil
	})
	conformance.Must(t, err)
	if want := []string{"d/up text true", "f text true", "fOLD text false", "link text true"}; !slices.Equal(files, want) {
		t.Errorf("got %q, want %q", files, want)
	}
	want := core.Omissions{Names: []string{"nul", "what?"}, Links: []string{"away", "folder"}, Copies: []string{"d/up", "link"}, Submodules: []string{"code"}, Spellings: []string{"fold"}}
	if !reflect.DeepEqual(omitted, want) {
		t.Errorf("got %+v, want %+v", omitted, want)
	}
}

func remotesDamaged(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	tree := aTree("100644 f", aBlob("x"))
	commit := aCommit(tree)
	sound := hosting(aBlob("x"), tree, commit)
	large := aBlob(strings.Repeat("x", 100_001))
	for name, c := range map[string]struct {
		pack string
		code core.Code
	}{
		"cut off":        {sound.pack[:len(sound.pack)-9], core.CodeValidationFailed},
		"nothing":        {"", core.CodeValidationFailed},
		"no pack":        {pktLine("NAK\n") + "hello", core.CodeValidationFailed},
		"too large":      {pktLine("NAK\n") + string(packOf(4, aBlob("x"), tree, commit, large)), core.CodePayloadTooLarge},
		"without a file": {pktLine("NAK\n") + string(packOf(1, aBlob("x"))), core.CodeValidationFailed},
	} {
		_, err := open(t, &gitHost{refs: sound.refs, pack: c.pack}).fetch(t.Context(), "https://git.example.com/x")
		if !core.IsCode(err, c.code) {
			t.Errorf("%s: got %v, want code %s", name, err, c.code)
		}
	}
}

func remotesAddresses(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	host := hosting(aBlob("x"))
	r := open(t, host)
	for address, code := range map[string]core.Code{
		"":                                     core.CodeValidationFailed,
		"http://git.example.com/x":             core.CodeValidationFailed,
		"ssh://git@git.example.com/x":          core.CodeValidationFailed,
		"https://git.example.com/x?y":          core.CodeValidationFailed,
		"https://git.example.com/x#y":          core.CodeValidationFailed,
		"https://git.example.com/%2e%2e%2fx":   core.CodeValidationFailed,
		"https://169.254.169.254/x":            core.CodeForbiddenAddress,
		"https://2852039166/x":                 core.CodeForbiddenAddress,
		"https://ann:s3cret@[::1]/x":           core.CodeForbiddenAddress,
		"https://ann:s3cret@git.example.com:x": core.CodeValidationFailed,
	} {
		_, err := r.fetch(t.Context(), address)
		if !core.IsCode(err, code) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got %v, want code %s", address, err, code)
		}
	}
	if len(host.asked) > 0 {
		t.Errorf("got %q, want no call", host.asked)
	}
}

func remotesEndedContext(t *testing.T, open func(*testing.T, *gitHost) *remoteProject) {
	r := open(t, hosting(aBlob("x")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.fetch(ctx, "https://git.example.com/x"); err == nil {
		t.Error("got nil, want an error")
	}
}
