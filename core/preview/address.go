package preview

import (
	"context"
	"crypto/subtle"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Label sizes, in characters: a project id, a hyphen and a token fill a DNS label
// to its limit exactly.
const (
	idChars    = 36
	tokenChars = 26
	labelChars = idChars + 1 + tokenChars
)

// Resolve returns the project whose preview lives under the label of a host name,
// in any case. The label is the key to the preview: whoever has it may look. It
// changes with the project's visibility and workspace and with the workspace's
// members, so it is checked at every request. Any other label, and that of a
// soft-deleted project, has code core.CodeNotFound.
func (s *Service) Resolve(ctx context.Context, label string) (core.ID, error) {
	label = strings.ToLower(label)
	if len(label) != labelChars || label[idChars] != '-' {
		return "", core.NotFound("preview")
	}
	project, err := core.ParseID(label[:idChars])
	if err != nil {
		return "", err
	}
	want, err := s.label(ctx, project)
	if err != nil {
		return "", err
	}
	if subtle.ConstantTimeCompare([]byte(label), []byte(want)) != 1 {
		return "", core.NotFound("preview")
	}
	return project, nil
}

// address returns the URL of a project's preview.
func (s *Service) address(ctx context.Context, project core.ID) (string, error) {
	label, err := s.label(ctx, project)
	if err != nil {
		return "", err
	}
	return s.settings.Scheme + "://" + label + "." + s.settings.Domain, nil
}

// label returns the first label of a preview's host name.
func (s *Service) label(ctx context.Context, id core.ID) (string, error) {
	tables := s.ports.Store.Tables()
	project, err := tables.Projects.ByID(ctx, id)
	if err != nil {
		return "", err
	}
	if project.DeletedAt != nil {
		return "", core.NotFound("project")
	}
	workspace, err := tables.Workspaces.ByID(ctx, project.WorkspaceID)
	if err != nil {
		return "", err
	}
	token := s.ports.Sealer.Token("preview", string(id), string(project.Visibility),
		string(workspace.ID), strconv.Itoa(workspace.MembersVersion))
	return string(id) + "-" + token, nil
}
