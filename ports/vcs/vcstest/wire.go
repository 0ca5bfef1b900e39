package vcstest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

// WireHarness is an empty place for trees with their repositories and the wire to
// them.
type WireHarness struct {
	Harness
	Wire vcs.Wire
	// Silent says that this adapter's versions are no objects of git's: every call must
	// say that it cannot be used.
	Silent bool
	// Aside returns the contents of a project's quarantine, nil if the adapter has
	// none.
	Aside func(project core.ID) []string
}

// noVersion is the name of no object.
const noVersion = "0000000000000000000000000000000000000000"

const mainBranch = "refs/heads/main"

// RunWire tests a wire against the port. open returns a new harness.
func RunWire(t *testing.T, open func(t *testing.T) WireHarness) {
	if open(t).Silent {
		t.Run("an adapter without git says so at every call", func(t *testing.T) { wireSilent(t, open(t)) })
		return
	}
	for name, clause := range map[string]func(t *testing.T, w *wireProject){
		"a project without a version advertises none":            wireAdvertisesNothing,
		"main is advertised at the newest version":               wireAdvertises,
		"a project without a repository is not found":            wireNotFound,
		"pushed commits are fetched":                             wireRoundTrip,
		"a thin pack builds on what is there":                    wireThinPack,
		"a push is taken in its own time and leaves nothing":     wireAdoptsOnce,
		"an arrival moves the version once, from where it stood": wireArrivals,
		"damaged packs are refused":                              wireDamaged,
		"bombs are refused":                                      wireBombs,
		"a version larger than there is room for is refused":     wireTreeBytes,
		"what a pack holds is judged":                            wireJudged,
		"pointers of Git LFS are named":                          wirePointers,
		"of three spellings of a name one may go":                wireSpellings,
		"requests of no protocol are refused":                    wireMisspoken,
		"an ended context ends a call":                           wireEndedContext,
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			w := &wireProject{h: h, id: core.NewID()}
			worktreetest.Create(t, worktreetest.Harness{Trees: h.Trees}, w.id)
			conformance.Must(t, h.Repositories.Init(t.Context(), w.id))
			clause(t, w)
			if h.Aside != nil {
				if left := h.Aside(w.id); len(left) > 0 {
					t.Errorf("got %q left aside, want nothing", left)
				}
			}
		})
	}
}

// wireProject is a project with a wire.
type wireProject struct {
	h  WireHarness
	id core.ID
}

func wireLimits() vcs.Limits { return vcs.Limits{PackBytes: 1 << 20, FileBytes: 100_000} }

// push sends a request and returns the report, and why main cannot move, nil when it
// can.
func (w *wireProject) push(t *testing.T, request string) (report string, refused error) {
	t.Helper()
	push, err := w.h.Wire.Receive(t.Context(), w.id, strings.NewReader(request), wireLimits())
	if err != nil {
		t.Fatalf("receive: got %v, want a push", err)
	}
	defer conformance.MustClose(t, push)
	_, refused = push.Arrival()
	var out bytes.Buffer
	conformance.Must(t, push.Report(&out, refused))
	return out.String(), refused
}

// take pushes objects whose last is the commit, and lets it become the version.
func (w *wireProject) take(t *testing.T, from string, pack []byte, commit packObject) {
	t.Helper()
	push, err := w.h.Wire.Receive(t.Context(), w.id, strings.NewReader(pushOf(from, commit.id(), mainBranch, pack)), wireLimits())
	conformance.Must(t, err)
	defer conformance.MustClose(t, push)
	arrival, err := push.Arrival()
	conformance.Must(t, err)
	conformance.Must(t, push.Adopt(t.Context()))
	conformance.Must(t, w.h.Repositories.Arrive(t.Context(), w.id, arrival))
	conformance.Must(t, w.h.Repositories.Settle(t.Context(), w.id, arrival))
}

func (w *wireProject) refs(t *testing.T, service vcs.Service) string {
	t.Helper()
	var out bytes.Buffer
	conformance.Must(t, w.h.Wire.Advertise(t.Context(), w.id, service, &out))
	return out.String()
}

