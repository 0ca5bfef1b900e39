package quarantine

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

const (
	// maxVersionFiles bounds the files of one version. It equals the number of files in
	// which two compared versions may differ.
	maxVersionFiles = vcs.MaxCompared
	// maxVersionBytes bounds all files of one version together: a few large contents
	// under many names make a small pack.
	maxVersionBytes = 4 << 30
	// maxPersonBytes bounds the author and committer lines of a commit.
	maxPersonBytes = 1 << 10
	// lastSecond is the end of the year 9999, the last that a timestamp can represent.
	lastSecond = 253402300799
)

// Gate checks the commits of a quarantine against what a project may hold. It checks
// every tree once, however many versions share it: except for their length, whether paths
// are valid depends on the tree's names alone.
type Gate struct {
	pack  *Quarantine
	ctx   context.Context
	trees map[plumbing.Hash]summary
	// blobs maps the existing blobs to their sizes, unknownSize if the size has not
	// been read.
	blobs map[plumbing.Hash]int64
	// twins are the names of the known version that differ from another in their folder only in
	// upper and lower case: who has them may keep them, and take some away.
	twins map[string]bool
	// lenient passes over the entries that Files leaves out.
	lenient bool
}

const unknownSize = -1

// summary adds up a folder.
type summary struct {
	files int
	bytes int64
	// longest is the length of its longest path, in bytes.
	longest int
}

// NewGate returns a gate that knows the files of a version of the repository. known may
// be zero.
func (q *Quarantine) NewGate(ctx context.Context, known plumbing.Hash) (*Gate, error) {
	g := &Gate{pack: q, ctx: ctx, trees: map[plumbing.Hash]summary{}, blobs: map[plumbing.Hash]int64{}, twins: map[string]bool{}}
	if known.IsZero() {
		return g, nil
	}
	version, err := q.Commit(known)
	if err != nil {
		return nil, err
	}
	return g, g.know(version.Tree)
}

// know records the blobs below a tree of the repository.
func (g *Gate) know(tree plumbing.Hash) error {
	children, err := g.pack.tree(tree)
	if err != nil {
		return err
	}
	for _, pair := range twinsOf(children) {
		g.twins[pair[0]], g.twins[pair[1]] = true, true
	}
	for _, child := range children {
		if !child.IsTree() {
			g.blobs[child.Hash] = unknownSize
		} else if err := g.know(child.Hash); err != nil {
			return err
		}
	}
	return g.ctx.Err()
}

// CheckAll checks every commit of the pack, reachable or not: clients can ask for any
// stored commit by its name.
func (g *Gate) CheckAll() error {
	for _, entry := range g.pack.entries {
		if entry.kind != plumbing.CommitObject {
			continue
		}
		if err := g.checkCommit(entry.hash); err != nil {
			return err
		}
	}
	return nil
}

// checkCommit checks one commit with everything that it holds.
func (g *Gate) checkCommit(hash plumbing.Hash) error {
	_, body, err := g.pack.read(hash)
	if err != nil {
		return err
	}
	if err := checkForm(body); err != nil {
		return ofCommit(hash, err)
	}
	commit, err := g.pack.Commit(hash)
	if err != nil {
		return ofCommit(hash, err)
	}
	for _, parent := range commit.Parents {
		if _, err := g.pack.Commit(parent); err != nil {
			return ofCommit(hash, err)
		}
	}
	_, err = g.sum("", commit.Tree)
	return ofCommit(hash, err)
}

// ofCommit names the commit that an error is about.
func ofCommit(hash plumbing.Hash, err error) error {
	var known *core.Error
	if !errors.As(err, &known) {
		return err
	}
	return core.Wrap(known.Code, known.Cause, "commit %.10s: %s", hash, known.Message)
}

// CheckTree checks a version's tree with everything below it.
func (g *Gate) CheckTree(hash plumbing.Hash) error {
	_, err := g.sum("", hash)
	return err
}

// CheckFiles is CheckTree for what Files takes of a tree.
func (g *Gate) CheckFiles(hash plumbing.Hash) error {
	return (&Gate{pack: g.pack, ctx: g.ctx, trees: map[plumbing.Hash]summary{}, blobs: g.blobs, lenient: true}).CheckTree(hash)
}

