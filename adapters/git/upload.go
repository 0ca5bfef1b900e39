package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/git/pktline"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

const (
	// maxWants bounds the versions that a client asks for in one request. It learns of
	// one from the refs.
	maxWants = 1000
	// maxHaves bounds the commits that a client may claim to have, over all rounds.
	maxHaves = 100_000
)

// fetchRequest is what a client wants and has.
type fetchRequest struct {
	wants        []plumbing.Hash
	shallow      map[plumbing.Hash]bool
	depth        int
	capabilities map[string]bool
}

// Upload implements vcs.Wire.
func (w *Wire) Upload(ctx context.Context, project core.ID, from io.Reader, to io.Writer) error {
	repo, err := w.repositories.open(ctx, project)
	if err != nil {
		return err
	}
	in := bufio.NewReader(from)
	asked, err := readFetchRequest(in)
	if err != nil || len(asked.wants) == 0 {
		return err
	}
	graph, err := repo.history.graph(ctx)
	if err != nil {
		return durable.Fault(err, "repository")
	}
	for _, want := range asked.wants {
		if _, found := graph[want]; !found {
			return pktline.BadRequest("%s is not a version of this project", want)
		}
	}
	out := bufio.NewWriterSize(to, 1<<16)
	up := &upload{objects: repo.objects, ctx: ctx, asked: asked, graph: graph}
	err = up.answer(in, out)
	if err == nil {
		err = out.Flush()
	}
	return durable.Fault(err, "repository")
}

// readFetchRequest reads up to the first flush and, if the client asks for a depth, not beyond
// it.
func readFetchRequest(in io.Reader) (*fetchRequest, error) {
	asked := &fetchRequest{shallow: map[plumbing.Hash]bool{}, capabilities: map[string]bool{}}
	for lines := 0; ; lines++ {
		line, err := pktline.ReadLine(in)
		if errors.Is(err, io.EOF) && lines == 0 {
			return asked, nil
		}
		if errors.Is(err, io.EOF) {
			return nil, pktline.BadRequest("it ends too early")
		}
		if err != nil {
			return nil, err
		}
		if pktline.IsFlush(line) {
			return asked, nil
		}
		if lines > maxHaves {
			return nil, pktline.BadRequest("it has too many lines")
		}
		if err := asked.take(string(line)); err != nil {
			return nil, err
		}
	}
}

// take parses one line of what a client wants.
func (q *fetchRequest) take(line string) error {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "want":
		name, capabilities, _ := strings.Cut(value, " ")
		hash, err := asHash(name)
		if err != nil || len(q.wants) == maxWants {
			return pktline.BadRequest("it wants %.80q", name)
		}
		if len(q.wants) == 0 {
			for capability := range strings.FieldsSeq(capabilities) {
				q.capabilities[capability] = true
			}
		}
		q.wants = append(q.wants, hash)
		return nil
	case "shallow":
		hash, err := asHash(value)
		q.shallow[hash] = true
		return err
	case "deepen":
		depth, err := strconv.Atoi(value)
		if err != nil || depth < 1 {
			return pktline.BadRequest("the depth must be a positive number")
		}
		q.depth = depth
		return nil
	case "filter":
		// The service does not offer this, and an answer may hold more than was asked
		// for.
		return nil
	}
	return pktline.BadRequest("%.80q is not a valid want", line)
}

func asHash(text string) (plumbing.Hash, error) {
	if !plumbing.IsHash(text) || len(text) != 2*len(plumbing.ZeroHash) {
		return plumbing.ZeroHash, pktline.BadRequest("%.80q is not the name of an object", text)
	}
	return plumbing.NewHash(text), nil
}

// upload answers one request.
type upload struct {
	objects *objects.Store
	ctx     context.Context
	asked   *fetchRequest
	graph   commitGraph
	// wanted are the commits that the client will have in the end. edge are those of them
	// that it has without their ancestors.
	wanted, edge map[plumbing.Hash]bool
	// common are commits that the client has.
	common []plumbing.Hash
}

// answer announces how deep the client's history will be, finds out what the client has,
// and sends the rest.
func (u *upload) answer(in io.Reader, out *bufio.Writer) error {
	u.reach()
	if u.asked.depth > 0 {
		if err := u.tellDepth(out); err != nil {
			return err
		}
	}
	enough, err := u.negotiate(in, out)
	if err != nil || !enough {
		return err
	}
	return u.send(out)
}

