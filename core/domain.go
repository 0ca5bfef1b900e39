package core

import (
	"net/netip"
	"strings"
)

// DomainStatus says how far a claim of a domain has come.
type DomainStatus string

// The states of a claim (contract, section 4).
const (
	// DomainPendingDNS: the name does not point here.
	DomainPendingDNS DomainStatus = "pending_dns"
	// DomainPendingVerification: the name points here, but no TXT record proves that
	// whoever claims it owns it.
	DomainPendingVerification DomainStatus = "pending_verification"
	// DomainActive: the name leads to the project's site. Of all claims of a name one
	// is active at most; a project may have several active ones, of which one is primary
	// (Project.CustomDomain) and the others redirect to it.
	DomainActive DomainStatus = "active"
	// DomainError: the claim cannot become active, or no longer is, until somebody
	// does what the message says.
	DomainError DomainStatus = "error"
)

// Domain is a project's claim of a name. Any number of projects may claim a name;
// the first that proves to own it holds it.
type Domain struct {
	ID        ID           `json:"id"`
	ProjectID ID           `json:"projectId"`
	Name      string       `json:"domain"`
	Status    DomainStatus `json:"status"`
	// Message says what to do next, or what went wrong; "" while all is well.
	Message   string `json:"message"`
	CreatedAt Time   `json:"createdAt"`
	// CheckedAt is when the name was last looked at, nil before the first time.
	CheckedAt *Time `json:"checkedAt"`
	// VerifiedAt is when the claim last became active, nil when it never was.
	VerifiedAt *Time `json:"verifiedAt"`
	// Checks is what DNS said then, nil before the first time.
	Checks *DomainChecks `json:"checks"`

	// Token is the random part of the TXT record, of this claim alone.
	Token string `json:"-"`
	// CheckAt is when the name is looked at next.
	CheckAt Time `json:"-"`
	// Attempts counts the checks since the status changed that found something
	// missing.
	Attempts int `json:"-"`
	// FailingSince is when an active claim was first found without what made it
	// active, nil while it has all of it.
	FailingSince *Time `json:"-"`
}

// DomainChecks is what DNS says of the records that a claim needs.
type DomainChecks struct {
	// Pointing is where the name leads, Proof its TXT record.
	Pointing DomainCheck `json:"pointing"`
	Proof    DomainCheck `json:"proof"`
	// LeadsTo are the addresses that the name leads to, Addresses those that it may
	// lead to, a few of each.
	LeadsTo   []string `json:"leadsTo"`
	Addresses []string `json:"addresses"`
}

// DomainCheck is what was found of a record.
type DomainCheck string

// The findings. Unknown: no name server could be asked.
const (
	DomainCheckPresent DomainCheck = "present"
	DomainCheckMissing DomainCheck = "missing"
	DomainCheckUnknown DomainCheck = "unknown"
)

const (
	// MaxDomains is how many claims a project may have at a time.
	MaxDomains = 20
	// domainProofLabel stands before a name to make that of its TXT record, and
	// domainProofPrefix before the token in the record.
	domainProofLabel  = "_atelier-verify."
	domainProofPrefix = "atelier-verify="
	// MaxDomainChars is the longest name that can be claimed, in characters.
	MaxDomainChars = maxHostChars - len(domainProofLabel)
)

// ProofName is the name of the TXT record that proves who owns the domain.
func (d Domain) ProofName() string { return domainProofLabel + d.Name }

// ProofValue is what the record must say. No other claim, of whatever project,
// asks for the same.
func (d Domain) ProofValue() string { return domainProofPrefix + d.Token }

// Holds reports whether the claim keeps the name from all others.
func (d Domain) Holds() bool { return d.Status == DomainActive }

// ParseDomain returns the one spelling of a host name that is written in ASCII:
// lower case, without the dot that may end it. It takes names of two labels or
// more, each of letters, digits and inner hyphens, whose last begins with a letter;
// so it takes no IP address in any spelling, no wildcard, no port and no URL. Names
// that never lead to a machine on the internet, such as those below localhost, are
// refused. Whether a label that begins with xn-- is good Unicode is the caller's to
// see. The error has code CodeValidationFailed.
func ParseDomain(text string) (string, error) {
	name := asciiLower(strings.TrimSuffix(text, "."))
	switch {
	case strings.Contains(name, "://") || strings.ContainsAny(name, "/@?#"):
		return "", badDomain("must be a name such as shop.example.com, not an address with a scheme or a path")
	case strings.HasPrefix(name, "*."):
		return "", badDomain("must be one name, not a wildcard")
	case isIPAddress(name):
		return "", badDomain("must be a name, not an IP address")
	case strings.Contains(name, ":"):
		return "", badDomain("must be a name without a port")
	case len(name) > MaxDomainChars:
		return "", badDomain("must have at most %d characters", MaxDomainChars)
	case !strings.Contains(name, "."):
		return "", badDomain("must have a dot, as shop.example.com has")
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if !isHostLabel(label) {
			return "", badDomain("must consist of labels of 1 to %d letters, digits and inner hyphens", maxLabelChars)
		}
		last = label
	}
	if last[0] < 'a' || len(last) < 2 {
		return "", badDomain("must end in a top-level domain, as shop.example.com does")
	}
	if isSpecialUse(last) {
		return "", badDomain("must be a name that leads to a machine on the internet, which none below %q does", last)
	}
	return name, nil
}

func badDomain(format string, args ...any) *Error {
	return Errorf(CodeValidationFailed, "domain "+format, args...)
}

// asciiLower leaves all but A to Z as it is: what Unicode counts as the lower case
// of another letter may be in ASCII.
func asciiLower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func isIPAddress(name string) bool {
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	_, withPort := netip.ParseAddrPort(name)
	return err == nil || withPort == nil
}

func isHostLabel(label string) bool {
	if label == "" || len(label) > maxLabelChars || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for i := range len(label) {
		c := label[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// isSpecialUse reports top-level domains that DNS does not have (RFC 6761, RFC
// 6762, RFC 7686) or that are for its own records.
func isSpecialUse(last string) bool {
	switch last {
	case "localhost", "local", "invalid", "onion", "alt", "arpa":
		return true
	}
	return false
}

// DomainWithin reports whether a name is the domain or lies below it. Both are as
// ParseDomain returns them, but that the domain may be a single label or "", which
// nothing lies within.
func DomainWithin(name, domain string) bool {
	return domain != "" && (name == domain || strings.HasSuffix(name, "."+domain))
}
