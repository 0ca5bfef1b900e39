package preview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// Build is a successful build. It is shared: nobody may change it.
type Build struct {
	// ID names the build by its content: equal IDs, equal files.
	ID    string
	Files []build.File
}

// outcome is the result of a session's builds so far.
type outcome struct {
	// good is the last successful build, nil before the first.
	good *Build
	// server is the development server that answers, if the project has one. note
	// describes the progress until it does.
	server *Server
	note   string
	// tried says that a build has ended, successful or not.
	tried bool
	// diagnostics, warnings and failure are those of the last build. failure is an error
	// that the project's members cannot fix.
	diagnostics []core.Diagnostic
	warnings    []core.Diagnostic
	failure     error
}

func (o outcome) state() State {
	switch {
	case len(o.shown()) > 0:
		return StateError
	case !o.tried, o.note != "":
		return StateStarting
	}
	return StateReady
}

// shown returns the diagnostics for people, never nil. A failure without a place in
// the sources has no path.
func (o outcome) shown() []core.Diagnostic {
	if len(o.diagnostics) > 0 {
		return o.diagnostics
	}
	if o.failure == nil {
		return []core.Diagnostic{}
	}
	message := "the project could not be built"
	var known *core.Error
	if errors.As(o.failure, &known) && known.Code != core.CodeInternal {
		message = known.Message
	}
	if errors.Is(o.failure, context.DeadlineExceeded) {
		message = "the build took longer than " + buildLimit.String()
	}
	return []core.Diagnostic{{Message: message}}
}

// after returns the outcome after one more build.
func (o outcome) after(made build.Result, failure error) outcome {
	next := outcome{good: o.good, tried: true, diagnostics: made.Diagnostics, warnings: made.Warnings, failure: failure}
	if failure != nil || len(made.Diagnostics) > 0 {
		return next
	}
	if o.good == nil || !slices.EqualFunc(o.good.Files, made.Files, sameFile) {
		next.good = &Build{ID: nameOf(made.Files), Files: made.Files}
	}
	return next
}

// answers reports whether there is a development server, so that nobody has to wait
// for it to take up the latest changes.
func (o outcome) answers() bool { return o.server != nil }

// shows reports whether there is something to show for a project with a development
// server: the server, or its progress.
func (o outcome) shows() bool { return o.server != nil || o.note != "" }

// served returns the ID of the served build or server, "" if there is none.
func (o outcome) served() string {
	switch {
	case o.server != nil:
		return o.server.ID
	case o.good != nil:
		return o.good.ID
	}
	return ""
}

func sameFile(a, b build.File) bool {
	return a.Path == b.Path && a.Immutable == b.Immutable && bytes.Equal(a.Content, b.Content)
}

// nameOf hashes paths and contents, each with its length first. The path of an
// immutable file identifies its content, so most contents of a preview need not be
// hashed.
func nameOf(files []build.File) string {
	hash := sha256.New()
	var size [8]byte
	for _, file := range files {
		content := file.Content
		if file.Immutable {
			content = nil
		}
		for _, part := range [][]byte{[]byte(file.Path), content} {
			binary.BigEndian.PutUint64(size[:], uint64(len(part)))
			hash.Write(size[:])
			hash.Write(part)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
