package domains

import (
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Rules say which names may be claimed, and where they must point.
type Rules struct {
	// AppDomain is the name below which sites are published, without a port.
	AppDomain string
	// Own are the service's own names, without ports: neither they nor anything below
	// them can be claimed. "" reserves nothing.
	Own []string
	// ToASCII converts an internationalised name to its ASCII form in DNS (RFC 5891),
	// and fails for one that nobody may register.
	ToASCII func(name string) (string, error)
	// IsPublicSuffix reports whether anybody may register names below a name, such as
	// com or co.uk.
	IsPublicSuffix func(name string) bool
}

// parse returns the canonical spelling of a name that may be claimed. The error has
// code core.CodeValidationFailed.
func (r Rules) parse(text string) (string, error) {
	name := text
	if strings.ContainsFunc(text, func(c rune) bool { return c >= 0x80 }) {
		ascii, err := r.ToASCII(text)
		if err != nil {
			return "", badSpelling()
		}
		name = ascii
	}
	name, err := core.ParseDomain(name)
	if err != nil {
		return "", err
	}
	if strings.Contains(name, "xn--") {
		if ascii, err := r.ToASCII(name); err != nil || ascii != name {
			return "", badSpelling()
		}
	}
	if r.IsPublicSuffix(name) {
		return "", core.Errorf(core.CodeValidationFailed, "domain must be a name that one person can own: anybody may register names below %s", name)
	}
	for _, own := range r.Own {
		if core.DomainWithin(name, own) {
			return "", core.Errorf(core.CodeValidationFailed, "domain must be a name of your own: %s is this service's", own)
		}
	}
	return name, nil
}

func badSpelling() error {
	return core.Errorf(core.CodeValidationFailed, "domain must be a name that can be registered: its international characters are not allowed")
}

// target is the name of a project's site: its current one, else the one that it would
// be published under.
func (r Rules) target(project core.Project) string {
	slug := project.Slug
	if project.PublishedSlug != nil {
		slug = *project.PublishedSlug
	}
	return slug + "." + r.AppDomain
}
