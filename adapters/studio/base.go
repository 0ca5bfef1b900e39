package studio

import "regexp"

// own matches the addresses of the build's files in its scripts and its page. The builder
// writes them in quotes, from the root of the host.
var own = regexp.MustCompile(`(["'])(/(?:assets/|icons/|theme\.js|favicon\.svg|manifest\.webmanifest))`)

// rebased changes a file of the build for a studio below a path of its host. Handlers get
// requests without that path.
func rebased(content []byte, base string) []byte {
	if base == "" {
		return content
	}
	return own.ReplaceAll(content, []byte("${1}"+base+"${2}"))
}
