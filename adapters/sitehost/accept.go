package sitehost

import "strings"

// acceptedEncodings reads Accept-Encoding, whose members may be refused by a
// weight of zero. A wildcard is not taken as an offer.
func acceptedEncodings(accepted string) (brotli, zipped bool) {
	for accepted != "" {
		var member string
		member, accepted, _ = strings.Cut(accepted, ",")
		coding, weight, _ := strings.Cut(member, ";")
		if isZero(weight) {
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

// isZero reports whether a weight such as "q=0.000" refuses.
func isZero(weight string) bool {
	value, found := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
	return found && strings.Trim(value, "0.") == ""
}
