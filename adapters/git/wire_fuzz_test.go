package git_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// fuzzed is an empty project and its wire.
func fuzzed(f *testing.F) (*git.Wire, core.ID) {
	f.Helper()
	root := f.TempDir()
	repositories, project := newRepositories(f, root), core.NewID()
	if err := newTrees(f, root).Create(f.Context(), project); err != nil {
		f.Fatal(err)
	}
	if err := repositories.Init(f.Context(), project); err != nil {
		f.Fatal(err)
	}
	return git.NewWire(repositories), project
}

// wantKnown wants an error that a client may have caused.
func wantKnown(t *testing.T, err error) {
	t.Helper()
	switch core.CodeOf(err) {
	case "", core.CodeInvalidRequest, core.CodePayloadTooLarge, core.CodeValidationFailed, core.CodeInvalidPath, core.CodePathTraversal, core.CodeConflict, core.CodeNotFound:
	default:
		t.Errorf("got %v, want a mistake of the client's", err)
	}
}

func FuzzReceive(f *testing.F) {
	wire, project := fuzzed(f)
	const zero = "0000000000000000000000000000000000000000"
	command := zero + " 1111111111111111111111111111111111111111 refs/heads/main\x00 report-status side-band-64k"
	f.Add([]byte(fmt.Sprintf("%04x%s0000PACK\x00\x00\x00\x02\x00\x00\x00\x00", len(command)+4, command)))
	f.Add([]byte(fmt.Sprintf("%04x%s0000PACK\x00\x00\x00\x02\x00\x00\x00\x01\x31x\x9c\xab\x00\x00", len(command)+4, command)))
	f.Add([]byte("0000"))
	f.Fuzz(func(t *testing.T, request []byte) {
		push, err := wire.Receive(t.Context(), project, bytes.NewReader(request), vcs.Limits{PackBytes: 1 << 16, FileBytes: 1 << 12})
		wantKnown(t, err)
		if err != nil {
			return
		}
		_, refused := push.Arrival()
		wantKnown(t, refused)
		if err := push.Report(io.Discard, refused); err != nil {
			t.Error(err)
		}
		if err := push.Close(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzUpload(f *testing.F) {
	wire, project := fuzzed(f)
	f.Add("0032want 1111111111111111111111111111111111111111\n00000009done\n")
	f.Add("000ddeepen 1\n0000")
	f.Add("0000")
	f.Fuzz(func(t *testing.T, request string) {
		wantKnown(t, wire.Upload(t.Context(), project, strings.NewReader(request), io.Discard))
	})
}
