package npm

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

const (
	// mirrorTimeout bounds the answer to one request.
	mirrorTimeout = 5 * time.Minute
	// mirrorFetches is how many fetches run at the same time. mirrorRewrites is how many
	// documents are rewritten at the same time, each of which may take some hundred
	// megabytes.
	mirrorFetches  = 32
	mirrorRewrites = 4
)

// Mirror is an http.Handler that answers npm, pnpm and yarn like a registry, for programs
// that cannot reach another one. It is read-only and serves two things: documents of
// packages, with archives under its own address, and the archives, verified against their
// digests. It asks the resolver's registries with the resolver's tokens, never with a
// client's. It caches what it has seen in the resolver's store, and serves the cache
// while the registries cannot be reached.
//
// A request that cannot be served has status 404 if the thing does not exist and 503 if
// that is unknown.
type Mirror struct {
	resolver *Resolver
	fetches  semaphore
	rewrites semaphore
	writes   ctxsync.SingleFlight[string, struct{}]
	// written counts the bytes that were cached since the size of the cache was last
	// measured.
	written atomic.Int64

	mu sync.Mutex
	// checked maps a document's file to the time when it was last compared with the
	// registry's.
	checked map[string]time.Time
	// downUntil is until when the registries are not asked for cached documents.
	downUntil time.Time
}

// NewMirror returns a mirror of the resolver's registries.
func NewMirror(resolver *Resolver) *Mirror {
	return &Mirror{
		resolver: resolver,
		fetches:  make(semaphore, mirrorFetches),
		rewrites: make(semaphore, mirrorRewrites),
		checked:  make(map[string]time.Time),
	}
}

// ServeHTTP implements http.Handler.
func (m *Mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), mirrorTimeout)
	defer cancel()
	// A server that cannot set deadlines has its own.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mirrorTimeout))
	m.route(w, r.WithContext(ctx))
}

// semaphore bounds concurrent work. Its channel has an element for each holder.
type semaphore chan struct{}

// acquire waits for a place until ctx ends.
func (s semaphore) acquire(ctx context.Context) (leave func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *Mirror) route(w http.ResponseWriter, r *http.Request) {
	if methods, known := mirrorServices[r.URL.Path]; known {
		if allow(w, r, methods...) {
			answerJSON(w, http.StatusOK, struct{}{})
		}
		return
	}
	name, version, ok := parseMirrorPath(r.URL.Path)
	if !ok {
		answerJSON(w, http.StatusNotFound, mirrorError{"this path does not exist"})
		return
	}
	if !allow(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	var err error
	if version == "" {
		err = m.serveDocument(w, r, name)
	} else {
		err = m.serveArchive(w, r, name, version)
	}
	if err != nil && r.Context().Err() == nil {
		status := http.StatusServiceUnavailable
		if core.IsCode(err, core.CodeValidationFailed) {
			status = http.StatusNotFound
		}
		answerJSON(w, status, mirrorError{messageOf(err)})
	}
}

// mirrorServices are answered with an empty object: the greeting, and the security
// advisories, which the mirror does not have.
var mirrorServices = map[string][]string{
	"/-/ping":                            {http.MethodGet, http.MethodHead},
	"/-/npm/v1/security/advisories/bulk": {http.MethodPost},
	"/-/npm/v1/security/audits":          {http.MethodPost},
	"/-/npm/v1/security/audits/quick":    {http.MethodPost},
}

type mirrorError struct {
	Error string `json:"error"`
}

func messageOf(err error) string {
	if known, ok := asCoded(err); ok {
		return known.Message
	}
	return "the package cannot be read"
}

func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	for _, method := range methods {
		if r.Method == method {
			return true
		}
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	answerJSON(w, http.StatusMethodNotAllowed, mirrorError{"the mirror is read-only"})
	return false
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}

// parseMirrorPath parses /name, /@scope/name, and /name/-/name-version.tgz, literally or
// with the slash of the scope escaped.
func parseMirrorPath(path string) (name, version string, ok bool) {
	path, rooted := strings.CutPrefix(path, "/")
	name, file, isArchive := strings.Cut(path, "/-/")
	if !rooted || strings.HasPrefix(name, "-") || checkName(name) != nil {
		return "", "", false
	}
	if !isArchive {
		return name, "", true
	}
	version, isOwn := strings.CutPrefix(file, baseName(name)+"-")
	version, isArchive = strings.CutSuffix(version, ".tgz")
	if _, err := semver.StrictNewVersion(version); err != nil || !isOwn || !isArchive {
		return "", "", false
	}
	return name, version, true
}

// baseName is a package's name without its scope.
func baseName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// mirrorHost matches the hosts that a mirror accepts as its own, at most maxMirrorHost bytes: the
// host becomes part of its answers. A bound of 253 in the expression would take 0.3 MiB.
var mirrorHost = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// maxMirrorHost is the length of the longest name with a port.
const maxMirrorHost = 253 + len(":65535")

// addressOf returns the address under which the client reached the mirror.
func addressOf(r *http.Request) (string, bool) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host, len(r.Host) <= maxMirrorHost && mirrorHost.MatchString(r.Host)
}
