package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/revlist"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// mostHaves bounds how many of its commits the folder names to the service.
const mostHaves = 256

// packWindow is among how many objects a delta is looked for.
const packWindow = 10

// Service is how the service is called: an API token or an access token, through a client that
// follows no redirect. It implements the transport of go-git, whose global table of protocols
// is not used.
type Service struct {
	Bearer string
	Client *http.Client
}

func (r Service) transport(origin Origin) (transport.Transport, *transport.Endpoint, transport.AuthMethod, error) {
	at, err := transport.NewEndpoint(origin.address())
	return githttp.NewClient(r.Client), at, &githttp.TokenAuth{Token: r.Bearer}, err
}

// fetch brings the project's versions into the folder and returns the newest.
func (f *Folder) fetch(ctx context.Context, from Service) (plumbing.Hash, error) {
	client, at, auth, err := from.transport(f.Origin)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	session, err := client.NewUploadPackSession(at, auth)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer session.Close()
	refs, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	tip, there := refs.References[branch.String()]
	if !there {
		return plumbing.ZeroHash, errors.New("the project has no version yet")
	}
	if f.store.HasEncodedObject(tip) != nil {
		if err := f.download(ctx, session, refs, tip); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	return tip, f.store.SetReference(plumbing.NewHashReference(remoteBranch, tip))
}

func (f *Folder) download(ctx context.Context, session transport.UploadPackSession, refs *packp.AdvRefs, tip plumbing.Hash) (err error) {
	request := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	request.Wants = []plumbing.Hash{tip}
	if request.Haves, err = f.haves(); err != nil {
		return err
	}
	if refs.Capabilities.Supports(capability.Sideband64k) {
		_ = request.Capabilities.Set(capability.Sideband64k)
	}
	answer, err := session.UploadPack(ctx, request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Close()) }()
	var pack io.Reader = answer
	if request.Capabilities.Supports(capability.Sideband64k) {
		pack = sideband.NewDemuxer(sideband.Sideband64k, answer)
	}
	return packfile.UpdateObjectStorage(f.store, pack)
}

// haves are commits that the folder has, the newest first.
func (f repository) haves() ([]plumbing.Hash, error) {
	var found []plumbing.Hash
	seen := map[plumbing.Hash]bool{}
	for _, name := range []plumbing.ReferenceName{remoteBranch, branch} {
		ref, err := f.store.Reference(name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		commit, err := object.GetCommit(f.store, ref.Hash())
		if err != nil {
			return nil, err
		}
		limit := len(found) + mostHaves
		err = object.NewCommitIterBSF(commit, seen, nil).ForEach(func(c *object.Commit) error {
			found, seen[c.Hash] = append(found, c.Hash), true
			if len(found) >= limit {
				return storer.ErrStop
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// upload sends a commit, which becomes the newest version in the place of tip.
func (f *Folder) upload(ctx context.Context, to Service, tip, commit plumbing.Hash) error {
	client, at, auth, err := to.transport(f.Origin)
	if err != nil {
		return err
	}
	session, err := client.NewReceivePackSession(at, auth)
	if err != nil {
		return err
	}
	defer session.Close()
	refs, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return err
	}
	if refs.References[branch.String()] != tip {
		return outdated()
	}
	objects, err := revlist.Objects(f.store, []plumbing.Hash{commit}, []plumbing.Hash{tip})
	if err != nil {
		return err
	}
	request := packp.NewReferenceUpdateRequestFromCapabilities(refs.Capabilities)
	request.Commands = []*packp.Command{{Name: branch, Old: tip, New: commit}}
	from, into := io.Pipe()
	request.Packfile = from
	encoded := make(chan error, 1)
	go func() {
		_, err := packfile.NewEncoder(into, f.store, false).Encode(objects, packWindow)
		encoded <- errors.Join(err, into.CloseWithError(err))
	}()
	report, err := session.ReceivePack(ctx, request)
	_ = from.Close()
	if failed := <-encoded; failed != nil && err == nil {
		err = failed
	}
	return refusal(report, err)
}

// StatusOf is the HTTP status of a call that the service refused, 0 for any other error.
func StatusOf(err error) int {
	var told *githttp.Err
	switch {
	case errors.As(err, &told):
		return told.StatusCode()
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return http.StatusUnauthorized
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return http.StatusForbidden
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return http.StatusNotFound
	}
	return 0
}

// refusal turns what the service says of a push into an error.
func refusal(report *packp.ReportStatus, err error) error {
	if report != nil {
		for _, status := range report.CommandStatuses {
			if status.Status == "ok" {
				continue
			}
			if strings.HasPrefix(status.Status, "fetch first") || strings.HasPrefix(status.Status, "non-fast-forward") {
				return outdated()
			}
			return fmt.Errorf("the project does not take this version: %s", status.Status)
		}
	}
	return err
}

// outdated says that a push would not be a fast-forward.
func outdated() error {
	return &Conflict{Message: "the project has changed since you last pulled, so nothing was pushed", Next: "bring its changes here first: atelier pull"}
}
