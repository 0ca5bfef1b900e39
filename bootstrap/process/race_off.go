//go:build !race

package process

// variant tells binaries apart that are built in different ways.
const variant = ""

// buildFlags adds nothing: benchmarks measure the binary as it ships.
func buildFlags() []string { return nil }
