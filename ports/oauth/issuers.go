package oauth

import "context"

// Issuer is an OpenID provider that people configure at run time, with this service as its client.
type Issuer struct {
	// URL is the issuer's identifier, below which its discovery document is.
	URL                    string
	ClientID, ClientSecret string
	RedirectURI            string
	// Scopes are asked for beside openid, email and profile.
	Scopes []string
	// GroupsClaim is the claim with a person's groups: a name, or a path with dots. "" asks for
	// none.
	GroupsClaim string
}

// Return holds the parameters with which an issuer sends a browser back.
type Return struct {
	Code string
	// Issuer is the parameter iss (RFC 9207), "" without one.
	Issuer string
}

// Statement is an issuer's about a person.
type Statement struct {
	Profile
	// EmailDenied says that the issuer calls the address unverified. If it says nothing about it,
	// neither this nor EmailVerified is set.
	EmailDenied bool
	// Groups are the issuer's names of the groups, in its order, nil without any.
	Groups []string
	// IDToken is the identity token, a hint for SignOutURL.
	IDToken string
}

// ProblemKind names what is wrong with an issuer or its configuration.
type ProblemKind string

// The kinds of problems.
const (
	ProblemForbiddenAddress ProblemKind = "forbidden_address"
	ProblemUnreachable      ProblemKind = "unreachable"
	// ProblemIssuer: the document is another issuer's.
	ProblemIssuer   ProblemKind = "issuer_mismatch"
	ProblemDocument ProblemKind = "invalid_document"
	// ProblemKeys: no key is of a signature that is accepted.
	ProblemKeys ProblemKind = "no_usable_key"
	// ProblemClient: the issuer refuses the client's id or secret.
	ProblemClient ProblemKind = "client_refused"
	// ProblemScopes: the issuer does not offer a scope that is asked for.
	ProblemScopes ProblemKind = "scope_not_offered"
	// ProblemSignOut: the issuer offers no sign-out.
	ProblemSignOut ProblemKind = "no_sign_out"
)

// Problem is something that is wrong with an issuer or its configuration.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	// Detail says more in English, for people who know the protocol. It may be "".
	Detail string `json:"detail"`
	// Blocks says that nobody can sign in.
	Blocks bool `json:"blocks"`
}

// Issuers signs people in at OpenID providers that are known only at run time. Every address,
// those of discovery documents included, goes through the guard of addresses from users.
type Issuers interface {
	// AuthorizeURL is like Identifier.AuthorizeURL.
	AuthorizeURL(ctx context.Context, issuer Issuer, attempt Attempt) (string, error)
	// Identify is like Identifier.Identify. It accepts RS256, ES256 and EdDSA. An issuer that
	// leaves out a person's groups because there are too many has core.CodeTooManyGroups.
	Identify(ctx context.Context, issuer Issuer, attempt Attempt, back Return) (Statement, error)
	// SignOutURL returns the address at which a browser ends its session at the issuer and then
	// goes to returnTo; "" if the issuer has none. hint is Statement.IDToken or "".
	SignOutURL(ctx context.Context, issuer Issuer, hint, returnTo string) (string, error)
	// Test looks for problems without a person: it reads the discovery document and the keys anew,
	// and offers a code that nobody gave and a token to revoke that nobody has, which issuers refuse
	// with the client if they do not know it.
	Test(ctx context.Context, issuer Issuer) []Problem
}
