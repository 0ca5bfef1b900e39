package gitdir

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
)

// Head is the repository's HEAD, resolved. Ref is the ref that it names, or HEAD itself.
// Commit is the last version, zero before the first.
type Head struct {
	Ref    string
	Commit plumbing.Hash
}

// Head reads the head.
func (d Dir) Head() (Head, error) {
	text, err := os.ReadFile(d.Path("HEAD"))
	if err != nil {
		return Head{}, err
	}
	line := strings.TrimSpace(string(text))
	ref, symbolic := strings.CutPrefix(line, "ref:")
	if !symbolic {
		commit, err := parseHash(line)
		return Head{"HEAD", commit}, err
	}
	ref = strings.TrimSpace(ref)
	if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(ref) {
		return Head{}, core.Errorf(core.CodeUnavailable, "the repository's HEAD is damaged")
	}
	commit, err := d.resolve(ref)
	return Head{ref, commit}, err
}

// resolve returns the hash that a ref names, zero if the ref does not exist.
func (d Dir) resolve(ref string) (plumbing.Hash, error) {
	text, err := os.ReadFile(d.Path(ref))
	if err == nil {
		return parseHash(strings.TrimSpace(string(text)))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return plumbing.ZeroHash, err
	}
	packed, err := os.Open(d.Path("packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return plumbing.ZeroHash, nil
	}
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer packed.Close()
	lines := bufio.NewScanner(packed)
	for lines.Scan() {
		if name, found := strings.CutSuffix(lines.Text(), " "+ref); found {
			return parseHash(name)
		}
	}
	return plumbing.ZeroHash, lines.Err()
}

func parseHash(text string) (plumbing.Hash, error) {
	if !plumbing.IsHash(text) || len(text) != 2*len(plumbing.ZeroHash) {
		return plumbing.ZeroHash, core.Errorf(core.CodeUnavailable, "a reference of the repository is damaged")
	}
	return plumbing.NewHash(text), nil
}
