package core

import (
	"net/netip"
	"strings"
)

// DomainStatus is the status of a claim of a domain.
type DomainStatus string

// The states of a claim.
const (
	// DomainPendingDNS: the name does not point here.
	DomainPendingDNS DomainStatus = "pending_dns"
	// DomainPendingVerification: the name points here, but no TXT record proves the
	// claimant's ownership.
	DomainPendingVerification DomainStatus = "pending_verification"
	// DomainActive: the name leads to the project's site. At most one claim of a name is
	// active. A project may have several active ones: one is primary
	// (Project.CustomDomain), and the others redirect to it.
	DomainActive DomainStatus = "active"
	// DomainError: the claim cannot become or stay active until somebody does what the
	// message says.
	DomainError DomainStatus = "error"
)

// Domain is a project's claim of a name. Any number of projects may claim a name; the
// first that proves ownership holds it.
type Domain struct {
	ID        ID           `json:"id"`
	ProjectID ID           `json:"projectId"`
	Name      string       `json:"domain"`
	Status    DomainStatus `json:"status"`
	// Message says what to do next, or what went wrong; "" if nothing is wrong.
	Message   string `json:"message"`
	CreatedAt Time   `json:"createdAt"`
	// CheckedAt is when the name was last checked, nil before the first time.
	CheckedAt *Time `json:"checkedAt"`
	// VerifiedAt is when the claim last became active, nil if it never did.
	VerifiedAt *Time `json:"verifiedAt"`
	// Checks is the result of the last check, nil before the first time.
	Checks *DomainChecks `json:"checks"`

	// Token is the random part of the TXT record, unique to this claim.
	Token string `json:"-"`
	// CheckAt is when the name is checked next.
	CheckAt Time `json:"-"`
	// Attempts counts the checks since the status changed that found something
	// missing.
	Attempts int `json:"-"`
	// FailingSince is when a check of an active claim first failed, nil while its checks
	// succeed.
	FailingSince *Time `json:"-"`
}

// DomainChecks is the state in DNS of the records that a claim needs.
type DomainChecks struct {
	// Pointing is the finding for the name's addresses, Proof that for its TXT record.
	Pointing DomainCheck `json:"pointing"`
	Proof    DomainCheck `json:"proof"`
	// LeadsTo are the addresses that the name leads to, Addresses those that it may
	// lead to, a few of each.
	LeadsTo   []string `json:"leadsTo"`
	Addresses []string `json:"addresses"`
}

// DomainCheck is the finding for a record.
type DomainCheck string

// The findings. Unknown: no name server answered.
const (
	DomainCheckPresent DomainCheck = "present"
	DomainCheckMissing DomainCheck = "missing"
	DomainCheckUnknown DomainCheck = "unknown"
)

const (
	// MaxDomains is how many claims a project may have at a time.
	MaxDomains = 20
	// domainProofLabel plus a name is the name of its TXT record; domainProofPrefix plus
	// the token is the record's value.
	domainProofLabel  = "_atelier-verify."
	domainProofPrefix = "atelier-verify="
	// MaxDomainChars is the longest name that can be claimed, in characters.
	MaxDomainChars = maxHostChars - len(domainProofLabel)
)

// ProofName is the name of the TXT record that proves who owns the domain.
func (d Domain) ProofName() string { return domainProofLabel + d.Name }

// ProofValue is the required value of the record. It is unique to this claim.
func (d Domain) ProofValue() string { return domainProofPrefix + d.Token }

// Holds reports whether the claim keeps the name from all others.
func (d Domain) Holds() bool { return d.Status == DomainActive }

// ParseDomain returns the canonical spelling of an ASCII host name: lower case, without
// a final dot. A name has at least two labels of letters, digits and inner hyphens, and
// its last label begins with a letter. So an IP address in any spelling, a wildcard, a
// port or a URL is refused, and so are names that never lead to a machine on the
// internet, such as those below localhost. Whether a label that begins with xn-- is
// valid Unicode is for the caller to check. The error has code CodeValidationFailed.
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
		return "", badDomain("must be a name that can resolve on the internet, which no name below %q can", last)
	}
	return name, nil
}

func badDomain(format string, args ...any) *Error {
	return Errorf(CodeValidationFailed, "domain "+format, args...)
}

// asciiLower changes A to Z only: Unicode's lower case of some other letters is in
// ASCII.
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

// isSpecialUse reports whether a top-level domain is not in the DNS (RFC 6761, RFC 6762,
// RFC 7686) or is reserved for its own records.
func isSpecialUse(last string) bool {
	switch last {
	case "localhost", "local", "invalid", "onion", "alt", "arpa":
		return true
	}
	return false
}

// DomainWithin reports whether a name is the domain or below it. Both are as ParseDomain
// returns them, except that the domain may be a single label or "", which contains no
// name.
func DomainWithin(name, domain string) bool {
	return domain != "" && (name == domain || strings.HasSuffix(name, "."+domain))
}
