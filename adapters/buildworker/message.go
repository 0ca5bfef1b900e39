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

// errand is what a worker is asked to do.
type errand string

const (
	errandBuild errand = "build"
	errandCheck errand = "check"
	errandPatch errand = "patch"
	errandTry   errand = "try"
)

// call is the head of frameCall. The source of a check or a patch follows it, or what
// a build knows ahead of its project.
type call struct {
	Errand errand
	// CPU is how much processor time the worker may take before it ends itself.
	CPU time.Duration
	// Request is that of a build. Its Files stay with the service.
	Request build.Request
	// Name is that of a source, Patches are what is to be done to it.
	Name    string
	Patches []markup.Patch
}

// outcome is the head of frameOutcome; the fingerprints of the files follow it, in
// their order.
type outcome struct {
	// Result is that of a build. Its files have no content yet.
	Result build.Result
	// Found are what a check found, Edits what a patch changes.
	Found []core.Diagnostic
	Edits []markup.Edit
	// Open is what a worker could do of what it is kept from.
	Open []string
	// Failure is the error, nil for none.
	Failure *failure
	// Heavy says that the worker holds much memory and is better replaced.
	Heavy bool
}

// failure is an error on its way.
type failure struct {
	Error core.Error
	// Cause is the text of the error's cause.
	Cause string
	// Ended says that the caller's context ended, Uncoded that the error had no code
	// and is Cause alone.
	Ended, Uncoded bool
}

// failureOf turns an error into what can travel.
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
	f.Error.Cause = nil
	return f
}

// err is the error that travelled.
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
	if f.Cause != "" {
		known.Cause = errors.New(f.Cause)
	}
	return &known
}

// fingerprint tells contents apart.
type fingerprint struct {
	sum  [sha256.Size]byte
	size int64
}

// fingerprintBytes is how long a fingerprint is on its way.
const fingerprintBytes = sha256.Size + 8

func fingerprintOf(content []byte) fingerprint {
	return fingerprint{sha256.Sum256(content), int64(len(content))}
}

func (f fingerprint) appendTo(text []byte) []byte {
	return binary.BigEndian.AppendUint64(append(text, f.sum[:]...), uint64(f.size))
}

// readFingerprints reads those of count files, which together have at most
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
