package preview

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// moveLifetime is how long a page may take from one host to the studio, and from there to the next.
	moveLifetime = 2 * time.Minute
	// maxFormer is how many changes of members a former address is known for.
	maxFormer = 32
)

// Move is where a page goes whose address became a former one. Code is what Arrive takes there, ""
// if the code that the page brought is worth nothing: then it arrives as a new visitor.
type Move struct {
	URL  string `json:"url"`
	Code string `json:"code"`
}

// departure is the content of the code of a page that leaves.
type departure struct {
	Audience  Audience  `json:"a"`
	ExpiresAt core.Time `json:"e"`
	Secret    string    `json:"s"`
}

// Leave returns a code with which a page leaves a host whose label was valid until the members of the
// workspace changed, and its project. Any other label has core.CodeNotFound: that of a present
// address, and those of before the preview was stopped, or its project's visibility or workspace
// changed. The code is a right to nothing: only Move takes it, once, within 2 minutes.
func (s *Service) Leave(ctx context.Context, label string) (core.ID, string, error) {
	visit, err := s.addresses.formerly(ctx, label)
	if err != nil {
		return "", "", err
	}
	said, err := json.Marshal(departure{visit.Audience, core.At(s.deps.Now()).Add(moveLifetime), core.NewSecret()})
	if err != nil {
		return "", "", core.Wrap(core.CodeInternal, err, "a code cannot be encoded")
	}
	sealed, err := s.deps.Sealer.Seal(said, departurePlace(visit.Project))
	return visit.Project, base64.RawURLEncoding.EncodeToString(sealed), err
}

// Move returns the address of a preview for a caller whose page left a former address, and a code
// with which the page arrives there, once, within 2 minutes. The code of another project or audience,
// an old one, and one that was used before give none. Errors are those of Start: people who may not
// see the preview learn no address.
func (s *Service) Move(ctx context.Context, by core.Actor, project core.ID, code string) (Move, error) {
	status, err := s.Start(ctx, by, project)
	if err != nil {
		return Move{}, err
	}
	move := Move{URL: status.URL}
	left, valid := s.departureOf(project, code)
	if !valid {
		return move, nil
	}
	if own, err := s.addresses.url(ctx, project, left.Audience); err != nil || own != status.URL {
		return move, err
	}
	secret := core.NewSecret()
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		used := core.Ticket{Kind: core.TicketPreviewLeft, Hash: core.HashSecret(left.Secret), UserID: by.UserID, ExpiresAt: left.ExpiresAt}
		if err := tables.Tickets.Create(ctx, used); err != nil {
			return err
		}
		return tables.Tickets.Create(ctx, core.Ticket{
			Kind: core.TicketPreviewArrival, Hash: arrivalHash(labelOf(status.URL), secret), UserID: by.UserID,
			ExpiresAt: core.At(s.deps.Now()).Add(moveLifetime),
		})
	})
	if core.IsCode(err, core.CodeConflict) {
		return move, nil
	}
	move.Code = secret
	return move, err
}

// Arrive lets a page with a code of Move take over what it kept at its former address. A code that was
// used, is too old, or is for another label has core.CodeInvalidToken.
func (s *Service) Arrive(ctx context.Context, label, code string) error {
	taken, err := s.deps.Store.Tables().Tickets.Take(ctx, core.TicketPreviewArrival, arrivalHash(strings.ToLower(label), code))
	if core.IsCode(err, core.CodeNotFound) || err == nil && taken.ExpiresAt <= core.At(s.deps.Now()) {
		return core.Errorf(core.CodeInvalidToken, "this link has expired or was already used")
	}
	return err
}

// departureOf returns what a code says. The text may be anybody's.
func (s *Service) departureOf(project core.ID, code string) (departure, bool) {
	var left departure
	sealed, err := base64.RawURLEncoding.DecodeString(code)
	if err != nil || code == "" {
		return left, false
	}
	said, err := s.deps.Sealer.Open(sealed, departurePlace(project))
	if err != nil || json.Unmarshal(said, &left) != nil {
		return left, false
	}
	return left, left.ExpiresAt > core.At(s.deps.Now())
}

func departurePlace(project core.ID) string { return "preview_departures/" + string(project) }

// arrivalHash binds a code to the host that it is for.
func arrivalHash(label, secret string) string { return core.HashSecret(label + "/" + secret) }

// labelOf returns the first label of the host in a preview's URL.
func labelOf(url string) string {
	_, host, _ := strings.Cut(url, "://")
	label, _, _ := strings.Cut(host, ".")
	return label
}

// formerly returns the project and the audience of a label that was valid until the members changed.
func (a *addresses) formerly(ctx context.Context, label string) (Visit, error) {
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
	present, err := strconv.Atoi(state[membersVersion])
	if err != nil {
		return Visit{}, core.Wrap(core.CodeInternal, err, "a preview has no version")
	}
	for version := present - 1; version >= max(0, present-maxFormer); version-- {
		state[membersVersion] = strconv.Itoa(version)
		for _, audience := range []Audience{AudienceMembers, AudienceGuests} {
			if subtle.ConstantTimeCompare([]byte(label), []byte(a.label(project, audience, state))) == 1 {
				return Visit{Project: project, Audience: audience}, nil
			}
		}
	}
	return Visit{}, core.NotFound("preview")
}