// fetch asks for a version and returns the answer.
func (w *wireProject) fetch(t *testing.T, version string) string {
	t.Helper()
	var out bytes.Buffer
	conformance.Must(t, w.h.Wire.Upload(t.Context(), w.id, strings.NewReader(pktLine("want "+version+" ofs-delta\n")+"0000"+pktLine("done\n")), &out))
	return out.String()
}

func wireSilent(t *testing.T, h WireHarness) {
	ctx, id := t.Context(), core.NewID()
	_, received := h.Wire.Receive(ctx, id, strings.NewReader(""), wireLimits())
	for name, err := range map[string]error{
		"Advertise": h.Wire.Advertise(ctx, id, vcs.ServiceUpload, io.Discard),
		"Upload":    h.Wire.Upload(ctx, id, strings.NewReader(""), io.Discard),
		"Receive":   received,
	} {
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeUnavailable)
		}
	}
}

func wireAdvertisesNothing(t *testing.T, w *wireProject) {
	for _, service := range []vcs.Service{vcs.ServiceUpload, vcs.ServiceReceive} {
		got := w.refs(t, service)
		if !strings.HasPrefix(got, pktLine("# service="+string(service)+"\n")+"0000") || !strings.Contains(got, noVersion+" capabilities^{}\x00") || !strings.HasSuffix(got, "0000") {
			t.Errorf("%s: got %q, want no refs", service, got)
		}
	}
}

func wireAdvertises(t *testing.T, w *wireProject) {
	commit := w.first(t)
	if got := w.refs(t, vcs.ServiceUpload); !strings.Contains(got, commit.id()+" HEAD\x00") || !strings.Contains(got, commit.id()+" "+mainBranch+"\n") {
		t.Errorf("got %q, want HEAD and main at %s", got, commit.id())
	}
	if got := w.refs(t, vcs.ServiceReceive); strings.Contains(got, "HEAD\x00") || !strings.Contains(got, commit.id()+" "+mainBranch+"\x00") {
		t.Errorf("got %q, want main at %s", got, commit.id())
	}
}

// first makes a first version of one file and returns its commit.
func (w *wireProject) first(t *testing.T) packObject {
	t.Helper()
	blob := aBlob(strings.Repeat("content ", 100))
	tree := aTree("100644 file", blob)
	commit := aCommit(tree)
	w.take(t, noVersion, packOf(3, blob, tree, commit), commit)
	return commit
}

func wireNotFound(t *testing.T, w *wireProject) {
	ctx, id := t.Context(), core.NewID()
	_, received := w.h.Wire.Receive(ctx, id, strings.NewReader("0000"), wireLimits())
	for name, err := range map[string]error{
		"Advertise": w.h.Wire.Advertise(ctx, id, vcs.ServiceUpload, io.Discard),
		"Upload":    w.h.Wire.Upload(ctx, id, strings.NewReader("0000"), io.Discard),
		"Receive":   received,
	} {
		if !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeNotFound)
		}
	}
}

func wireRoundTrip(t *testing.T, w *wireProject) {
	commit := w.first(t)
	versions, err := w.h.Repositories.Log(t.Context(), w.id, "", 5)
	conformance.Must(t, err)
	if len(versions) != 1 || versions[0].ID != commit.id() || versions[0].Message != "From elsewhere" || versions[0].Author != (core.Author{Kind: core.AuthorUser, Name: "Ann"}) {
		t.Errorf("got %+v, want the commit that was pushed", versions)
	}
	got := w.fetch(t, commit.id())
	pack, found := strings.CutPrefix(got, pktLine("NAK\n"))
	if !found || !strings.HasPrefix(pack, "PACK\x00\x00\x00\x02\x00\x00\x00\x03") {
		t.Errorf("got %.40q, want a pack of three objects", got)
	}
}

