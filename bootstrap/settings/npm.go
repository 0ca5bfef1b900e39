package settings

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/atelierhq/atelier/adapters/npm"
)

// NPM says where packages come from and how many of them are stored.
type NPM struct {
	Registry npm.Source
	// Scopes are the registries of single scopes, by "@scope".
	Scopes map[string]npm.Source
	// StoreBytes is the maximum size of the package store.
	StoreBytes int64
}

// readNPM reads the settings of the package registries.
func readNPM(r *reader) NPM {
	s := NPM{
		Registry:   npm.Source{URL: r.registry("NPM_REGISTRY", cmp.Or(r.env("NPM_REGISTRY"), npm.DefaultRegistry)), Token: r.registryToken("NPM_TOKEN", r.env("NPM_TOKEN"))},
		Scopes:     make(map[string]npm.Source),
		StoreBytes: r.number("NPM_STORE_BYTES", npm.DefaultMaxBytes, 64<<20, 1<<50),
	}
	for scope, address := range r.scopes("NPM_SCOPES", "@scope=https://registry.example.com, separated by commas") {
		s.Scopes[scope] = npm.Source{URL: r.registry("NPM_SCOPES", address)}
	}
	for scope, token := range r.scopes("NPM_SCOPE_TOKENS", "@scope=token for scopes of NPM_SCOPES, separated by commas") {
		source, known := s.Scopes[scope]
		if !known {
			r.fail("NPM_SCOPE_TOKENS", "", "tokens for scopes of NPM_SCOPES: "+scope+" is not one of them")
		}
		source.Token = r.registryToken("NPM_SCOPE_TOKENS", token)
		s.Scopes[scope] = source
	}
	return s
}

// registry parses the address of a registry, and never quotes it in errors: people put
// passwords into it.
func (r *reader) registry(name, address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" || parsed.User != nil ||
		strings.ContainsAny(address, "?# ") {
		r.fail(name, "", "http or https URLs without user information, query and fragment; NPM_TOKEN and NPM_SCOPE_TOKENS take secrets")
		return ""
	}
	return address
}

// maxTokenBytes exceeds the tokens of any registry.
const maxTokenBytes = 4096

// registryToken accepts characters that are valid in a header, and never quotes the token
// in errors.
func (r *reader) registryToken(name, token string) string {
	bad := strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' })
	if bad || len(token) > maxTokenBytes {
		r.fail(name, "", "a token without spaces")
		return ""
	}
	return token
}

var npmScope = regexp.MustCompile(`^@[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)

// scopes parses a list of @scope=value. Values may be secrets, so errors do not quote
// them.
func (r *reader) scopes(name, want string) map[string]string {
	found := make(map[string]string)
	for part := range strings.FieldsFuncSeq(r.env(name), func(c rune) bool { return c == ',' || c == ' ' }) {
		scope, value, isPair := strings.Cut(part, "=")
		if !isPair || value == "" || !npmScope.MatchString(scope) {
			r.fail(name, "", want)
			return nil
		}
		found[scope] = value
	}
	return found
}
