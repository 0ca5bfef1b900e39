package pocketbase

import (
	"net/http"
	"strings"
)

// kind is how a request is served.
type kind int

const (
	// refused requests are answered with 404.
	refused kind = iota
	// short requests hold the gate; their bodies and answers are buffered.
	short
	// signIn requests wait for an OAuth provider, and hold the gate only afterwards.
	signIn
	// download requests send a file, stream requests send events.
	download
	stream
)

// kindOf decides which requests are served: the part of PocketBase's API that end users
// need. The admin page, superusers, settings, logs, backups, crons, SQL and the management
// of collections are absent, also for the project's members.
func kindOf(method, path string) kind {
	parts := strings.Split(strings.TrimPrefix(path, "/api/"), "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return refused // PocketBase's router would redirect to another path
		}
	}
	switch parts[0] {
	case "health", "batch", "oauth2-redirect":
		return shortIf(len(parts) == 1)
	case "realtime":
		if len(parts) == 1 && (method == http.MethodGet || method == http.MethodHead) {
			return stream
		}
		return shortIf(len(parts) == 1)
	case "files":
		return kindOfFile(parts[1:])
	case "collections":
		return kindOfCollection(method, parts[1:])
	}
	return refused
}

func shortIf(served bool) kind {
	if served {
		return short
	}
	return refused
}

func kindOfFile(parts []string) kind {
	switch {
	case len(parts) == 1 && parts[0] == "token":
		return short
	case len(parts) == 3 && !isSuperusers(parts[0]):
		return download
	}
	return refused
}

func kindOfCollection(method string, parts []string) kind {
	if len(parts) < 2 || isSuperusers(parts[0]) {
		return refused
	}
	switch parts[1] {
	case "records":
		return shortIf(len(parts) <= 3)
	case "auth-with-oauth2":
		if len(parts) == 2 && method == http.MethodPost {
			return signIn
		}
	case "auth-methods", "auth-refresh", "auth-with-password", "auth-with-otp", "request-otp",
		"request-password-reset", "confirm-password-reset", "request-verification", "confirm-verification",
		"request-email-change", "confirm-email-change":
		return shortIf(len(parts) == 2)
	}
	return refused
}

// isSuperusers reports whether a path names PocketBase's collection of superusers, by its
// name or its fixed id. The collection is always empty (bindHooks).
func isSuperusers(collection string) bool {
	return strings.EqualFold(collection, "_superusers") || collection == superusersID
}

// superusersID is the id that PocketBase derives from the collection's name.
const superusersID = "pbc_3142635823"
