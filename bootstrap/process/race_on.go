//go:build race

package process

// buildFlags lets the binary look for data races when the tests do, which also
// shares what the compiler has built for them.
func buildFlags() []string { return []string{"-race"} }
