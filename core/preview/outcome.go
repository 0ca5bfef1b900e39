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

// Build is a build that worked. Nobody may change it.
type Build struct {
	// ID names the build by its content: equal IDs, equal files.
	ID    string
	Files []build.File
}

// outcome is what came of a session's builds so far.
type outcome struct {
	// good is the last build that worked, nil before the first.
	good *Build
	// server is the development server that answers, where the project has one, and
	// note what is done before it does.
	server *Server
	note   string
	// tried says that a build has ended, whatever came of it.
	tried bool
	// diagnostics and failure are those of the last build. failure is what the
	// project's people cannot mend.
	diagnostics []core.Diagnostic
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

// shown is what people are told is wrong, never nil. A failure without a place in
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

// after returns the outcome when one more build has ended.
func (o outcome) after(made build.Result, failure error) outcome {
	next := outcome{good: o.good, tried: true, diagnostics: made.Diagnostics, failure: failure}
	if failure != nil || len(made.Diagnostics) > 0 {
		return next
	}
	if o.good == nil || !slices.EqualFunc(o.good.Files, made.Files, sameFile) {
		next.good = &Build{ID: nameOf(made.Files), Files: made.Files}
	}
	return next
}

// answers reports whether there is a development server, so that nobody has to wait
// for what it makes of the latest changes.
func (o outcome) answers() bool { return o.server != nil }

// shows reports whether there is something to show of a project with a development
// server: that, or what is done before it answers.
func (o outcome) shows() bool { return o.server != nil || o.note != "" }

// served names what is served, "" when nothing is.
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

// nameOf hashes paths and contents, each with its length in front. The path of an
// immutable file says its content, which is most of a preview.
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
