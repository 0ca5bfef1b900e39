package rest

import (
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxTargetBytes is the longest accepted path, escaped. The longest project path takes 3
// KiB of it; the router counts in 16 bits.
const maxTargetBytes = 16 << 10

// canonical returns the segments of a path, each escaped as url.PathEscape does it, so
// that unescaping a parameter once gives what the client meant. The first segment is the
// empty one before the first slash.
//
// Empty segments, a trailing slash, "." and ".." are core.CodeNotFound and never cleaned
// away: cleaning would let a path refer to another resource than a proxy before the
// service has allowed. They pass only after the prefix of a wildcard, because there they
// are part of a file's path, which core.ParsePath checks. A NUL has code
// core.CodeInvalidRequest.
func (rt *Router) canonical(escaped string) ([]string, error) {
	if len(escaped) > maxTargetBytes || !strings.HasPrefix(escaped, "/") {
		return nil, core.NotFound("resource")
	}
	segments := strings.Split(escaped, "/")
	for i := 1; i < len(segments); i++ {
		text, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, core.Errorf(core.CodeInvalidRequest, "the path has an invalid escape")
		}
		if !rt.behindWildcard(segments[:i]) {
			if err := checkSegment(text, len(segments) == 2); err != nil {
				return nil, err
			}
		}
		segments[i] = url.PathEscape(text)
	}
	if last := len(segments) - 1; segments[last] == "" && rt.isWildcardPrefix(segments[:last]) {
		return nil, core.NotFound("resource")
	}
	return segments, nil
}

func checkSegment(text string, only bool) error {
	if strings.ContainsRune(text, 0) {
		return core.Errorf(core.CodeInvalidRequest, "the path has a NUL")
	}
	if text == "." || text == ".." || text == "" && !only {
		return core.NotFound("resource")
	}
	return nil
}

// behindWildcard reports whether the following segments belong to a wildcard.
func (rt *Router) behindWildcard(segments []string) bool {
	for _, wild := range rt.wilds {
		if len(segments) >= len(wild) && matches(wild, segments[:len(wild)]) {
			return true
		}
	}
	return false
}

// isWildcardPrefix reports whether a wildcard would begin here.
func (rt *Router) isWildcardPrefix(segments []string) bool {
	for _, wild := range rt.wilds {
		if matches(wild, segments) {
			return true
		}
	}
	return false
}
