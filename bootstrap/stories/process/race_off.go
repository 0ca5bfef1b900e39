//go:build !race

package process

// variant tells binaries apart that are built in different ways.
const variant = ""

// buildFlags builds the binary as `make build` does: benchmarks measure what ships.
func buildFlags() []string { return []string{"-trimpath"} }
