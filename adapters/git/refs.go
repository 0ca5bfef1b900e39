package git

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/core"
)

// head is the repository's HEAD, resolved. It holds the file that names the last version
// (a ref, or HEAD itself), below the repository, and that version, zero before the first.
type head struct {
	place  string
	commit plumbing.Hash
}

func (r *repository) head() (head, error) {
	text, err := os.ReadFile(filepath.Join(r.git, "HEAD"))
	if err != nil {
		return head{}, err
	}
	line := strings.TrimSpace(string(text))
	ref, symbolic := strings.CutPrefix(line, "ref:")
	if !symbolic {
		commit, err := parseHash(line)
		return head{"HEAD", commit}, err
	}
	ref = strings.TrimSpace(ref)
	if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(ref) {
		return head{}, core.Errorf(core.CodeUnavailable, "the repository's HEAD is damaged")
	}
	commit, err := r.resolve(ref)
	return head{ref, commit}, err
}

// resolve returns the hash that a ref names, zero if the ref does not exist.
func (r *repository) resolve(ref string) (plumbing.Hash, error) {
	text, err := os.ReadFile(filepath.Join(r.git, ref))
	if err == nil {
		return parseHash(strings.TrimSpace(string(text)))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return plumbing.ZeroHash, err
	}
	packed, err := os.Open(filepath.Join(r.git, "packed-refs"))
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

// readIndex reads the index. Before the first version the file may be missing.
func (r *repository) readIndex() (*index.File, error) {
	staged, err := index.Read(filepath.Join(r.git, indexName))
	if !errors.Is(err, fs.ErrNotExist) {
		return staged, err
	}
	if head, err := r.head(); err != nil || head.commit.IsZero() {
		return index.New(), err
	}
	return nil, index.Unreadable("it is missing")
}
