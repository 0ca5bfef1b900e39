//go:build !race

package process

// buildFlags adds nothing: benchmarks measure the binary as it ships.
func buildFlags() []string { return nil }
