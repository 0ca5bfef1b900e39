package programs

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// CodeLifetime is how long a code works.
	CodeLifetime = time.Minute
	// maxStateBytes bounds what a program gets back unread.
	maxStateBytes = 2048
)

// isChallenge matches a SHA-256 in base64url.
var isChallenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Request is that of a program which sends a person: the parameters of an authorisation request.
type Request struct {
	ResponseType    string
	ClientID        string
	Redirect        string
	Challenge       string
	ChallengeMethod string
	Resource        string
	Scope           string
	State           string
}

// Question is the one for a person.
type Question struct {
	// Name is the program's own; Host is the host that vouches for it, "" for a program
	// that registered itself.
	Name string `json:"name"`
	Host string `json:"host"`
	// ReturnsTo is the host to which the answer goes, "" for a program on the person's computer.
	ReturnsTo string       `json:"returnsTo"`
	Scopes    []core.Scope `json:"scopes"`
	// Email is the person's account, Workspaces the names of those that the program would reach.
	Email      string   `json:"email"`
	Workspaces []string `json:"workspaces"`
}

// checkedRequest is a request that was checked.
type checkedRequest struct {
	Request
	client Client
	back   *url.URL
	scopes []core.Scope
}

// check finds the program of a request, and refuses what is not as it must be with
// core.CodeValidationFailed or core.CodeForbiddenAddress.
func (s *Service) check(ctx context.Context, r Request) (checkedRequest, error) {
	client, err := s.client(ctx, r.ClientID)
	if err != nil {
		return checkedRequest{}, err
	}
	back, err := returnsTo(client.redirects, r.Redirect)
	if err != nil {
		return checkedRequest{}, err
	}
	a := checkedRequest{Request: r, client: client, back: back}
	switch {
	case r.ResponseType != "code":
		return checkedRequest{}, core.Errorf(core.CodeValidationFailed, "response_type must be code")
	case r.ChallengeMethod != "S256" || !isChallenge.MatchString(r.Challenge):
		return checkedRequest{}, core.Errorf(core.CodeValidationFailed, "code_challenge must be a SHA-256 in base64url, and code_challenge_method S256")
	case r.Resource != s.Resource():
		return checkedRequest{}, core.Errorf(core.CodeValidationFailed, "resource must be %s", s.Resource())
	case len(r.State) > maxStateBytes:
		return checkedRequest{}, core.Errorf(core.CodeValidationFailed, "state has more than %d bytes", maxStateBytes)
	}
	a.scopes, err = scopesOf(r.Scope)
	return a, err
}

// scopesOf returns the scopes among the words of a request, all if it has none.
func scopesOf(text string) ([]core.Scope, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return core.Scopes(), nil
	}
	known := slices.DeleteFunc(words, func(word string) bool { return !slices.Contains(core.Scopes(), core.Scope(word)) })
	return core.ParseScopes(known)
}

// Ask returns what a person is asked. It returns core.CodeValidationFailed or
// core.CodeForbiddenAddress for a request that is not as it must be, and
// core.CodeInsufficientScope to a caller with a token.
func (s *Service) Ask(ctx context.Context, by core.Actor, r Request) (Question, error) {
	if err := ownAccount(by); err != nil {
		return Question{}, err
	}
	a, err := s.check(ctx, r)
	if err != nil {
		return Question{}, err
	}
	user, workspaces, err := s.Store.Tables().Users.WithWorkspaces(ctx, by.UserID)
	if err != nil {
		return Question{}, err
	}
	question := Question{Name: a.client.Name, Host: a.client.Host, Scopes: a.scopes, Email: user.Email, Workspaces: []string{}}
	if a.back.Scheme == "https" {
		question.ReturnsTo = a.back.Host
	}
	for _, workspace := range workspaces {
		question.Workspaces = append(question.Workspaces, workspace.Name)
	}
	return question, nil
}

// Deny returns the address at which the program learns that the person does not agree. It fails as
// Ask does.
func (s *Service) Deny(ctx context.Context, by core.Actor, r Request) (string, error) {
	if err := ownAccount(by); err != nil {
		return "", err
	}
	a, err := s.check(ctx, r)
	if err != nil {
		return "", err
	}
	return s.answer(a, url.Values{"error": {"access_denied"}}), nil
}

