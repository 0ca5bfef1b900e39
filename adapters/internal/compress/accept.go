package compress

import "strings"

// Accepted parses Accept-Encoding. A weight of zero refuses an encoding, and a wildcard
// does not count as an offer.
func Accepted(accepted string) (brotli, zipped bool) {
	for accepted != "" {
		var member string
		member, accepted, _ = strings.Cut(accepted, ",")
		coding, weight, _ := strings.Cut(member, ";")
		if Refuses(weight) {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "br":
			brotli = true
		case "gzip", "x-gzip":
			zipped = true
		}
	}
	return brotli, zipped
}

// Refuses reports whether a weight such as "q=0.000" refuses.
func Refuses(weight string) bool {
	value, found := strings.CutPrefix(strings.ToLower(strings.Join(strings.Fields(weight), "")), "q=")
	return found && strings.Trim(value, "0.") == ""
}
