package core

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// CompanyProvider is an OpenID Connect provider with which the people of a company sign in, as an
// admin of the installation configured it. Its client secret is sealed and
// never shown.
type CompanyProvider struct {
	ID ID `json:"id"`
	// Slug is in the address of the sign-in, /auth/oidc/<slug>. It never changes.
	Slug string `json:"slug"`
	// Name is shown on the sign-in page.
	Name string `json:"name"`
	// Issuer is compared byte by byte with what the provider says of itself.
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	// Scopes are asked for beside openid, email and profile.
	Scopes []string `json:"scopes"`
	// Domains are those at which the provider is believed about e-mail addresses. With any, nobody
	// with an address elsewhere may sign in with it.
	Domains []string `json:"domains"`
	// GroupsClaim is the claim that holds a person's groups: a name, or a path with dots.
	GroupsClaim string         `json:"groupsClaim"`
	Mappings    []GroupMapping `json:"mappings"`
	// Only refuses every other way to sign in to people with an address at one of Domains.
	Only      bool `json:"only"`
	CreatedAt Time `json:"createdAt"`
	UpdatedAt Time `json:"updatedAt"`

	SealedSecret []byte `json:"-"`
}

// GroupMapping gives the members of a group at a provider a role in a workspace.
type GroupMapping struct {
	Group       string `json:"group"`
	WorkspaceID ID     `json:"workspaceId"`
	Role        Role   `json:"role"`
}

// GroupGrant is a role that a mapping gave to a person, so that it can be withdrawn.
type GroupGrant struct {
	ProviderID  ID
	WorkspaceID ID
	UserID      ID
	Role        Role
	// Before is the role that the person had by themselves, RoleNone for nobody's member.
	Before    Role
	CreatedAt Time
}

// Limits of company providers.
const (
	// MaxCompanyProviders bounds those of the installation.
	MaxCompanyProviders  = 50
	MaxCompanySlugChars  = 40
	MaxCompanyNameChars  = 100
	MaxIssuerBytes       = 1024
	MaxExtraScopes       = 20
	MaxScopeBytes        = 200
	MaxGroupMappings     = 500
	MaxGroupChars        = 256
	MaxGroupsClaimChars  = 200
	DefaultGroupsClaim   = "groups"
	companyIdentityStart = "oidc:"
)

// Identity is the name of the provider in identities, in the audit log and in core.Ticket.Proof.
func (p CompanyProvider) Identity() IdentityProvider {
	return IdentityProvider(companyIdentityStart + p.Slug)
}

// CompanySlug returns the slug of the company provider that an identity is of, "" for another
// provider.
func (p IdentityProvider) CompanySlug() string {
	slug, is := strings.CutPrefix(string(p), companyIdentityStart)
	if !is {
		return ""
	}
	return slug
}

// Serves reports whether a normal address is at one of the provider's domains.
func (p CompanyProvider) Serves(email string) bool {
	return slices.Contains(p.Domains, EmailDomain(email))
}

// RolesOf returns the highest role that the mappings give the members of some groups, for each
// workspace. A slash at the beginning of a group's name, which Keycloak writes, counts for nothing.
func (p CompanyProvider) RolesOf(groups []string) map[ID]Role {
	member := map[string]bool{}
	for _, group := range groups {
		member[bareGroup(group)] = true
	}
	roles := map[ID]Role{}
	for _, mapping := range p.Mappings {
		if member[bareGroup(mapping.Group)] && !roles[mapping.WorkspaceID].AtLeast(mapping.Role) {
			roles[mapping.WorkspaceID] = mapping.Role
		}
	}
	return roles
}

func bareGroup(name string) string { return strings.TrimPrefix(name, "/") }

var companySlug = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// Check returns CodeValidationFailed with the first field that breaks a rule. Which addresses may be
// reached, and which workspaces there are, is not its concern.
func (p CompanyProvider) Check() error {
	switch {
	case len(p.Slug) > MaxCompanySlugChars || !companySlug.MatchString(p.Slug):
		return Errorf(CodeValidationFailed, "slug must have 1 to %d lower-case letters, digits and dashes between them", MaxCompanySlugChars)
	case !isLine(p.Name, MaxCompanyNameChars) || p.Name == "":
		return Errorf(CodeValidationFailed, "name must be one line of 1 to %d characters", MaxCompanyNameChars)
	case !isIssuer(p.Issuer):
		return Errorf(CodeValidationFailed, "issuer must be an http or https address without query and fragment: copy it from the provider's discovery document")
	case !isLine(p.ClientID, MaxClientIDChars) || p.ClientID == "":
		return Errorf(CodeValidationFailed, "clientId must be one line of 1 to %d characters: copy it from the provider's console", MaxClientIDChars)
	case !isLine(p.GroupsClaim, MaxGroupsClaimChars) || p.GroupsClaim == "":
		return Errorf(CodeValidationFailed, "groupsClaim must be one line of 1 to %d characters", MaxGroupsClaimChars)
	case p.Only && len(p.Domains) == 0:
		return Errorf(CodeValidationFailed, "domains must name a domain while only is set")
	}
	if err := checkScopes(p.Scopes); err != nil {
		return err
	}
	return checkMappings(p.Mappings)
}

func isIssuer(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && isLine(text, MaxIssuerBytes) && len(text) <= MaxIssuerBytes && (parsed.Scheme == "https" || parsed.Scheme == "http") &&
		parsed.Host != "" && parsed.User == nil && !strings.ContainsAny(text, "?# ")
}

func checkScopes(scopes []string) error {
	if len(scopes) > MaxExtraScopes {
		return Errorf(CodeValidationFailed, "scopes may have at most %d words", MaxExtraScopes)
	}
	for _, scope := range scopes {
		odd := strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
		if scope == "" || len(scope) > MaxScopeBytes || odd {
			return Errorf(CodeValidationFailed, "scopes must be words such as groups, of at most %d characters", MaxScopeBytes)
		}
	}
	return nil
}

func checkMappings(mappings []GroupMapping) error {
	if len(mappings) > MaxGroupMappings {
		return Errorf(CodeValidationFailed, "mappings may have at most %d entries", MaxGroupMappings)
	}
	for _, mapping := range mappings {
		if !isLine(mapping.Group, MaxGroupChars) || bareGroup(mapping.Group) == "" {
			return Errorf(CodeValidationFailed, "the group of a mapping must be one line of 1 to %d characters", MaxGroupChars)
		}
		if _, err := ParseRole(string(mapping.Role)); err != nil {
			return err
		}
	}
	return nil
}

// ParseCompanyDomains returns domains in lower case, without duplicates. A name that is no domain has
// code CodeValidationFailed.
func ParseCompanyDomains(names []string) ([]string, error) {
	domains, err := ParseSignupDomains(names)
	if err != nil {
		return nil, Errorf(CodeValidationFailed, "domains must be at most %d domains such as example.com", MaxSignupDomains)
	}
	return domains, nil
}
