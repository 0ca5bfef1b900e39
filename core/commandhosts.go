package core

import (
	"encoding/json"
	"slices"
	"strings"
)

// HostPattern names hosts of the internet: one by its name, or with "*." in front
// all below a name, at any depth, but not the name itself.
type HostPattern string

// HostPatterns is a list of hosts; nil is none, and so is an empty list in JSON.
// ParseHostPatterns makes one.
type HostPatterns []HostPattern

// Bounds of hosts.
const (
	// MaxCommandHosts bounds the hosts that the commands of a workspace may reach.
	MaxCommandHosts = 100
	// maxHostChars and maxLabelChars are the longest name and label of the DNS.
	maxHostChars  = 253
	maxLabelChars = 63
)

// ParseHostPatterns returns the patterns sorted and each once. It returns
// CodeValidationFailed for more than MaxCommandHosts, and for what is no pattern:
// an IP address, a port, a single label such as localhost, capitals, and names
// outside ASCII in either spelling, which people mistake for others.
func ParseHostPatterns(texts []string) (HostPatterns, error) {
	if len(texts) > MaxCommandHosts {
		return nil, Errorf(CodeValidationFailed, "commandHosts may have at most %d hosts", MaxCommandHosts)
	}
	var patterns HostPatterns
	for _, text := range texts {
		if !isHostName(strings.TrimPrefix(text, "*.")) {
			return nil, Errorf(CodeValidationFailed, "commandHosts takes names such as registry.npmjs.org or *.example.com: "+
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
	// A last label that begins with a digit is part of an IP address to somebody.
	last := labels[len(labels)-1]
	return last != "localhost" && (last[0] < '0' || last[0] > '9')
}

// Allow reports whether a host is among the patterns. host is a name as a client
// gives it; one that ParseHostPatterns would not take as a pattern never is.
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

// String lists the patterns with commas between.
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

// UnmarshalJSON implements json.Unmarshaler, for what MarshalJSON has written.
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
