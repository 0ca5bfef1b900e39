package npm_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/Masterminds/semver/v3"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/ports/packages"
)

// fakeRegistry serves packages over HTTP as the npm registry does.
type fakeRegistry struct {
	*httptest.Server

	mu         sync.Mutex
	packuments map[string]*fakePackument
	tarballs   map[string][]byte
	requests   []string
	// before, when set, may answer a request in the registry's place.
	before func(w http.ResponseWriter, r *http.Request) bool
}

type fakePackument struct {
	Name     string                    `json:"name"`
	DistTags map[string]string         `json:"dist-tags"`
	Versions map[string]map[string]any `json:"versions"`
}

func newFakeRegistry(t *testing.T) *fakeRegistry {
	r := &fakeRegistry{packuments: make(map[string]*fakePackument), tarballs: make(map[string][]byte)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *fakeRegistry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req.URL.EscapedPath())
	if r.before != nil && r.before(w, req) {
		return
	}
	if tarball, found := r.tarballs[req.URL.Path]; found {
		w.Write(tarball)
		return
	}
	packument, found := r.packuments[strings.TrimPrefix(req.URL.Path, "/")]
	if !found || strings.Contains(strings.TrimPrefix(req.URL.EscapedPath(), "/"), "/") {
		http.Error(w, `{"error":"not_found"}`, http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(packument)
}

// intercept sets before.
func (r *fakeRegistry) intercept(before func(w http.ResponseWriter, r *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

func (r *fakeRegistry) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// publish adds a version whose archive holds files. The members of extra override those
// of the version's manifest.
func (r *fakeRegistry) publish(t *testing.T, name, version string, extra map[string]any, files map[string]string) {
	t.Helper()
	manifest := map[string]any{"name": name, "version": version}
	maps.Copy(manifest, extra)
	inside := map[string]string{"index.js": "module.exports = " + fmt.Sprintf("%q", name+"@"+version)}
	maps.Copy(inside, files)
	if _, given := inside["package.json"]; !given {
		text, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		inside["package.json"] = string(text)
	}
	var entries []tarEntry
	for _, path := range slices.Sorted(maps.Keys(inside)) {
		entries = append(entries, tarEntry{Header: tar.Header{Name: "package/" + path, Typeflag: tar.TypeReg, Mode: 0o755}, content: inside[path]})
	}
	r.publishArchive(t, name, version, extra, archiveOf(t, entries))
}

// publishArchive adds a version with an archive made elsewhere.
func (r *fakeRegistry) publishArchive(t *testing.T, name, version string, extra map[string]any, archive []byte) {
	t.Helper()
	path := fmt.Sprintf("/%s/-/archive-%s.tgz", name, version)
	sum := sha512.Sum512(archive)
	manifest := map[string]any{"name": name, "version": version, "dist": map[string]string{
		"tarball":   r.URL + path,
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
	}}
	maps.Copy(manifest, extra)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.packuments[name] == nil {
		r.packuments[name] = &fakePackument{name, make(map[string]string), make(map[string]map[string]any)}
	}
	r.packuments[name].Versions[version] = manifest
	r.tarballs[path] = archive
}

func (r *fakeRegistry) tag(name, tag, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.packuments[name].DistTags[tag] = version
}

// tagNewest tags the newest version latest, as publishing does.
func (r *fakeRegistry) tagNewest(t *testing.T, name string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	newest := semver.New(0, 0, 0, "", "")
	for version := range r.packuments[name].Versions {
		if v := semver.MustParse(version); v.GreaterThan(newest) {
			newest = v
		}
	}
	r.packuments[name].DistTags["latest"] = newest.Original()
}

// setDist replaces the registry's entry about an archive.
func (r *fakeRegistry) setDist(name, version string, dist map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.packuments[name].Versions[version]["dist"] = dist
}

func (r *fakeRegistry) tarballPath(name, version string) string {
	return fmt.Sprintf("/%s/-/archive-%s.tgz", name, version)
}

func sha1Hex(data []byte) string {
	sum := sha1.Sum(data)
	return hex.EncodeToString(sum[:])
}

type tarEntry struct {
	tar.Header
	content string
}

// archiveOf makes a package's archive.
func archiveOf(t *testing.T, entries []tarEntry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(zipped)
	for _, entry := range entries {
		header := entry.Header
		header.Size = int64(len(entry.content))
		if err := archive.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(entry.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func openResolver(t testing.TB, dir, registry string) *npm.Resolver {
	t.Helper()
	resolver, err := npm.New(npm.Config{Dir: dir, Registry: npm.Source{URL: registry}})
	if err != nil {
		t.Fatal(err)
	}
	npm.RetryQuickly(resolver)
	return resolver
}

func install(t testing.TB, resolver *npm.Resolver, dependencies map[string]string) packages.Set {
	t.Helper()
	set, err := resolver.Install(t.Context(), dependencies)
	if err != nil {
		t.Fatalf("Install(%v): %v", dependencies, err)
	}
	return set
}