// reach finds the wanted commits level by level, down to the requested depth, or to where
// the client's history ended so far.
func (u *upload) reach() {
	u.wanted, u.edge = map[plumbing.Hash]bool{}, map[plumbing.Hash]bool{}
	level := u.asked.wants
	for depth := 1; len(level) > 0; depth++ {
		var next []plumbing.Hash
		for _, hash := range level {
			commit, found := u.graph[hash]
			if u.wanted[hash] || !found {
				continue
			}
			u.wanted[hash] = true
			cut := u.asked.depth > 0 && depth >= u.asked.depth || u.asked.depth == 0 && u.asked.shallow[hash]
			if cut && len(commit.Parents) > 0 {
				u.edge[hash] = true
				continue
			}
			next = append(next, commit.Parents...)
		}
		level = next
	}
}

// tellDepth writes where the client's history ends from now on, and where it no longer
// ends.
func (u *upload) tellDepth(out io.Writer) error {
	for _, hash := range sortedHashes(u.edge) {
		if u.asked.shallow[hash] {
			continue
		}
		if err := pktline.WriteLine(out, "shallow %s", hash); err != nil {
			return err
		}
	}
	for _, hash := range sortedHashes(u.asked.shallow) {
		if !u.wanted[hash] || u.edge[hash] {
			continue
		}
		if err := pktline.WriteLine(out, "unshallow %s", hash); err != nil {
			return err
		}
	}
	return pktline.WriteFlush(out)
}

func sortedHashes(set map[plumbing.Hash]bool) []plumbing.Hash {
	hashes := make([]plumbing.Hash, 0, len(set))
	for hash := range set {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b plumbing.Hash) int { return strings.Compare(string(a[:]), string(b[:])) })
	return hashes
}

// negotiate reads what the client has. It reports whether the pack follows in this
// answer: the client is done, or it has named enough and does not need to say so.
func (u *upload) negotiate(in io.Reader, out io.Writer) (bool, error) {
	detailed := u.asked.capabilities["multi_ack_detailed"]
	ready := false
	last := plumbing.ZeroHash
	for range maxHaves {
		line, err := pktline.ReadLine(in)
		if errors.Is(err, io.EOF) {
			// The client asked for a depth and waits for it before it continues.
			return false, nil
		}
		if err != nil {
			return false, err
		}
		key, name, _ := strings.Cut(string(line), " ")
		switch {
		case pktline.IsFlush(line):
			return u.pause(out, detailed, ready, last)
		case key == "done":
			if last.IsZero() {
				return true, pktline.WriteLine(out, "NAK\n")
			}
			if detailed {
				return true, pktline.WriteLine(out, "ACK %s\n", last)
			}
			return true, nil
		case key != "have":
			return false, pktline.BadRequest("%.80q is not a valid have", line)
		}
		hash, err := asHash(name)
		if err != nil {
			return false, err
		}
		if _, found := u.graph[hash]; found {
			u.common = append(u.common, hash)
			if last = hash; detailed {
				err = pktline.WriteLine(out, "ACK %s common\n", hash)
			} else if len(u.common) == 1 {
				err = pktline.WriteLine(out, "ACK %s\n", hash)
			}
		} else if detailed && !ready && u.enough() {
			ready = true
			err = pktline.WriteLine(out, "ACK %s ready\n", last)
		}
		if err != nil {
			return false, err
		}
	}
	return false, pktline.BadRequest("it has too many lines")
}

// pause ends a round in which the client names its commits.
func (u *upload) pause(out io.Writer, detailed, ready bool, last plumbing.Hash) (bool, error) {
	if detailed && !ready && u.enough() {
		ready = true
		if err := pktline.WriteLine(out, "ACK %s ready\n", last); err != nil {
			return false, err
		}
	}
	if detailed || len(u.common) == 0 {
		if err := pktline.WriteLine(out, "NAK\n"); err != nil {
			return false, err
		}
	}
	if ready && u.asked.capabilities["no-done"] {
		return true, pktline.WriteLine(out, "ACK %s\n", last)
	}
	return false, nil
}

// enough reports whether every wanted version builds on one that the client has. Then
// further questions reveal nothing more.
func (u *upload) enough() bool {
	if len(u.common) == 0 {
		return false
	}
	has := map[plumbing.Hash]bool{}
	for _, hash := range u.common {
		has[hash] = true
	}
	for _, want := range u.asked.wants {
		if !u.buildsOn(want, has) {
			return false
		}
	}
	return true
}

func (u *upload) buildsOn(from plumbing.Hash, any map[plumbing.Hash]bool) bool {
	seen := map[plumbing.Hash]bool{}
	for left := []plumbing.Hash{from}; len(left) > 0; {
		next := left[len(left)-1]
		left = left[:len(left)-1]
		if any[next] {
			return true
		}
		if !seen[next] {
			seen[next] = true
			left = append(left, u.graph[next].Parents...)
		}
	}
	return false
}
