package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// The refs of a folder. A project has one branch.
const (
	branch       = plumbing.ReferenceName("refs/heads/main")
	remoteBranch = plumbing.ReferenceName("refs/remotes/origin/main")
)

// section is the part of the configuration that says which project a folder has.
const section = "atelier"

// ErrNone says that a folder is not below one that Create made.
var ErrNone = errors.New("this is not the folder of a project")

// Conflict says that a change of the folder or of the project is in the way.
type Conflict struct {
	Message, Next string
	Files         []string
}

// Error implements error.
func (c *Conflict) Error() string { return c.Message }

// Origin is the project of a folder, and the address of its installation.
type Origin struct{ Installation, Project string }

// address is that of the project's repository.
func (o Origin) address() string { return o.Installation + "/git/" + o.Project }

// Folder is a folder with the files of a project.
type Folder struct {
	// Origin is where they come from, Dir the folder.
	Origin Origin
	Dir    string

	disk
	repository
}

// disk has the files of a folder.
type disk struct{ root *os.Root }

// repository has the versions of a folder.
type repository struct{ store *filesystem.Storage }

// Find opens the folder that dir is, or is below. It returns ErrNone if there is none.
func Find(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git", "config")); err == nil {
			return open(at)
		} else if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return nil, ErrNone
		}
	}
}

// Create makes a folder for a project, which Update fills. The folder must be empty or not there.
func Create(dir string, origin Origin) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, &Conflict{Message: fmt.Sprintf("the folder %s is not empty", dir), Next: "name another: atelier pull PROJECT FOLDER"}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	store := storeOf(dir)
	if err := store.Init(); err != nil {
		return nil, err
	}
	if err := store.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, branch)); err != nil {
		return nil, err
	}
	settings := config.NewConfig()
	settings.Remotes["origin"] = &config.RemoteConfig{
		Name: "origin", URLs: []string{origin.address()}, Fetch: []config.RefSpec{"+refs/heads/*:refs/remotes/origin/*"},
	}
	settings.Branches["main"] = &config.Branch{Name: "main", Remote: "origin", Merge: branch}
	settings.Raw.Section(section).SetOption("installation", origin.Installation)
	settings.Raw.Section(section).SetOption("project", origin.Project)
	if err := store.SetConfig(settings); err != nil {
		return nil, err
	}
	return open(dir)
}

func storeOf(dir string) *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(filepath.Join(dir, ".git"), osfs.WithBoundOS()), cache.NewObjectLRUDefault())
}

func open(dir string) (*Folder, error) {
	store := storeOf(dir)
	settings, err := store.Config()
	if err != nil {
		return nil, fmt.Errorf("the git configuration of %s cannot be read: %w", dir, err)
	}
	found := settings.Raw.Section(section)
	origin := Origin{Installation: found.Option("installation"), Project: found.Option("project")}
	if origin.Installation == "" || origin.Project == "" {
		return nil, ErrNone
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{Origin: origin, Dir: dir, disk: disk{root}, repository: repository{store}}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// lock keeps other calls of this program out of the folder until release. It returns a *Conflict
// if one is at work in it.
func (f *Folder) lock() (release func(), err error) {
	file, err := f.root.OpenFile(".git/atelier.lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(&Conflict{Message: "another atelier is at work in this folder", Next: "try again when it is done"}, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// head is the newest commit of the folder, the zero hash before the first Update.
func (f *Folder) head() (plumbing.Hash, error) {
	symbolic, err := f.store.Reference(plumbing.HEAD)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if symbolic.Type() != plumbing.SymbolicReference || symbolic.Target() != branch {
		return plumbing.ZeroHash, &Conflict{Message: "the folder is on another branch than main", Next: "change to it: git switch main"}
	}
	ref, err := f.store.Reference(branch)
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return plumbing.ZeroHash, nil
	}
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return ref.Hash(), nil
}

// mergeHead is the version that is being merged, the zero hash for none.
func (f *Folder) mergeHead() (plumbing.Hash, error) {
	text, err := f.root.ReadFile(".git/MERGE_HEAD")
	if errors.Is(err, fs.ErrNotExist) {
		return plumbing.ZeroHash, nil
	}
	return plumbing.NewHash(strings.TrimSpace(string(text))), err
}

// setMergeHead notes the version that is being merged.
func (f *Folder) setMergeHead(tip plumbing.Hash) error {
	if !tip.IsZero() {
		return f.root.WriteFile(".git/MERGE_HEAD", []byte(tip.String()+"\n"), 0o644)
	}
	err := f.root.Remove(".git/MERGE_HEAD")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// move moves the branch of the folder to a commit that the project has.
func (f *Folder) move(to plumbing.Hash) error {
	if err := f.store.SetReference(plumbing.NewHashReference(branch, to)); err != nil {
		return err
	}
	return errors.Join(f.setMergeHead(plumbing.ZeroHash), f.writeIndex(to))
}