func wireThinPack(t *testing.T, w *wireProject) {
	first := w.first(t)
	base := aBlob(strings.Repeat("content ", 100))
	// Copy 8 bytes from the start, then insert "!".
	delta := deltaOf(base, 800, 9, 0x80|0x10, 8, 1, '!')
	tree := aTree("100644 file", aBlob("content !"))
	commit := aCommit(tree, first.id())
	objects := []packObject{delta, tree, commit}
	for i := range 30 {
		objects = append(objects, aBlob(fmt.Sprint(i)))
	}
	w.take(t, first.id(), packOf(len(objects), objects...), commit)
	content, err := w.h.Repositories.Content(t.Context(), w.id, vcs.Blob{ID: aBlob("content !").id()}, 100)
	if err != nil || string(content) != "content !" {
		t.Errorf("got %q, %v, want what the delta makes", content, err)
	}
}

func wireAdoptsOnce(t *testing.T, w *wireProject) {
	first := w.first(t)
	second := aCommit(aTree("100644 file", aBlob("x")), first.id())
	pack := packOf(3, aBlob("x"), aTree("100644 file", aBlob("x")), second)
	if report, refused := w.push(t, pushOf(first.id(), second.id(), mainBranch, pack)); refused != nil || report != pktLine("unpack ok\n")+pktLine("ok "+mainBranch+"\n")+"0000" {
		t.Errorf("got %v, %q, want a push that can be taken", refused, report)
	}
	if _, err := w.h.Repositories.Version(t.Context(), w.id, second.id()); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want nothing of a push that was not taken", err)
	}
	if report, refused := w.push(t, pushOf(first.id(), noVersion, mainBranch, nil)); !core.IsCode(refused, core.CodeNotFound) || !strings.Contains(report, "ng "+mainBranch+" main cannot be deleted") {
		t.Errorf("got %v, %q, want no deletion", refused, report)
	}
	if report, refused := w.push(t, pushOf(noVersion, second.id(), "refs/tags/v1", pack)); !core.IsCode(refused, core.CodeNotFound) || !strings.Contains(report, "ng refs/tags/v1 ") {
		t.Errorf("got %v, %q, want no tag", refused, report)
	}
	other := aCommit(aTree("100644 file", aBlob("x")))
	rewritten := packOf(3, aBlob("x"), aTree("100644 file", aBlob("x")), other)
	if _, refused := w.push(t, pushOf(first.id(), other.id(), mainBranch, rewritten)); !core.IsCode(refused, core.CodeConflict) {
		t.Errorf("got %v, want code %s for history that is written anew", refused, core.CodeConflict)
	}
}

func wireArrivals(t *testing.T, w *wireProject) {
	ctx, repo := t.Context(), w.h.Repositories
	first := w.first(t)
	if _, found, err := repo.Arriving(ctx, w.id); found || err != nil {
		t.Errorf("got %v, %v, want nothing on its way", found, err)
	}
	unknown := vcs.Arrival{From: first.id(), To: aBlob("nothing").id()}
	if err := repo.Arrive(ctx, w.id, unknown); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want code %s", err, core.CodeNotFound)
	}
	elsewhere := vcs.Arrival{To: first.id()}
	if err := repo.Arrive(ctx, w.id, elsewhere); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("got %v, want code %s", err, core.CodeConflict)
	}
	here := vcs.Arrival{From: first.id(), To: first.id()}
	conformance.Must(t, repo.Arrive(ctx, w.id, here))
	if _, err := repo.Repair(ctx, w.id); err != nil {
		t.Fatal(err)
	}
	if got, found, err := repo.Arriving(ctx, w.id); got != here || !found || err != nil {
		t.Errorf("got %+v, %v, %v, want the arrival that was noted", got, found, err)
	}
	conformance.Must(t, repo.Settle(ctx, w.id, here))
	if _, found, err := repo.Arriving(ctx, w.id); found || err != nil {
		t.Errorf("got %v, %v, want nothing on its way any more", found, err)
	}
}

