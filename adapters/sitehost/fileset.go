package sitehost

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/lru"
)

// fileSet holds all files of a host, by path without the leading slash. It is immutable.
type fileSet struct {
	// name distinguishes sets of the same host.
	name  string
	files map[string]*asset
	// missing is the page for unknown addresses, nil if the host has none.
	missing *asset
	bytes   int64
}

func newFileSet(name string, size int) *fileSet {
	return &fileSet{name: name, files: make(map[string]*asset, size)}
}

func (s *fileSet) add(path string, file *asset) {
	s.files[path] = file
	s.bytes += file.size()
}

// find returns the file of a URL's path: the file itself, or the index of a directory.
// The second result means that the path is a directory's without its slash, which
// relative links in the index need.
func (s *fileSet) find(path string) (file *asset, directory bool) {
	name := strings.TrimPrefix(path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		return s.files[name+"index.html"], false
	}
	if file := s.files[name]; file != nil {
		return file, false
	}
	return nil, s.files[name+"/index.html"] != nil
}

// isPlainPath reports whether a URL's path can name a file of a site. It refuses paths
// that other servers normalize, and names that begin with a dot (.env, .git), which are
// never meant for the public. The exception is the folder of RFC 8615.
func isPlainPath(path string) bool {
	rest, rooted := strings.CutPrefix(path, "/")
	if !rooted || strings.ContainsAny(path, "\\\x00") {
		return false
	}
	for segment := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		if segment == "" && rest != "" || strings.HasPrefix(segment, ".") && segment != ".well-known" {
			return false
		}
	}
	return true
}

// hasExtension reports whether the last segment has a dot. The path is then a file's and
// no route of an application.
func hasExtension(path string) bool {
	return strings.Contains(path[strings.LastIndexByte(path, '/')+1:], ".")
}

// wantsPage reports whether a client that sends this Accept takes HTML.
func wantsPage(accept string) bool {
	if accept == "" {
		return true
	}
	for member := range strings.SplitSeq(accept, ",") {
		kind, weight, _ := strings.Cut(member, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/html", "text/*", "*/*", "application/xhtml+xml":
			if !compress.Refuses(weight) {
				return true
			}
		}
	}
	return false
}

// loadLimit bounds the duration of loading one set of files.
const loadLimit = 30 * time.Second

// setCache is an LRU cache of sets of files, bounded in bytes.
type setCache struct {
	sets *lru.Cache[string, *fileSet]
	// loads has a lock for each key, held while its set is loaded, so that concurrent
	// callers share one load (single flight).
	loads ctxsync.KeyedMutex[string]
}

func newSetCache(limit int64) *setCache {
	return &setCache{sets: lru.New[string](limit, func(set *fileSet) int64 { return set.bytes })}
}

// get returns the set of that name at a key. If the set is missing or has another name,
// get loads it and reuses the old set as far as possible. A load continues when its
// caller leaves.
func (s *setCache) get(ctx context.Context, key, name string, load func(ctx context.Context, old *fileSet) (*fileSet, error)) (*fileSet, error) {
	if set, _ := s.sets.Get(key); set != nil && set.name == name {
		return set, nil
	}
	unlock, err := s.loads.Lock(ctx, key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	old, _ := s.sets.Get(key)
	if old != nil && old.name == name {
		return old, nil
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadLimit)
	defer cancel()
	set, err := load(work, old)
	if err != nil {
		return nil, err
	}
	s.sets.Put(key, set)
	return set, nil
}
