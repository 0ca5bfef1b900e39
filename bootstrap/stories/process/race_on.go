//go:build race

package process

import (
	"os"
	"strings"
)

// variant distinguishes binaries that are built differently.
const variant = "-race"

// buildFlags enables the race detector in the binary if the tests have it, but for the packages
// that UNRACED names: `make test` sets it, so that both share the build cache.
func buildFlags() []string {
	flags := []string{"-race", "-trimpath", "-ldflags=-s -w"}
	for _, packages := range strings.Fields(os.Getenv("UNRACED")) {
		flags = append(flags, "-gcflags="+packages+"=-race=false")
	}
	return flags
}
