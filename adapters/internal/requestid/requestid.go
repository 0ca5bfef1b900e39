// Package requestid names requests, in answers (X-Request-Id) and in the log.
package requestid

import (
	"encoding/hex"
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
	return string(AppendNew(nil))
}

// AppendNew appends a new request id of 32 digits. It need not be unguessable, and it
// takes only nanoseconds, because answers from memory are quick.
func AppendNew(to []byte) []byte {
	var random [16]byte
	for i, bits := range [2]uint64{rand.Uint64(), rand.Uint64()} {
		for at := range 8 {
			random[8*i+at] = byte(bits >> (8 * at))
		}
	}
	return hex.AppendEncode(to, random[:])
}
