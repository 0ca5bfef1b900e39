package disk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/sites"
)

var (
	_ sites.Store   = (*Sites)(nil)
	_ sites.Checker = (*Sites)(nil)
)

// Sites keeps one directory for each deployment: "manifest.json", which lists the files
// with their sizes and digests, and "files", which holds them. Contents that several
// deployments share exist once, as hard links (contents.go). It is safe for concurrent
// use, and several processes may share the folder.
type Sites struct {
	root     string
	scratch  *scratch
	reach    *durable.Reach
	contents contents
	// packing is held while forms are made, which may take long.
	packing *ctxsync.Mutex
}

// NewSites opens the folder of the published builds, creates it if needed, and removes
// the temporary files of dead processes. If the folder cannot be used, the error has code
// core.CodeUnavailable.
func NewSites(dir string) (*Sites, error) {
	real, err := openRoot(dir)
	if err != nil {
		return nil, durable.Fault(err, "sites folder")
	}
	scratch, err := openScratch(filepath.Join(real, serviceDir, "tmp"))
	if err != nil {
		return nil, durable.Fault(err, "sites folder")
	}
	contents, err := openContents(filepath.Join(real, serviceDir), scratch)
	if err != nil {
		return nil, durable.Fault(errors.Join(err, scratch.close()), "sites folder")
	}
	return &Sites{root: real, scratch: scratch, reach: durable.NewReach(), contents: contents, packing: ctxsync.NewMutex()}, nil
}

// Check implements sites.Checker: a file can be written, synced and moved to the
// deployments.
func (s *Sites) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.scratch.probe(s.root); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the sites' disk cannot be written")
	}
	return nil
}

// Close removes the folder of temporary files. Sites must not be used afterwards.
func (s *Sites) Close() error { return s.scratch.close() }

const manifestName = "manifest.json"

// isDigest matches a digest. A text from a manifest that matches is safe as a file name.
var isDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Put implements sites.Store. It writes and syncs the deployment aside and renames it
// into place.
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
		return core.Errorf(core.CodeConflict, "the deployment is already stored")
	}
	aside := s.scratch.name()
	defer os.RemoveAll(aside)
	if err := s.contents.writeDeployment(aside, arranged); err != nil {
		return durable.Fault(err, "sites folder")
	}
	if err := os.Rename(aside, place); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return core.Errorf(core.CodeConflict, "the deployment is already stored")
		}
		return durable.Fault(err, "sites folder")
	}
	return durable.Fault(durable.SyncDir(s.root), "sites folder")
}

// List implements sites.Store.
func (s *Sites) List(ctx context.Context, deployment core.ID) ([]sites.Entry, error) {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return nil, err
	}
	listed, err := os.ReadFile(filepath.Join(place, manifestName))
	if err != nil {
		return nil, durable.Fault(err, "deployment")
	}
	var manifest []sites.Entry
	if err := json.Unmarshal(listed, &manifest); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the deployment's manifest is damaged")
	}
	for _, entry := range manifest {
		if !isDigest.MatchString(entry.Digest) {
			return nil, damaged(entry, nil)
		}
	}
	return manifest, nil
}

// Read implements sites.Store.
func (s *Sites) Read(ctx context.Context, deployment core.ID, entry sites.Entry) ([]byte, error) {
	file, err := s.open(ctx, deployment, entry)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || entry != sites.Describe(sites.File{Path: entry.Path, Content: content, Immutable: entry.Immutable}) {
		return nil, damaged(entry, err)
	}
	return content, nil
}

// Stream implements sites.Store.
func (s *Sites) Stream(ctx context.Context, deployment core.ID, entry sites.Entry) (io.ReadSeekCloser, error) {
	return s.open(ctx, deployment, entry)
}

// open opens a file of a deployment and checks that its size is that of its entry.
func (s *Sites) open(ctx context.Context, deployment core.ID, entry sites.Entry) (*os.File, error) {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Join(place, "files"))
	if err != nil {
		return nil, durable.Fault(err, "deployment")
	}
	defer root.Close()
	info, err := root.Lstat(entry.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != entry.Size {
		return nil, damaged(entry, err)
	}
	file, err := root.Open(entry.Path)
	if err != nil {
		return nil, damaged(entry, err)
	}
	return file, nil
}

func damaged(entry sites.Entry, cause error) error {
	return core.Wrap(core.CodeUnavailable, cause, "the deployment's file %q is damaged", entry.Path)
}

// Remove implements sites.Store.
func (s *Sites) Remove(ctx context.Context, deployment core.ID) error {
	place, err := s.place(ctx, deployment)
	if err != nil {
		return err
	}
	// The next start removes what a damaged manifest does not list.
	entries, _ := s.List(ctx, deployment)
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
	if err := os.RemoveAll(trash); err != nil {
		return durable.Fault(err, "deployment")
	}
	return durable.Fault(s.contents.dropUnused(entries), "deployment")
}

func (s *Sites) place(ctx context.Context, deployment core.ID) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	id, err := core.ParseID(string(deployment))
	if err != nil {
		return "", err
	}
	if _, err = s.reach.Lstat(ctx, s.root); errors.Is(err, fs.ErrNotExist) {
		return "", core.Wrap(core.CodeUnavailable, err, "the sites' disk is missing")
	}
	return filepath.Join(s.root, string(id)), durable.Fault(err, "sites folder")
}

// writeDeployment creates dir with the files and their manifest, all synced.
func (c contents) writeDeployment(dir string, files []sites.File) error {
	dirs := map[string]bool{dir: true}
	manifest := make([]sites.Entry, len(files))
	for i, file := range files {
		manifest[i] = sites.Describe(file)
		for at := filepath.Dir(filepath.Join(dir, "files", file.Path)); !dirs[at]; at = filepath.Dir(at) {
			dirs[at] = true
		}
	}
	dirs[filepath.Join(dir, "files")] = true
	made := slices.Sorted(maps.Keys(dirs))
	for _, at := range made {
		if err := os.Mkdir(at, 0o700); err != nil {
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
		failed[i] = c.put(filepath.Join(dir, "files", files[i].Path), files[i].Content, manifest[i].Digest)
	})
	unsynced := make([]error, len(made))
	durable.InParallel(len(made), func(i int) { unsynced[i] = durable.SyncDir(made[i]) })
	return errors.Join(errors.Join(failed...), errors.Join(unsynced...))
}
