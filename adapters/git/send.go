package git

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/git/pktline"
)

// maxSentObjects bounds the in-memory list of a pack's objects before it is sent.
const maxSentObjects = 5_000_000

// packObject is an object that a pack will hold.
type packObject struct {
	kind plumbing.ObjectType
	hash plumbing.Hash
}

// packWriter chooses the objects of a pack and writes it.
type packWriter struct {
	*upload
	seen    map[plumbing.Hash]bool
	objects []packObject
}

// send writes the pack, through the side band if the client asked for it.
func (u *upload) send(out *bufio.Writer) error {
	w := &packWriter{upload: u, seen: map[plumbing.Hash]bool{}}
	if err := w.list(); err != nil {
		return err
	}
	most := pktline.MaxBandBytes
	switch {
	case u.asked.capabilities["side-band-64k"]:
	case u.asked.capabilities["side-band"]:
		most = pktline.MaxSmallBandBytes
	default:
		return w.write(out)
	}
	pack := bufio.NewWriterSize(pktline.NewBandWriter(out, pktline.Data, most), most)
	if err := w.write(pack); err != nil {
		// It is too late for another status: the client shows this message instead of a
		// truncated pack.
		_, _ = pktline.NewBandWriter(out, pktline.Fatal, most).Write([]byte("the service cannot read the repository\n"))
		_ = out.Flush()
		return err
	}
	if err := pack.Flush(); err != nil {
		return err
	}
	return pktline.WriteFlush(out)
}

// list gathers what the client lacks: the wanted commits that it does not have, and their
// objects except those of the commits that it has.
func (w *packWriter) list() error {
	has := w.had()
	var missing []objects.Commit
	for hash := range w.wanted {
		if !has[hash] {
			missing = append(missing, w.graph[hash])
		}
	}
	slices.SortFunc(missing, func(a, b objects.Commit) int { return int(b.Version.CreatedAt - a.Version.CreatedAt) })
	border := slices.Clone(w.common)
	for _, commit := range missing {
		hash := plumbing.NewHash(commit.Version.ID)
		w.seen[hash] = true
		w.objects = append(w.objects, packObject{plumbing.CommitObject, hash})
		for _, parent := range commit.Parents {
			if has[parent] {
				border = append(border, parent)
			}
		}
	}
	for _, hash := range border {
		if err := w.walk(w.graph[hash].Tree, false); err != nil {
			return err
		}
	}
	for _, commit := range missing {
		if err := w.walk(commit.Tree, true); err != nil {
			return err
		}
	}
	return nil
}

// had returns the commits that the client has: those that it names and their ancestors,
// as far as its history goes.
func (w *packWriter) had() map[plumbing.Hash]bool {
	has := map[plumbing.Hash]bool{}
	for left := slices.Clone(w.common); len(left) > 0; {
		next := left[len(left)-1]
		left = left[:len(left)-1]
		commit, found := w.graph[next]
		if has[next] || !found {
			continue
		}
		has[next] = true
		if !w.asked.shallow[next] {
			left = append(left, commit.Parents...)
		}
	}
	return has
}

// walk records a tree and everything below it that was not seen before. wanted says
// whether to send it.
func (w *packWriter) walk(tree plumbing.Hash, wanted bool) error {
	if w.seen[tree] {
		return nil
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err := w.note(plumbing.TreeObject, tree, wanted); err != nil {
		return err
	}
	body, err := w.upload.objects.ReadReferenced(plumbing.TreeObject, tree)
	if err != nil {
		return err
	}
	children, err := objects.ParseTree(body)
	if err != nil {
		return err
	}
	for _, child := range children {
		switch {
		case child.IsTree():
			err = w.walk(child.Hash, wanted)
		case child.Mode != objects.ModeSubmodule && !w.seen[child.Hash]:
			err = w.note(plumbing.BlobObject, child.Hash, wanted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *packWriter) note(kind plumbing.ObjectType, hash plumbing.Hash, wanted bool) error {
	w.seen[hash] = true
	if !wanted {
		return nil
	}
	if len(w.objects) == maxSentObjects {
		return pktline.BadRequest("the history has more than %d objects: fetch less of it, with --depth", maxSentObjects)
	}
	w.objects = append(w.objects, packObject{kind, hash})
	return nil
}

// write writes the pack, one object after the other.
func (w *packWriter) write(to io.Writer) error {
	sum := sha1.New()
	out := io.MultiWriter(to, sum)
	head := objects.PackHeader(len(w.objects))
	if _, err := out.Write(head); err != nil {
		return err
	}
	var entry bytes.Buffer
	for _, object := range w.objects {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		body, err := w.upload.objects.ReadReferenced(object.kind, object.hash)
		if err != nil {
			return err
		}
		entry.Reset()
		entry.Write(objects.EntryHeader(object.kind, body))
		if err := objects.Deflate(&entry, body); err != nil {
			return err
		}
		if _, err := out.Write(entry.Bytes()); err != nil {
			return err
		}
	}
	_, err := to.Write(sum.Sum(nil))
	return err
}
