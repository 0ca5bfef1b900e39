package vcstest

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// hostilePush is a pack that must be refused.
type hostilePush struct {
	pack []byte
	tip  string
	code core.Code
}

// wantRefused pushes each pack and wants it refused with its code, in the report too.
func (w *wireProject) wantRefused(t *testing.T, from string, pushes map[string]hostilePush) {
	t.Helper()
	for name, hostile := range pushes {
		report, refused := w.push(t, pushOf(from, hostile.tip, mainBranch, hostile.pack))
		if !core.IsCode(refused, hostile.code) || !strings.Contains(report, "ng "+mainBranch+" ") {
			t.Errorf("%s: got %v and %q, want code %s and a report of it", name, refused, report, hostile.code)
		}
	}
	versions, err := w.h.Repositories.Log(t.Context(), w.id, "", 5)
	if err != nil || len(versions) > 1 {
		t.Errorf("got %d versions, %v, want none of it", len(versions), err)
	}
}

func wireDamaged(t *testing.T, w *wireProject) {
	first := w.first(t)
	blob := aBlob("x")
	tree := aTree("100644 f", blob)
	commit := aCommit(tree, first.id())
	sound := packOf(3, blob, tree, commit)
	flipped := bytes.Clone(sound)
	flipped[len(flipped)-1] ^= 1
	inside := bytes.Clone(sound)
	inside[len(sound)/2] ^= 0xff
	third := bytes.Clone(sound)
	third[7] = 3
	refused := func(pack []byte) hostilePush { return hostilePush{pack, commit.id(), core.CodeInvalidRequest} }
	w.wantRefused(t, first.id(), map[string]hostilePush{
		"nothing":                      refused(nil),
		"no pack":                      refused([]byte("this is no pack at all")),
		"another version":              refused(third),
		"a wrong checksum":             refused(flipped),
		"a bit inside":                 refused(inside),
		"cut off in the head":          refused(sound[:10]),
		"cut off in an object":         refused(sound[:20]),
		"cut off in the checksum":      refused(sound[:len(sound)-5]),
		"more objects than it holds":   refused(packOf(4, blob, tree, commit)),
		"fewer objects than it holds":  refused(packOf(2, blob, tree, commit)),
		"no content":                   refused(packOf(2, tree, commit)),
		"no folder":                    refused(packOf(2, blob, commit)),
		"no commit":                    refused(packOf(2, blob, tree)),
		"no parent":                    {packOf(3, blob, tree, aCommit(tree, aBlob("y").id())), aCommit(tree, aBlob("y").id()).id(), core.CodeInvalidRequest},
		"a folder in a file's place":   {packOf(3, tree, aTree("100644 f", tree), aCommit(aTree("100644 f", tree), first.id())), aCommit(aTree("100644 f", tree), first.id()).id(), core.CodeInvalidRequest},
		"a file in a folder's place":   {packOf(3, blob, aTree("40000 d", blob), aCommit(aTree("40000 d", blob), first.id())), aCommit(aTree("40000 d", blob), first.id()).id(), core.CodeInvalidRequest},
		"an object smaller than said":  refused(packOf(3, packObject{kind: packBlob, body: []byte("x"), size: 9}, tree, commit)),
		"an object larger than said":   refused(packOf(3, packObject{kind: packBlob, body: []byte("xyz"), size: 1}, tree, commit)),
		"an unknown kind":              refused(packOf(3, packObject{kind: 5, body: []byte("x")}, tree, commit)),
		"a delta on nothing":           refused(packOf(4, blob, tree, commit, deltaOf(aBlob("absent"), 6, 1, 1, 'x'))),
		"deltas on each other":         refused(packOf(5, blob, tree, commit, deltaOf(aBlob("b"), 1, 1, 1, 'a'), deltaOf(aBlob("a"), 1, 1, 1, 'b'))),
		"a delta on another size":      refused(packOf(4, blob, tree, commit, deltaOf(blob, 7, 1, 1, 'x'))),
		"a delta that makes less":      refused(packOf(4, blob, tree, commit, deltaOf(blob, 1, 5, 1, 'x'))),
		"a delta that copies too much": refused(packOf(4, blob, tree, commit, deltaOf(blob, 1, 500, 0x80|0x20|0x10, 0xff, 0xff))),
		"a delta without sizes":        refused(packOf(4, blob, tree, commit, packObject{kind: packDelta, base: blob.name(), body: []byte{0xff}})),
	})
}

func wireBombs(t *testing.T, w *wireProject) {
	blob := aBlob("x")
	tree := aTree("100644 f", blob)
	commit := aCommit(tree)
	large := aBlob(strings.Repeat("a", 100_001))
	base := aBlob(strings.Repeat("a", 60_000))
	copyAll := []byte{0x80 | 0x10 | 0x20, 0x60, 0xea}
	count := packOf(3, blob, tree, commit)
	binary.BigEndian.PutUint32(count[8:], 10_000_000)
	tooLarge := func(pack []byte) hostilePush { return hostilePush{pack, commit.id(), core.CodePayloadTooLarge} }
	w.wantRefused(t, noVersion, map[string]hostilePush{
		"ten million objects":            tooLarge(count),
		"a file beyond the limit":        tooLarge(packOf(4, blob, tree, commit, large)),
		"a delta that makes a large one": tooLarge(packOf(5, blob, tree, commit, base, deltaOf(base, 60_000, 120_000, append(copyAll, copyAll...)...))),
		"a size beyond all bounds":       tooLarge(packOf(4, blob, tree, commit, packObject{kind: packBlob, body: []byte("x"), size: 1 << 40})),
		"a delta that says it makes all": tooLarge(packOf(4, blob, tree, commit, deltaOf(blob, 1, 1<<40, 1, 'x'))),
		"a pack beyond the limit":        tooLarge(manyObjects()),
		"a tree that is many":            manyTimes(),
	})
}

