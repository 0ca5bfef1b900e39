package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

var _ sites.Store = (*Sites)(nil)

// Sites keeps one directory a deployment: "manifest.json", which lists the files
// with their sizes and hashes, and "files", which holds them. It may be used by
// many goroutines, and by several processes that share the folder.
type Sites struct {
	root    string
	scratch *scratch
}

// NewSites opens the folder of the published builds, making it when it is not
// there, and removes what processes that no longer run left among the temporary
// files. A folder that cannot be used has code core.CodeUnavailable.
func NewSites(dir string) (*Sites, error) {
	real, err := openRoot(dir)
	if err != nil {
		return nil, durable.Fault(err, "sites folder")
	}
	scratch, err := openScratch(filepath.Join(real, serviceDir, "tmp"))
	if err != nil {
		return nil, durable.Fault(err, "sites folder")
	}
	return &Sites{root: real, scratch: scratch}, nil
}

// Close gives back the folder of temporary files. Sites must not be used
// afterwards.
func (s *Sites) Close() error { return s.scratch.close() }

// manifestEntry is one file of a deployment as manifest.json lists it. Size is in
// bytes, SHA256 is of the content, in hexadecimal.
type manifestEntry struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	Immutable bool   `json:"immutable"`
}

const manifestName = "manifest.json"

// Put implements sites.Store: the deployment is written and synced aside and
// renamed into its place.
func (s *Sites) Put(ctx context.Context, deployment core.ID, files []sites.File) error {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return err
	}
	arranged, err := sites.Arrange(files)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(place); err == nil {
		return core.Errorf(core.CodeConflict, "the deployment is stored already")
	}
	aside := s.scratch.name()
	defer os.RemoveAll(aside)
	if err := writeDeployment(aside, arranged); err != nil {
		return durable.Fault(err, "sites folder")
	}
	if err := os.Rename(aside, place); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return core.Errorf(core.CodeConflict, "the deployment is stored already")
		}
		return durable.Fault(err, "sites folder")
	}
	return durable.Fault(durable.SyncDir(s.root), "sites folder")
}

// Open implements sites.Store. Every file is held against the manifest.
func (s *Sites) Open(ctx context.Context, deployment core.ID) ([]sites.File, error) {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return nil, err
	}
	listed, err := os.ReadFile(filepath.Join(place, manifestName))
	if err != nil {
		return nil, durable.Fault(err, "deployment")
	}
	var manifest []manifestEntry
	if err := json.Unmarshal(listed, &manifest); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the deployment's manifest is damaged")
	}
	root, err := os.OpenRoot(filepath.Join(place, "files"))
	if err != nil {
		return nil, durable.Fault(err, "deployment")
	}
	defer root.Close()
	files := make([]sites.File, len(manifest))
	for i, entry := range manifest {
		content, err := root.ReadFile(entry.Path)
		if err != nil || entry != describe(sites.File{Path: entry.Path, Content: content, Immutable: entry.Immutable}) {
			return nil, core.Wrap(core.CodeUnavailable, err, "the deployment's file %q is damaged", entry.Path)
		}
		files[i] = sites.File{Path: entry.Path, Content: content, Immutable: entry.Immutable}
	}
	return files, ctx.Err()
}

// Remove implements sites.Store.
func (s *Sites) Remove(ctx context.Context, deployment core.ID) error {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return err
	}
	trash := s.scratch.name()
	if err := os.Rename(place, trash); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return durable.Fault(err, "deployment")
	}
	if err := durable.SyncDir(s.root); err != nil {
		return durable.Fault(err, "deployment")
	}
	return durable.Fault(os.RemoveAll(trash), "deployment")
}

func (s *Sites) place(ctx context.Context, deployment core.ID) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	id, err := core.ParseID(string(deployment))
	return filepath.Join(s.root, string(id)), err
}

// writeDeployment makes dir with the files and their manifest, all synced.
func writeDeployment(dir string, files []sites.File) error {
	dirs := map[string]bool{dir: true}
	manifest := make([]manifestEntry, len(files))
	for i, file := range files {
		manifest[i] = describe(file)
		for at := filepath.Dir(filepath.Join(dir, "files", file.Path)); !dirs[at]; at = filepath.Dir(at) {
			dirs[at] = true
		}
	}
	dirs[filepath.Join(dir, "files")] = true
	made := slices.Sorted(maps.Keys(dirs))
	for _, at := range made {
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
	}
	listed, err := json.MarshalIndent(manifest, "", "\t")
	if err != nil {
		return err
	}
	failed := make([]error, len(files)+1)
	durable.InParallel(len(failed), func(i int) {
		if i == len(files) {
			failed[i] = durable.WriteFile(filepath.Join(dir, manifestName), listed, 0o644)
			return
		}
		failed[i] = durable.WriteFile(filepath.Join(dir, "files", files[i].Path), files[i].Content, 0o644)
	})
	unsynced := make([]error, len(made))
	durable.InParallel(len(made), func(i int) { unsynced[i] = durable.SyncDir(made[i]) })
	return errors.Join(errors.Join(failed...), errors.Join(unsynced...))
}

func describe(file sites.File) manifestEntry {
	sum := sha256.Sum256(file.Content)
	return manifestEntry{file.Path, int64(len(file.Content)), hex.EncodeToString(sum[:]), file.Immutable}
}
