// Package requestid names requests, in answers (X-Request-Id) and in the log.
package requestid

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// Header is the name of the header field.
const Header = "X-Request-Id"

// maxBytes is the longest request id that a client may choose.
const maxBytes = 100

// IsValid reports whether a log can hold a client's request id.
func IsValid(id string) bool {
	return len(id) >= 1 && len(id) <= maxBytes && !strings.ContainsFunc(id, isOther)
}

func isOther(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.", c)
}

// Of returns the client's request id if it is valid, else a new one.
func Of(r *http.Request) string {
	if id := r.Header.Get(Header); IsValid(id) {
		return id
	}
	return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) // need not be unguessable
}
