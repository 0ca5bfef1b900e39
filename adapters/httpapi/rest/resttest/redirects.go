package resttest

import (
	"strings"

	"github.com/atelierhq/atelier/core/accounts"
)

// OpenRedirects are addresses of other sites that have misled parsers.
func OpenRedirects() []string {
	return []string{
		"//evil.example", "///evil.example", "////evil.example", `/\evil.example`, `\/evil.example`, `\\evil.example`, `/\/evil.example`,
		"/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", "/ /evil.example", "/\x00/evil.example", "/\x7f",
		"https://evil.example", "http:evil.example", "HTTP://evil.example", "javascript:alert(1)", "data:text/html,x", "//localhost:8080@evil.example",
		"http://localhost:8080/dashboard", "@evil.example", ".evil.example", ":80@evil.example", "evil.example", "dashboard", "?x", "#x", "..",
		"/.//evil.example", "/..//evil.example", "/x/..//evil.example", "/%2e%2e//evil.example", "/%2Fevil.example", "/a/../b", "/.", "/a/%2e/b", "/a//b", "/%2f%2fevil.example",
		"/%zz", "/a\r\nLocation: //evil.example", "/ü", "/\u2028", "/\uff0fevil.example", `/"><script>`, "/<script>",
		"/" + strings.Repeat("x", accounts.MaxNextBytes),
	}
}
