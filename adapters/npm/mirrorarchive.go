package npm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
)

func (m *Mirror) serveArchive(w http.ResponseWriter, r *http.Request, name, version string) error {
	pkg, err := m.locate(r.Context(), name, version)
	if err != nil {
		return err
	}
	packed, err := m.keepArchive(r.Context(), pkg)
	if err != nil {
		return err
	}
	defer packed.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("ETag", `"`+pkg.contentName()+`"`)
	http.ServeContent(w, r, "", time.Time{}, packed)
	return nil
}

// locate finds the origin of an archive in the list that was made with the package's
// document. If the version is not in it, locate asks for the document again.
func (m *Mirror) locate(ctx context.Context, name, version string) (*lockedPackage, error) {
	found, ok := m.cachedDist(name, version)
	if !ok {
		if err := m.refresh(ctx, name, kindAbbreviated); err != nil {
			return nil, err
		}
		if found, ok = m.cachedDist(name, version); !ok {
			return nil, core.Errorf(core.CodeValidationFailed, "%s has no version %s", name, version)
		}
	}
	return &lockedPackage{Name: name, Version: version, Tarball: found.Tarball, Integrity: found.Integrity}, nil
}

func (m *Mirror) cachedDist(name, version string) (dist, bool) {
	file := m.documentFile(name, kindDists)
	text, err := os.ReadFile(m.resolver.store.path(packumentsDir, file))
	if err != nil {
		return dist{}, false
	}
	var list map[string]dist
	if err := json.Unmarshal(text, &list); err != nil {
		return dist{}, false
	}
	_ = m.resolver.store.touch(packumentsDir, file) // only matters to Sweep
	found, ok := list[version]
	return found, ok
}

// keepArchive opens an archive, and first downloads it to the disk if it is missing.
func (m *Mirror) keepArchive(ctx context.Context, pkg *lockedPackage) (*archive, error) {
	r := m.resolver
	packed, err := r.openLocal(pkg)
	if packed != nil || err != nil {
		return packed, err
	}
	_, err = m.writes.Do(ctx, "archive "+pkg.contentName(), func(ctx context.Context) (struct{}, error) {
		leave, err := m.fetches.acquire(ctx)
		if err != nil {
			return struct{}{}, err
		}
		defer leave()
		file, err := os.CreateTemp(r.store.path(tmpDir), "")
		if err != nil {
			return struct{}{}, err
		}
		defer os.Remove(file.Name())
		defer file.Close()
		if err := r.download(ctx, pkg, file); err != nil {
			return struct{}{}, err
		}
		if info, err := file.Stat(); err == nil {
			m.countBytes(info.Size())
		}
		return struct{}{}, os.Rename(file.Name(), r.store.path(tarballsDir, pkg.contentName()))
	})
	if err == nil {
		packed, err = r.openLocal(pkg)
	}
	if packed == nil {
		return nil, explain(ctx, errors.Join(err, fs.ErrNotExist), "the archive of "+pkg.key()+" cannot be stored")
	}
	return packed, err
}

// measureEvery is after how many written bytes a mirror measures the total size.
const measureEvery = 256 << 20

// countBytes counts newly cached bytes, and evicts files if the cache may be too large.
func (m *Mirror) countBytes(bytes int64) {
	if m.written.Add(bytes) < measureEvery {
		return
	}
	m.written.Store(0)
	// The next measurement removes what cannot be removed now.
	_, _ = m.resolver.store.trimMirror(m.resolver.maxBytes / 2)
}

// cachedFile is a file in a mirror's cache.
type cachedFile struct {
	parts []string
	info  fs.FileInfo
}

// trimMirror evicts the least recently used files of mirrors (LRU) until the rest takes no
// more than most bytes. Readers of a removed file can go on reading it.
func (s *store) trimMirror(most int64) (removed int, err error) {
	var files []cachedFile
	var total int64
	for _, part := range []string{tarballsDir, packumentsDir} {
		entries, readErr := os.ReadDir(s.path(part))
		err = errors.Join(err, readErr)
		for _, entry := range entries {
			if info, infoErr := entry.Info(); infoErr == nil {
				files = append(files, cachedFile{[]string{part, entry.Name()}, info})
				total += info.Size()
			}
		}
	}
	slices.SortFunc(files, func(a, b cachedFile) int {
		return cmp.Compare(a.info.ModTime().UnixNano(), b.info.ModTime().UnixNano())
	})
	for _, file := range files {
		if total <= most {
			break
		}
		err = errors.Join(err, ignoreGone(os.Remove(s.path(file.parts...))))
		total -= file.info.Size()
		removed++
	}
	return removed, err
}
