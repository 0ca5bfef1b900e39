package npm

import (
	"encoding/json"
	"runtime"
	"time"
)

// RetryQuickly makes the pauses between attempts too short to notice.
func RetryQuickly(r *Resolver) { r.registry.retryAfter = time.Microsecond }

// SetLimits makes the limits of archives small enough to reach in a test.
func SetLimits(r *Resolver, files int, unpacked, set, tarball, packument int64) {
	r.limits.files, r.limits.unpackedBytes, r.limits.setBytes = files, unpacked, set
	r.limits.tarballBytes, r.limits.packumentBytes = tarball, packument
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

// AwaitCallers returns once so many callers share the one running install.
func AwaitCallers(r *Resolver, callers int) {
	for waiting := 0; waiting != callers; runtime.Gosched() {
		r.installs.mu.Lock()
		for _, flight := range r.installs.flights {
			waiting = flight.waiting
		}
		r.installs.mu.Unlock()
	}
}