// wireTreeBytes pushes few bytes that unpack to many.
func wireTreeBytes(t *testing.T, w *wireProject) {
	blob := aBlob(strings.Repeat("a", 50_000))
	tree := aTree("100644 f", blob)
	commit := aCommit(tree)
	request := pushOf(noVersion, commit.id(), mainBranch, packOf(3, blob, tree, commit))
	for room, want := range map[int64]core.Code{49_999: core.CodePayloadTooLarge, 50_000: "", 0: ""} {
		limits := wireLimits()
		limits.TreeBytes = room
		push, err := w.h.Wire.Receive(t.Context(), w.id, strings.NewReader(request), limits)
		conformance.Must(t, err)
		if _, refused := push.Arrival(); refused != nil != (want != "") || want != "" && !core.IsCode(refused, want) {
			t.Errorf("room for %d: got %v, want code %q", room, refused, want)
		}
		conformance.MustClose(t, push)
	}
}

// manyObjects is a sound pack of more than a megabyte.
func manyObjects() []byte {
	var objects []packObject
	for i := range 13 {
		objects = append(objects, packObject{kind: packBlob, body: incompressible(90_000 + i)})
	}
	return packOf(len(objects), objects...)
}

// incompressible is content that zlib makes no smaller.
func incompressible(n int) []byte {
	out := make([]byte, n)
	state := uint32(n)
	for i := range out {
		state = state*1664525 + 1013904223
		out[i] = byte(state >> 24)
	}
	return out
}

// manyTimes is a version of 10 folders in 10 folders and so on, ten levels deep, in
// eleven small objects.
func manyTimes() hostilePush {
	blob := aBlob("x")
	objects := []packObject{blob}
	below, mode := blob, "100644 "
	for range 10 {
		var body []byte
		for i := range 10 {
			body = append(body, mode+string(rune('0'+i))+"\x00"...)
			body = append(body, below.name()...)
		}
		below, mode = packObject{kind: packTree, body: body}, "40000 "
		objects = append(objects, below)
	}
	commit := aCommit(below)
	objects = append(objects, commit)
	return hostilePush{packOf(len(objects), objects...), commit.id(), core.CodePayloadTooLarge}
}

func wireJudged(t *testing.T, w *wireProject) {
	blob := aBlob("x")
	held := func(code core.Code, tree packObject) hostilePush {
		commit := aCommit(tree)
		return hostilePush{packOf(3, blob, tree, commit), commit.id(), code}
	}
	said := func(text string) hostilePush {
		tree := aTree("100644 f", blob)
		commit := packObject{kind: packCommit, body: []byte(strings.ReplaceAll(text, "%t", tree.id()))}
		return hostilePush{packOf(3, blob, tree, commit), commit.id(), core.CodeValidationFailed}
	}
	twice := packObject{kind: packTree, body: append(aTree("100644 f", blob).body, aTree("100644 f", blob).body...)}
	spellings := packObject{kind: packTree, body: append(aTree("100644 F", blob).body, aTree("100644 f", blob).body...)}
	unsorted := packObject{kind: packTree, body: append(aTree("100644 g", blob).body, aTree("100644 f", blob).body...)}
	const ann = "Ann <a@example.com> 1700000000 +0000\n"
	w.wantRefused(t, noVersion, map[string]hostilePush{
		"a link":               held(core.CodeValidationFailed, aTree("120000 f", blob)),
		"a submodule":          held(core.CodeValidationFailed, aTree("160000 f", blob)),
		"a padded mode":        held(core.CodeValidationFailed, aTree("0100644 f", blob)),
		"a name twice":         held(core.CodeValidationFailed, twice),
		"two spellings":        held(core.CodeValidationFailed, spellings),
		"names in no order":    held(core.CodeValidationFailed, unsorted),
		"the repository":       held(core.CodeInvalidPath, aTree("100644 .GiT", blob)),
		"a way out":            held(core.CodePathTraversal, aTree("100644 ..", blob)),
		"a slash":              held(core.CodeInvalidPath, aTree("100644 a/b", blob)),
		"no name":              held(core.CodeInvalidPath, aTree("100644 ", blob)),
		"a tree cut off":       held(core.CodeInvalidRequest, packObject{kind: packTree, body: []byte("100644 f\x00short")}),
		"no author":            said("tree %t\ncommitter " + ann + "\nx"),
		"two trees":            said("tree %t\ntree %t\nauthor " + ann + "committer " + ann + "\nx"),
		"an author of no time": said("tree %t\nauthor Ann <a@example.com>\ncommitter " + ann + "\nx"),
		"a time beyond time":   said("tree %t\nauthor " + ann + "committer Ann <a@example.com> 99999999999999 +0000\n\nx"),
		"a name beyond names":  said("tree %t\nauthor " + strings.Repeat("Ann", 1000) + " <a@example.com> 1 +0000\ncommitter " + ann + "\nx"),
		"a NUL in the head":    said("tree %t\nauthor " + ann + "committer " + ann + "x \x00\n\nx"),
	})
}
