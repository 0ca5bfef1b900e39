package preview

import (
	"context"
	"crypto/subtle"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Label sizes, in characters: a project id, a hyphen and a token fill a DNS label
// to its limit exactly.
const (
	idChars    = 36
	tokenChars = 26
	labelChars = idChars + 1 + tokenChars
)

// Audience is the group of people who get an address of a preview. Each audience has
// its own, so that the service knows for whom it shows a page.
type Audience string

// The audiences of previews: members of the project's workspace, and guests, who are
// readers of a public project and the camera of thumbnails.
const (
	AudienceMembers Audience = "members"
	AudienceGuests  Audience = "guests"
	// AudienceRehearsal is the service's browser, for as long as it plays something.
	AudienceRehearsal Audience = "rehearsal"
)

// Visit is the result of resolving a label of a host name.
type Visit struct {
	Project  core.ID
	Audience Audience
	// Copy is the copy of test data that the pages get (backend.Place). It is empty unless the
	// audience is AudienceRehearsal.
	Copy core.ID
}

// addresses are the addresses of previews: host names whose first label is a key.
type addresses struct {
	store  storage.Store
	sealer identity.Sealer
	// scheme is "http" or "https"; domain may have a port.
	scheme, domain string
	rehearsals     *rehearsals
}

// Resolve returns the project and the audience of a preview's host name label, in upper
// or lower case. The label is a key: a client that has it may see the preview. It
// changes permanently with the project's visibility and workspace, with the workspace's
// members and when somebody stops the preview, so it is checked at every request. Any
// other label, and that of a soft-deleted project, has code core.CodeNotFound.
func (s *Service) Resolve(ctx context.Context, label string) (Visit, error) {
	return s.addresses.resolve(ctx, label)
}

func (a *addresses) resolve(ctx context.Context, label string) (Visit, error) {
	label = strings.ToLower(label)
	if len(label) != labelChars || label[idChars] != '-' {
		return Visit{}, core.NotFound("preview")
	}
	project, err := core.ParseID(label[:idChars])
	if err != nil {
		return Visit{}, err
	}
	state, err := a.stateOf(ctx, project)
	if err != nil {
		return Visit{}, err
	}
	if visit, found := a.rehearsals.at(label); found {
		return visit, nil
	}
	for _, audience := range []Audience{AudienceMembers, AudienceGuests} {
		if subtle.ConstantTimeCompare([]byte(label), []byte(a.label(project, audience, state))) == 1 {
			return Visit{Project: project, Audience: audience}, nil
		}
	}
	return Visit{}, core.NotFound("preview")
}

// url returns the URL of a project's preview for an audience.
func (a *addresses) url(ctx context.Context, project core.ID, audience Audience) (string, error) {
	state, err := a.stateOf(ctx, project)
	if err != nil {
		return "", err
	}
	return a.scheme + "://" + a.label(project, audience, state) + "." + a.domain, nil
}

// membersVersion is the index of the members' version in the state.
const membersVersion = 2

// stateOf returns the state that the labels of a project's preview depend on.
func (a *addresses) stateOf(ctx context.Context, id core.ID) ([]string, error) {
	tables := a.store.Tables()
	project, err := tables.Projects.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if project.DeletedAt != nil {
		return nil, core.NotFound("project")
	}
	workspace, err := tables.Workspaces.ByID(ctx, project.WorkspaceID)
	if err != nil {
		return nil, err
	}
	return []string{
		string(project.Visibility), string(workspace.ID), strconv.Itoa(workspace.MembersVersion), strconv.Itoa(project.PreviewVersion),
	}, nil
}

// label returns the first label of a preview's host name.
func (a *addresses) label(project core.ID, audience Audience, state []string) string {
	parts := append([]string{"preview", string(project), string(audience)}, state...)
	return string(project) + "-" + a.sealer.Token(parts...)
}
