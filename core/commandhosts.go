package core

import (
	"encoding/json"
	"slices"
	"strings"
)

// HostPattern names hosts of the internet: a single one, or, with a leading "*.",
// all below a name at any depth, but not the name itself.
type HostPattern string

// HostPatterns is a list of hosts from ParseHostPatterns. nil means no hosts, and
// so does an empty list in JSON.
type HostPatterns []HostPattern

// Bounds of hosts.
const (
	// MaxCommandHosts bounds the hosts that the commands of a workspace may reach.
	MaxCommandHosts = 100
	// maxHostChars and maxLabelChars are the longest name and label of the DNS.
	maxHostChars  = 253
	maxLabelChars = 63
)

// ParseHostPatterns returns the patterns sorted, without duplicates. It returns
// CodeValidationFailed for more than MaxCommandHosts patterns and for an invalid
// one: an IP address, a port, a single label such as localhost, or capitals. It
// also refuses internationalised names, in Unicode or in Punycode, because people
// mistake them for others.
func ParseHostPatterns(texts []string) (HostPatterns, error) {
	if len(texts) > MaxCommandHosts {
		return nil, Errorf(CodeValidationFailed, "commandHosts must have at most %d hosts", MaxCommandHosts)
	}
	var patterns HostPatterns
	for _, text := range texts {
		if !isHostName(strings.TrimPrefix(text, "*.")) {
			return nil, Errorf(CodeValidationFailed, "commandHosts must be names such as registry.npmjs.org or *.example.com: "+
				"lower case, with a dot, without scheme, port, path, IP address or international characters; got %q", cutTo(text, maxHostChars))
		}
		patterns = append(patterns, HostPattern(text))
	}
	slices.Sort(patterns)
	return slices.Compact(patterns), nil
}

// isHostName reports whether a text is a name of at least two labels.
func isHostName(text string) bool {
	labels := strings.Split(text, ".")
	if len(text) > maxHostChars || len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > maxLabelChars || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
			strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.HasPrefix(label, "xn--") {
			return false
		}
	}
	// Some programs read a last label that begins with a digit as part of an IP
	// address.
	last := labels[len(labels)-1]
	return last != "localhost" && (last[0] < '0' || last[0] > '9')
}

// Allow reports whether a host is among the patterns. host is a name as a client
// sends it; a name that ParseHostPatterns refuses never matches.
func (p HostPatterns) Allow(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return isHostName(host) && slices.ContainsFunc(p, func(pattern HostPattern) bool { return pattern.matches(host) })
}

func (p HostPattern) matches(host string) bool {
	if base, wild := strings.CutPrefix(string(p), "*"); wild {
		return strings.HasSuffix(host, base)
	}
	return host == string(p)
}

// String joins the patterns with commas.
func (p HostPatterns) String() string {
	texts := make([]string, len(p))
	for i, pattern := range p {
		texts[i] = string(pattern)
	}
	return strings.Join(texts, ", ")
}

// MarshalJSON implements json.Marshaler. No hosts are an empty list.
func (p HostPatterns) MarshalJSON() ([]byte, error) {
	if len(p) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]HostPattern(p))
}

// UnmarshalJSON implements json.Unmarshaler, for output of MarshalJSON.
func (p *HostPatterns) UnmarshalJSON(data []byte) error {
	var patterns []HostPattern
	if err := json.Unmarshal(data, &patterns); err != nil {
		return err
	}
	if *p = patterns; len(patterns) == 0 {
		*p = nil
	}
	return nil
}