// Allow lets the program have the scopes, some of those that it asked for, and returns the address
// at which it gets its code. It fails as Ask does, and returns the codes of
// core.Actor.CheckPolicies and access.CheckNewKey, core.CodeConflict beyond MaxPrograms, and
// core.CodeUnauthenticated for a session that has ended.
func (s *Service) Allow(ctx context.Context, by core.Actor, r Request, scopes []string) (string, error) {
	if err := ownAccount(by); err != nil {
		return "", err
	}
	if err := by.CheckPolicies(); err != nil {
		return "", err
	}
	a, err := s.check(ctx, r)
	if err != nil {
		return "", err
	}
	chosen, err := core.ParseScopes(scopes)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(chosen, func(scope core.Scope) bool { return !slices.Contains(a.scopes, scope) }) {
		return "", core.Errorf(core.CodeValidationFailed, "scopes may contain only what the program asks for")
	}
	family := core.NewSecret()
	code := codePrefix + family + core.NewSecret()
	now := core.At(s.Now())
	grant := core.ProgramGrant{
		ID: core.NewID(), UserID: by.UserID, SessionID: by.SessionID, CredentialVersion: by.CredentialVersion,
		ClientID: a.client.ID, Name: a.client.Name, Host: a.client.Host, Redirect: r.Redirect, Challenge: r.Challenge, Resource: r.Resource,
		Scopes: chosen, FamilyHash: core.HashSecret(family), CodeHash: core.HashSecret(code), RefreshHash: core.HashSecret(core.NewSecret()),
		// There is no token yet, and nobody knows this one.
		AccessHash: core.HashSecret(core.NewSecret()), ExpiresAt: now.Add(CodeLifetime), CreatedAt: now,
	}
	if err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error { return s.allow(ctx, tables, by, grant) }); err != nil {
		return "", err
	}
	s.Mails.Wake()
	return s.answer(a, url.Values{"code": {code}}), nil
}

// allow stores a grant, and tells the person.
func (s *Service) allow(ctx context.Context, tables storage.Tables, by core.Actor, grant core.ProgramGrant) error {
	if err := checkSession(ctx, tables, grant); err != nil {
		return err
	}
	if err := access.CheckNewKey(ctx, tables, by); err != nil {
		return err
	}
	if err := tables.ProgramGrants.Prune(ctx, grant.CreatedAt); err != nil {
		return err
	}
	existing, err := tables.ProgramGrants.List(ctx, by.UserID)
	if err != nil {
		return err
	}
	if len(existing) >= MaxPrograms {
		return core.Errorf(core.CodeConflict, "an account can have at most %d connected programs: disconnect one first", MaxPrograms)
	}
	if err := tables.ProgramGrants.Create(ctx, grant); err != nil {
		return err
	}
	if !isDocument(grant.ClientID) {
		err := tables.ProgramClients.Use(ctx, core.ID(grant.ClientID), grant.CreatedAt)
		if err != nil {
			return err
		}
	}
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return err
	}
	notice := mailer.Notice{Kind: mailer.NoticeProgramConnected, Device: by.Agent, Address: by.IP, Name: grant.Name}
	if err := s.Mails.Notify(ctx, tables, user, notice); err != nil {
		return err
	}
	return s.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditProgramConnected, inWords(grant))
}

// answer is the address at which the program gets an answer, with the state that it sent and who
// answers (RFC 9207).
func (s *Service) answer(a checkedRequest, values url.Values) string {
	values.Set("iss", s.Issuer())
	if a.State != "" {
		values.Set("state", a.State)
	}
	return withQuery(a.back, values)
}

// checkSession returns core.CodeUnauthenticated if the session in which a person agreed has ended.
func checkSession(ctx context.Context, tables storage.Tables, grant core.ProgramGrant) error {
	standing, err := tables.Sessions.Standing(ctx, grant.UserID, grant.SessionID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	if err != nil || standing.CredentialVersion != grant.CredentialVersion || grant.SessionID != "" && !standing.Open {
		return core.Errorf(core.CodeUnauthenticated, "the session has ended: sign in again")
	}
	return nil
}