// sum adds up a folder, and checks it if it is part of the pack.
func (g *Gate) sum(prefix string, hash plumbing.Hash) (summary, error) {
	if known, found := g.trees[hash]; found {
		return known, g.fits(prefix, known)
	}
	if err := g.ctx.Err(); err != nil {
		return summary{}, err
	}
	children, err := g.pack.tree(hash)
	if err != nil {
		return summary{}, err
	}
	_, isNew := g.pack.known[hash]
	if isNew {
		if err := g.checkTree(prefix, hash, children); err != nil {
			return summary{}, err
		}
	}
	var sum summary
	for _, child := range children {
		if g.lenient && isOdd(child) && child.Mode != objects.ModeLink {
			continue
		}
		part := summary{files: 1, longest: len(child.Name)}
		if child.IsTree() {
			if part, err = g.sum(prefix+child.Name+"/", child.Hash); err != nil {
				return sum, err
			}
			part.longest += len(child.Name) + 1
		} else if part.bytes, err = g.sizeOf(prefix, child); err != nil {
			return sum, err
		}
		sum = summary{sum.files + part.files, sum.bytes + part.bytes, max(sum.longest, part.longest)}
		if err := g.fits(prefix, sum); err != nil {
			return sum, err
		}
	}
	if sum.files == 0 && prefix != "" && !g.lenient {
		return sum, core.Errorf(core.CodeValidationFailed, "%.200q is a folder without a file", prefix)
	}
	g.trees[hash] = sum
	return sum, nil
}

// fits checks the length of a folder's paths and its number of files.
func (g *Gate) fits(prefix string, sum summary) error {
	if len(prefix)+sum.longest > core.MaxPathBytes {
		return core.Errorf(core.CodeInvalidPath, "a path below %.100q is longer than %d bytes", prefix, core.MaxPathBytes)
	}
	if sum.files > maxVersionFiles {
		return core.Errorf(core.CodePayloadTooLarge, "it has more than %d files", maxVersionFiles)
	}
	most := int64(maxVersionBytes)
	if g.pack.limits.TreeBytes > 0 {
		most = min(most, g.pack.limits.TreeBytes)
	}
	if sum.bytes > most {
		return core.Errorf(core.CodePayloadTooLarge, "its files have %d bytes in total, and the project has room for %d", sum.bytes, most)
	}
	return nil
}

