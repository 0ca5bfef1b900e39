package npm

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// RetryQuickly makes the pauses between attempts too short to notice.
func RetryQuickly(r *Resolver) { r.registry.backoff = time.Microsecond }

// Limits are the bounds that a test makes small enough to reach.
type Limits struct {
	Files                             int
	Unpacked, Set, Tarball, Packument int64
}

// SetLimits sets bounds; 0 leaves a bound unchanged.
func SetLimits(r *Resolver, to Limits) {
	r.limits.files = cmp.Or(to.Files, r.limits.files)
	r.limits.unpackedBytes = cmp.Or(to.Unpacked, r.limits.unpackedBytes)
	r.limits.setBytes = cmp.Or(to.Set, r.limits.setBytes)
	r.limits.tarballBytes = cmp.Or(to.Tarball, r.limits.tarballBytes)
	r.limits.packumentBytes = cmp.Or(to.Packument, r.limits.packumentBytes)
	r.registry.limits = r.limits
}

// SetPackageLimit bounds the packages of a set.
func SetPackageLimit(r *Resolver, packages int) { r.limits.packages = packages }

// ParseRange reports whether text is a range and whether it holds a version.
func ParseRange(text, version string) (holds, ok bool) {
	versions, ok := parseRange(text)
	if !ok {
		return false, false
	}
	p := packument{Versions: map[string]json.RawMessage{version: nil}}
	for _, v := range p.descending() {
		holds = holds || versions.holds(v)
	}
	return holds, true
}

// SetPatience sets how long a registry may take for the next bytes.
func SetPatience(r *Resolver, patience time.Duration) { r.registry.stallTimeout = patience }

// SetMaxBytes sets the maximum size of the store.
func SetMaxBytes(r *Resolver, most int64) { r.maxBytes = most }

// BytesOfMirror adds up the mirror's cache.
func BytesOfMirror(r *Resolver) (total int64) {
	for _, part := range []string{tarballsDir, packumentsDir} {
		entries, _ := os.ReadDir(r.store.path(part))
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
		}
	}
	return total
}

// Rewrite makes a document as the mirror keeps it.
func Rewrite(name string, packument []byte) (body, dists []byte, err error) {
	return rewrite(name, packument)
}

// PutIn lays an address into a document.
func PutIn(w io.Writer, body []byte, address string) error {
	return copyWithAddress(w, &document{Reader: bufio.NewReader(bytes.NewReader(body))}, address)
}

// WhileInUse runs do as a process that notes a use does: under the lock.
func WhileInUse(r *Resolver, do func() error) error { return r.store.locked(unix.LOCK_SH, do) }
