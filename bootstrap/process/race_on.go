//go:build race

package process

// variant tells binaries apart that are built in different ways.
const variant = "-race"

// buildFlags lets the binary look for data races when the tests do, in the same
// packages as `make test`, which also shares what the compiler has built for them.
func buildFlags() []string {
	flags := []string{"-race"}
	for _, translated := range []string{"modernc.org/libc/...", "modernc.org/libquickjs", "modernc.org/sqlite/lib"} {
		flags = append(flags, "-gcflags="+translated+"=-race=false")
	}
	return flags
}
