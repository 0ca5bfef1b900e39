package signins

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// Bounds of a sign-in that begins on a preview.
const (
	// returnTime is how long a person may be at a provider.
	returnTime = 10 * time.Minute
	// maxStateBytes bounds a state. PocketBase's client sends 40 characters.
	maxStateBytes = 200
)

// Returns gives the previews of a project one address to which providers send browsers back. It is
// on the service's own host and stays while the project does.
//
// The address is of one project only: a code that a provider of one project gives out never reaches
// the previews of another. A state is sealed when a browser leaves from a preview, so the address
// is of no use to anybody who has not been to one in the last minutes.
type Returns struct {
	sealer identity.Sealer
	app    *url.URL
	now    func() time.Time
}

// NewReturns returns the addresses below the URL of the service.
func NewReturns(sealer identity.Sealer, app *url.URL, now func() time.Time) *Returns {
	return &Returns{sealer, app, now}
}

// Address is the address of a project's previews, to be registered at its providers.
func (r *Returns) Address(project core.ID) string {
	return r.app.Scheme + "://" + r.app.Host + r.pathOf(project)
}

func (r *Returns) pathOf(project core.ID) string {
	return strings.TrimSuffix(r.app.Path, "/") + "/sign-ins/" + string(project) + "/oauth2-redirect"
}

// ProjectAt returns the project whose address has a path. Other paths have core.CodeNotFound.
func (r *Returns) ProjectAt(path string) (core.ID, error) {
	rest, _ := strings.CutSuffix(path, "/oauth2-redirect")
	project, err := core.ParseID(rest[strings.LastIndexByte(rest, '/')+1:])
	if err != nil || r.pathOf(project) != path {
		return "", core.NotFound("address")
	}
	return project, nil
}

// SealState returns the state with which a browser leaves from a project's preview. One that is
// missing or too long has core.CodeValidationFailed.
func (r *Returns) SealState(project core.ID, state string) (string, error) {
	if state == "" || len(state) > maxStateBytes {
		return "", core.Errorf(core.CodeValidationFailed, "the state must be a text of 1 to %d bytes", maxStateBytes)
	}
	until := binary.BigEndian.AppendUint64(nil, uint64(r.now().Add(returnTime).Unix()))
	return r.seal("state", project, string(until)+state)
}

// OpenState returns the state that was sealed. It has core.CodeNotFound if it was sealed for
// another project, too long ago, or not at all.
func (r *Returns) OpenState(project core.ID, sealed string) (string, error) {
	text, err := r.open("state", project, sealed)
	if err != nil {
		return "", err
	}
	until := time.Unix(int64(binary.BigEndian.Uint64([]byte(text[:8]))), 0)
	if r.now().After(until) {
		return "", core.NotFound("state")
	}
	return text[8:], nil
}

// SealTarget returns the address of a project's provider in a form that nobody can change.
func (r *Returns) SealTarget(project core.ID, address string) (string, error) {
	return r.seal("target", project, address)
}

// OpenTarget returns the address that was sealed. Any other text has core.CodeNotFound.
func (r *Returns) OpenTarget(project core.ID, sealed string) (string, error) {
	return r.open("target", project, sealed)
}

func (r *Returns) seal(what string, project core.ID, text string) (string, error) {
	sealed, err := r.sealer.Seal([]byte(text), returnOf(what, project))
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

func (r *Returns) open(what string, project core.ID, sealed string) (string, error) {
	content, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return "", core.NotFound(what)
	}
	text, err := r.sealer.Open(content, returnOf(what, project))
	if err != nil {
		return "", core.NotFound(what)
	}
	return string(text), nil
}

// returnOf binds what is sealed to its use and to a project.
func returnOf(what string, project core.ID) string {
	return "sign_in_returns/" + string(project) + "/" + what
}
