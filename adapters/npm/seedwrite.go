package npm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// WriteSeed writes to dir all packages that the lists of dependencies reach, in the
// versions that the registry offers today, and removes all other files. The resolver
// itself must have no seed.
func (r *Resolver) WriteSeed(ctx context.Context, dir string, lists []map[string]string) error {
	needed, err := r.reached(ctx, lists)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	index := make(map[string]*packument)
	for _, key := range slices.Sorted(maps.Keys(needed)) {
		pkg := needed[key]
		known, err := r.registry.packument(ctx, pkg.Name)
		if err != nil {
			return err
		}
		if err := addToIndex(index, known, pkg); err != nil {
			return err
		}
		if err := r.writeArchive(ctx, pkg, filepath.Join(dir, archiveName(pkg))); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(index, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, seedIndex), append(text, '\n'), 0o644)
}

// addToIndex copies what a seed needs to know of a package.
func addToIndex(index map[string]*packument, known *packument, pkg *lockedPackage) error {
	found, ok := known.manifest(pkg.Name, pkg.Version)
	if !ok {
		return fmt.Errorf("the registry no longer has %s", pkg.key())
	}
	raw, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if index[pkg.Name] == nil {
		index[pkg.Name] = &packument{Versions: make(versionTable)}
	}
	index[pkg.Name].Versions[pkg.Version] = raw
	return nil
}

func (r *Resolver) writeArchive(ctx context.Context, pkg *lockedPackage, path string) error {
	packed, err := r.openArchive(ctx, pkg)
	if err != nil {
		return err
	}
	defer packed.Close()
	content, err := io.ReadAll(packed)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// CheckSeed reports what a seed lacks, or has too much of, for the lists of dependencies.
// It needs no network.
func CheckSeed(ctx context.Context, files fs.FS, lists []map[string]string) error {
	seed, err := openSeed(files)
	if err != nil {
		return err
	}
	named, err := newUpstreams(Source{}, nil)
	if err != nil {
		return err
	}
	r := &Resolver{seed: seed, limits: defaultLimits, registry: registry{
		upstreams: named, client: &http.Client{Transport: offlineTransport{}}, backoff: time.Microsecond, stallTimeout: defaultStallTimeout,
	}}
	needed, err := r.reached(ctx, lists)
	if err != nil {
		return err
	}
	var mistakes []error
	for key, pkg := range needed {
		content, found := seed.archive(pkg)
		if !found {
			mistakes = append(mistakes, errors.New("the archive of "+key+" is missing"))
			continue
		}
		mistakes = append(mistakes, verify(bytes.NewReader(content), pkg))
	}
	for name, known := range seed.index {
		for version := range known.Versions {
			if needed[name+"@"+version] == nil {
				mistakes = append(mistakes, errors.New("nothing needs "+name+"@"+version))
			}
		}
	}
	return errors.Join(append(mistakes, superfluous(files, needed))...)
}

// superfluous returns files of a seed that belong to no package.
func superfluous(files fs.FS, needed map[string]*lockedPackage) error {
	known := map[string]bool{seedIndex: true}
	for _, pkg := range needed {
		known[archiveName(pkg)] = true
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return err
	}
	var strays []string
	for _, entry := range entries {
		if !known[entry.Name()] {
			strays = append(strays, entry.Name())
		}
	}
	if len(strays) > 0 {
		return errors.New("nothing needs " + strings.Join(strays, ", "))
	}
	return nil
}

// reached returns all packages that the lists reach, by key.
func (r *Resolver) reached(ctx context.Context, lists []map[string]string) (map[string]*lockedPackage, error) {
	reached := make(map[string]*lockedPackage)
	for _, list := range lists {
		resolved, err := r.resolve(ctx, list)
		if err != nil {
			return nil, err
		}
		maps.Copy(reached, resolved.Packages)
	}
	return reached, nil
}

// offlineTransport fails every request.
type offlineTransport struct{}

// RoundTrip implements http.RoundTripper.
func (offlineTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the seed must work without the network")
}
