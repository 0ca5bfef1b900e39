package rest

import (
	"io"
	"net/http"
	"strings"
)

// IsGit reports whether a route is for git clients. They authenticate by Basic, and read
// no JSON.
func IsGit(pattern string) bool { return strings.HasPrefix(pattern, "/git/") }

// isGitClient reports whether a request comes from the stock git client, which shows
// people plain text answers but not JSON.
func isGitClient(r *http.Request) bool { return strings.HasPrefix(r.UserAgent(), "git/") }

// writeGitFailure answers with an error as plain text.
func writeGitFailure(w http.ResponseWriter, status int, body Failure) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body.Message+"\n")
}
