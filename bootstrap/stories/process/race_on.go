//go:build race

package process

import "strings"

// variant distinguishes binaries that are built differently.
const variant = "-race"

// unraced are the packages without the race detector, as in the Makefile, so that both
// share the build cache.
const unraced = "modernc.org/libc/... modernc.org/libquickjs modernc.org/memory modernc.org/sqlite/lib " +
	"compress/... regexp golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b golang.org/x/crypto/blowfish " +
	"github.com/andybalholm/brotli/... github.com/pjbgf/sha1cd/... github.com/uptrace/bunrouter " +
	"github.com/evanw/esbuild/internal/css_... github.com/evanw/esbuild/internal/js_..."

// buildFlags enables the race detector in the binary if the tests have it, in the same
// packages as `make test`.
func buildFlags() []string {
	flags := []string{"-race", "-trimpath", "-ldflags=-s -w"}
	for _, packages := range strings.Fields(unraced) {
		flags = append(flags, "-gcflags="+packages+"=-race=false")
	}
	return flags
}
