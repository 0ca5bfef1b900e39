package sitehost

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"
)

// confirmPrefix begins the paths that the links in mails to end users have.
const confirmPrefix = "/_data/@confirm/"

var (
	//go:embed pages/confirm.html
	confirmSource string
	//go:embed pages/confirm.js
	confirmScript string

	confirmPage   = []byte(strings.Replace(confirmSource, "{{script}}", confirmScript, 1))
	confirmPolicy = confirmPolicyOf(confirmScript)
)

// confirmPolicyOf is a Content-Security-Policy that allows one inline script. Nobody may show
// the page in a frame, because it takes passwords.
func confirmPolicyOf(script string) []string {
	sum := sha256.Sum256([]byte(script))
	return []string{"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
}

// isConfirm reports whether a path is that of a link in a mail to an end user.
func isConfirm(path string) bool {
	switch action, ok := strings.CutPrefix(path, confirmPrefix); action {
	case "verification", "password", "email":
		return ok
	}
	return false
}

// showConfirm answers with the page on which an end user confirms what a mail is about. The
// page sends the token, which only the browser knows, to the backend.
func showConfirm(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "this page is only read")
		return
	}
	header["Content-Type"] = []string{mediaTypes[".html"]}
	header["Content-Security-Policy"] = confirmPolicy
	header.Set("Referrer-Policy", "no-referrer")
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(confirmPage)
}
