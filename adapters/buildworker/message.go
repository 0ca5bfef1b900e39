package buildworker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/markup"
)

// callKind is the kind of a call.
type callKind string

const (
	callBuild callKind = "build"
	callVite  callKind = "vite"
	callCheck callKind = "check"
	callPatch callKind = "patch"
	callTry   callKind = "try"
)

// call is the head of frameCall. It is followed by the source of a check or a patch, or
// by what a build, or a reading of a configuration, is told of its project in advance.
type call struct {
	Kind callKind
	// CPU is how much processor time the worker may use before it ends itself.
	CPU time.Duration
	// Request is set for a build. Its Files stay with the service. Reading a configuration of Vite
	// takes its Env.
	Request build.Request
	// Name is that of a source; Patches will be applied to it.
	Name    string
	Patches []markup.Patch
	// Dialects are those of the patches.
	Dialects []markup.Dialect
}

// outcome is the head of frameOutcome. The fingerprints of the files follow it, in their
// order.
type outcome struct {
	// Result is set after a build. Its files have no content yet.
	Result build.Result
	// Vite is what a configuration says.
	Vite build.ViteConfig
	// Found are the findings of a check, Edits those of a patch.
	Found []core.Diagnostic
	Edits []markup.Edit
	// Open lists forbidden things that a worker could do.
	Open []string
	// Failure is the error, nil if there is none.
	Failure *failure
	// Heavy means that the worker holds much memory and should be replaced.
	Heavy bool
}

// failure is the encoded form of an error.
type failure struct {
	Error core.Error
	// Format and Args are what the message was made of, if all arguments are texts and whole numbers.
	Format string
	Args   []argument
	// Cause is the text of the error's cause.
	Cause string
	// Ended means that the caller's context ended. Uncoded means that the error had no
	// code and consists of Cause alone.
	Ended, Uncoded bool
}

// failureOf encodes an error.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &failure{Ended: true}
	}
	var known *core.Error
	if !errors.As(err, &known) {
		return &failure{Cause: err.Error(), Uncoded: true}
	}
	f := &failure{Error: *known}
	if known.Cause != nil {
		f.Cause = known.Cause.Error()
	}
	f.Format, f.Args = known.Format, argumentsOf(known.Args)
	if len(f.Args) < len(known.Args) {
		f.Format, f.Args = "", nil // It cannot be translated, but arrives as it is.
	}
	f.Error.Cause, f.Error.Format, f.Error.Args, f.Error.Rows = nil, "", nil, nil
	return f
}

// argument is the encoded form of an argument of a message: one of both.
type argument struct {
	Text   string
	Number *int
}

// argumentsOf encodes arguments up to the first that is neither a text nor a whole number.
func argumentsOf(args []any) []argument {
	var encoded []argument
	for _, arg := range args {
		switch arg := arg.(type) {
		case string:
			encoded = append(encoded, argument{Text: arg})
		case int:
			encoded = append(encoded, argument{Number: &arg})
		default:
			return encoded
		}
	}
	return encoded
}

// err decodes the error.
func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Ended:
		return context.Canceled
	case f.Uncoded:
		return errors.New(f.Cause)
	}
	known := f.Error
	known.Format = f.Format
	for _, arg := range f.Args {
		if arg.Number != nil {
			known.Args = append(known.Args, *arg.Number)
		} else {
			known.Args = append(known.Args, arg.Text)
		}
	}
	if f.Cause != "" {
		known.Cause = errors.New(f.Cause)
	}
	return &known
}

// fingerprint identifies a content.
type fingerprint struct {
	sum  [sha256.Size]byte
	size int64
}

// fingerprintBytes is the encoded length of a fingerprint.
const fingerprintBytes = sha256.Size + 8

func fingerprintOf(content []byte) fingerprint {
	return fingerprint{sha256.Sum256(content), int64(len(content))}
}

func (f fingerprint) appendTo(text []byte) []byte {
	return binary.BigEndian.AppendUint64(append(text, f.sum[:]...), uint64(f.size))
}

// readFingerprints decodes the fingerprints of count files, which together have at most
// maxContentsBytes.
func readFingerprints(text []byte, count int) ([]fingerprint, error) {
	if len(text) != count*fingerprintBytes {
		return nil, errProtocol
	}
	all, total := make([]fingerprint, count), int64(0)
	for i := range all {
		at := text[i*fingerprintBytes:]
		copy(all[i].sum[:], at)
		all[i].size = int64(binary.BigEndian.Uint64(at[sha256.Size:]))
		if all[i].size < 0 || all[i].size > maxContentsBytes-total {
			return nil, errProtocol
		}
		total += all[i].size
	}
	return all, nil
}