func wirePointers(t *testing.T, w *wireProject) {
	pointer := aBlob("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
	folder, text := aTree("100644 v.png", pointer), aBlob("version 1")
	tree := packObject{kind: packTree, body: append(aTree("100644 a.txt", text).body, aTree("40000 pictures", folder).body...)}
	commit := aCommit(tree)
	request := pktLine(noVersion+" "+commit.id()+" "+mainBranch+"\x00 report-status side-band-64k") + "0000" + string(packOf(5, pointer, folder, text, tree, commit))
	report, refused := w.push(t, request)
	if refused != nil || !strings.Contains(report, "Git LFS:\n  pictures/v.png\n") || strings.Contains(report, "a.txt") || !strings.Contains(report, "ok "+mainBranch) {
		t.Errorf("got %v and %q, want the pointer named", refused, report)
	}
}

// wireSpellings pushes to a project that has names which differ only in upper and lower case, as
// those that are older than the rule may.
func wireSpellings(t *testing.T, w *wireProject) {
	tree, err := w.h.Trees.Open(t.Context(), w.id)
	conformance.Must(t, err)
	p := &project{h: w.h.Harness, id: w.id, repo: w.h.Repositories, tree: tree}
	p.save(t, worktreetest.Writing("NAME", "1"), worktreetest.Writing("Name", "2"), worktreetest.Writing("name", "3"))
	version := p.commit(t, "All three")

	part := func(names ...string) (tree packObject) {
		tree.kind = packTree
		for _, name := range names {
			tree.body = append(tree.body, aTree("100644 "+name, aBlob("2")).body...)
		}
		return tree
	}
	for _, row := range []struct {
		names []string
		taken bool
	}{{[]string{"Name", "name"}, true}, {[]string{"Name", "nAme"}, false}} {
		tree := part(row.names...)
		commit := aCommit(tree, version.ID)
		_, refused := w.push(t, pushOf(version.ID, commit.id(), mainBranch, packOf(3, aBlob("2"), tree, commit)))
		if row.taken != (refused == nil) || refused != nil && !core.IsCode(refused, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, want it taken: %v", row.names, refused, row.taken)
		}
	}
}

func wireMisspoken(t *testing.T, w *wireProject) {
	first := w.first(t)
	for name, request := range map[string]string{
		"no length":          "hello",
		"a length too short": "0003",
		"a line cut off":     "0010want",
		"an unknown line":    pktLine("please\n") + "0000",
		"an unknown version": pktLine("want "+aBlob("x").id()+"\n") + "0000" + pktLine("done\n"),
		"a bad depth":        pktLine("want "+first.id()+"\n") + pktLine("deepen -1") + "0000",
		"no end":             pktLine("want " + first.id() + "\n"),
		"nothing to have":    pktLine("want "+first.id()+"\n") + "0000" + pktLine("hold x\n"),
	} {
		if err := w.h.Wire.Upload(t.Context(), w.id, strings.NewReader(request), io.Discard); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("upload, %s: got %v, want code %s", name, err, core.CodeInvalidRequest)
		}
	}
	for name, request := range map[string]string{
		"no length":    "hello",
		"no ref":       pktLine(noVersion+" "+noVersion) + "0000",
		"no names":     pktLine("a b "+mainBranch) + "0000",
		"a line break": pktLine(noVersion+" "+noVersion+" a\nb") + "0000",
		"no end":       pktLine(noVersion + " " + first.id() + " " + mainBranch),
	} {
		push, err := w.h.Wire.Receive(t.Context(), w.id, strings.NewReader(request), wireLimits())
		if !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("receive, %s: got %v, want code %s", name, err, core.CodeInvalidRequest)
		}
		if err == nil {
			conformance.MustClose(t, push)
		}
	}
}

func wireEndedContext(t *testing.T, w *wireProject) {
	first := w.first(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.h.Wire.Advertise(ctx, w.id, vcs.ServiceUpload, io.Discard); err == nil {
		t.Error("advertise: got nil, want an error")
	}
	if err := w.h.Wire.Upload(ctx, w.id, strings.NewReader(pktLine("want "+first.id()+"\n")+"0000"+pktLine("done\n")), io.Discard); err == nil {
		t.Error("upload: got nil, want an error")
	}
	if push, err := w.h.Wire.Receive(ctx, w.id, strings.NewReader("0000"), wireLimits()); err == nil {
		conformance.MustClose(t, push)
		t.Error("receive: got nil, want an error")
	}
}
