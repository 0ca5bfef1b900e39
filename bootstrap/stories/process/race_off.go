//go:build !race

package process

// variant distinguishes binaries that are built differently.
const variant = ""

// buildFlags builds the binary as `make build` does: benchmarks measure the shipped program.
func buildFlags() []string { return []string{"-trimpath", "-ldflags=-s -w"} }
