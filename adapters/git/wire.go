package git

import (
	"bufio"
	"context"
	"io"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/pktline"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Wire = (*Wire)(nil)

// Wire is a vcs.Wire over the repositories. It implements the protocol itself because
// go-git's server negotiates without acknowledgements, holds whole packs in memory and
// trusts the sizes that a pack declares.
type Wire struct{ repositories *Repositories }

// NewWire returns the wire of repositories.
func NewWire(repositories *Repositories) *Wire { return &Wire{repositories} }

// Capabilities that the service announces to clients. It announces no version, which is
// the operator's business.
const (
	uploadCapabilities  = "multi_ack_detailed no-done side-band side-band-64k thin-pack ofs-delta shallow no-progress symref=HEAD:" + gitdir.MainRef + " object-format=sha1 agent=atelier"
	receiveCapabilities = "report-status delete-refs side-band-64k quiet ofs-delta object-format=sha1 agent=atelier"
)

// Advertise implements vcs.Wire.
func (w *Wire) Advertise(ctx context.Context, project core.ID, service vcs.Service, to io.Writer) error {
	repo, err := w.repositories.open(ctx, project)
	if err != nil {
		return err
	}
	at, err := repo.dir.Head()
	if err != nil {
		return durable.Fault(err, "repository")
	}
	out := bufio.NewWriter(to)
	if err := advertise(out, service, at.Commit); err != nil {
		return err
	}
	return out.Flush()
}

// advertise writes the two refs that exist: HEAD, for clients that fetch, and main.
func advertise(to io.Writer, service vcs.Service, newest plumbing.Hash) error {
	capabilities, refs := receiveCapabilities, []string{gitdir.MainRef}
	if service == vcs.ServiceUpload {
		capabilities, refs = uploadCapabilities, []string{"HEAD", gitdir.MainRef}
	}
	if newest.IsZero() {
		refs = []string{"capabilities^{}"}
	}
	if err := pktline.WriteLine(to, "# service=%s\n", service); err != nil {
		return err
	}
	if err := pktline.WriteFlush(to); err != nil {
		return err
	}
	for i, ref := range refs {
		tail := ""
		if i == 0 {
			tail = "\x00" + capabilities
		}
		if err := pktline.WriteLine(to, "%s %s%s\n", newest, ref, tail); err != nil {
			return err
		}
	}
	return pktline.WriteFlush(to)
}