// sizeOf returns the size of a file, whose content must exist.
func (g *Gate) sizeOf(prefix string, child objects.TreeEntry) (int64, error) {
	size, known := g.blobs[child.Hash]
	if known && size != unknownSize {
		return size, nil
	}
	kind := plumbing.BlobObject
	var err error
	if at, found := g.pack.known[child.Hash]; found {
		kind, size = g.pack.entries[at].kind, g.pack.entries[at].size
	} else if known {
		size, err = g.pack.stored.Size(child.Hash)
	} else {
		var body []byte
		kind, body, err = g.pack.stored.ReadAny(child.Hash)
		size = int64(len(body))
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && kind != plumbing.BlobObject {
		return 0, damaged("the content of %.200q is missing", prefix+child.Name)
	}
	if err == nil {
		g.blobs[child.Hash] = size
	}
	return size, err
}

// checkTree checks the entries of a folder by themselves.
func (g *Gate) checkTree(prefix string, hash plumbing.Hash, children []objects.TreeEntry) error {
	if plumbing.ComputeHash(plumbing.TreeObject, objects.EncodeTree(children)) != hash {
		return core.Errorf(core.CodeValidationFailed, "the folder %.200q is not in git's canonical form", prefix)
	}
	names := make(map[string]bool, len(children))
	for i, child := range children {
		if names[child.Name] || i > 0 && children[i-1].SortKey() >= child.SortKey() {
			return core.Errorf(core.CodeValidationFailed, "the folder %.200q is not sorted, or a name occurs twice", prefix)
		}
		names[child.Name] = true
		if g.lenient && isOdd(child) {
			continue
		}
		if err := checkEntry(prefix, child); err != nil {
			return err
		}
	}
	for _, pair := range twinsOf(children) {
		if !g.lenient && !(g.twins[pair[0]] && g.twins[pair[1]]) {
			return core.Errorf(core.CodeValidationFailed, "%.200q and %.200q differ only in upper and lower case, and most disks of Windows and macOS hold one of both: rename one", prefix+pair[0], prefix+pair[1])
		}
	}
	return nil
}

// twinsOf returns the pairs of names in a folder that differ only in upper and lower case, the later
// one last.
func twinsOf(children []objects.TreeEntry) (pairs [][2]string) {
	folded := make(map[string]string, len(children))
	for _, child := range children {
		key := core.FoldCase(child.Name)
		if first, found := folded[key]; found {
			pairs = append(pairs, [2]string{first, child.Name})
			continue
		}
		folded[key] = child.Name
	}
	return pairs
}

// isOdd reports whether no project can hold an entry as it is, although it means no harm: a link, a
// submodule, or a name that some system refuses.
func isOdd(child objects.TreeEntry) bool {
	special := false
	switch child.Mode {
	case objects.ModeLink, objects.ModeSubmodule:
		special = true
	case objects.ModeFile, objects.ModeExecutable, objects.ModeTree:
	default:
		return false
	}
	if child.Name == "" || child.Name == "." || strings.Contains(child.Name, "/") || core.FoldsToGit(child.Name) {
		return false
	}
	_, err := core.ParsePath(child.Name)
	return err == nil && special || core.IsCode(err, core.CodeInvalidPath)
}

// checkEntry checks an entry's name and mode.
func checkEntry(prefix string, child objects.TreeEntry) error {
	switch child.Mode {
	case objects.ModeFile, objects.ModeExecutable, objects.ModeTree:
	case objects.ModeLink:
		return core.Errorf(core.CodeValidationFailed, "%.200q is a link", prefix+child.Name)
	case objects.ModeSubmodule:
		return core.Errorf(core.CodeValidationFailed, "%.200q is a submodule", prefix+child.Name)
	default:
		return core.Errorf(core.CodeValidationFailed, "%.200q has the mode %o, not that of a file or a folder", prefix+child.Name, child.Mode)
	}
	if strings.Contains(child.Name, "/") {
		return core.Errorf(core.CodeInvalidPath, "%.200q: a name must not contain a slash", prefix+child.Name)
	}
	if child.Name == "" {
		return core.Errorf(core.CodeInvalidPath, "%.200q: a name is empty", prefix)
	}
	if _, err := core.ParsePath(child.Name); err != nil {
		var known *core.Error
		errors.As(err, &known)
		return core.Errorf(known.Code, "%.200q: %s", prefix+child.Name, known.Message)
	}
	return nil
}

// checkForm checks the form of a commit, on which readers of versions rely.
func checkForm(body []byte) error {
	head, _, _ := bytes.Cut(body, []byte("\n\n"))
	if bytes.IndexByte(head, 0) >= 0 {
		return core.Errorf(core.CodeValidationFailed, "its header has a NUL")
	}
	lines := strings.Split(string(head), "\n")
	step := 0
	for _, key := range []string{"tree ", "parent ", "author ", "committer "} {
		taken := 0
		for step < len(lines) && strings.HasPrefix(lines[step], key) {
			if taken == 1 && key != "parent " {
				break
			}
			if err := checkHeadLine(key, lines[step][len(key):]); err != nil {
				return err
			}
			step, taken = step+1, taken+1
		}
		if taken == 0 && key != "parent " {
			return core.Errorf(core.CodeValidationFailed, "it lacks the line %q", strings.TrimSpace(key))
		}
	}
	for _, line := range lines[step:] {
		if key, _, _ := strings.Cut(line, " "); key == "tree" || key == "parent" || key == "author" || key == "committer" {
			return core.Errorf(core.CodeValidationFailed, "its line %q occurs twice", key)
		}
	}
	return nil
}

func checkHeadLine(key, value string) error {
	if key == "tree " || key == "parent " {
		if !plumbing.IsHash(value) || len(value) != 2*len(plumbing.ZeroHash) {
			return core.Errorf(core.CodeValidationFailed, "its line %q is not the name of an object", strings.TrimSpace(key))
		}
		return nil
	}
	_, rest, found := strings.Cut(value, " <")
	if !found && strings.HasPrefix(value, "<") {
		rest, found = value[1:], true
	}
	_, times, closed := strings.Cut(rest, "> ")
	text, _, _ := strings.Cut(times, " ")
	seconds, err := strconv.ParseInt(text, 10, 64)
	if !found || !closed || err != nil || seconds < 0 || seconds > lastSecond || len(value) > maxPersonBytes {
		return core.Errorf(core.CodeValidationFailed, "its line %q has no valid name, or a time out of range", strings.TrimSpace(key))
	}
	return nil
}
