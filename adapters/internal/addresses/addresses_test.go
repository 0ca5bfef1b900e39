package addresses

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard/netguardtest"
)

func TestAtLeastAHundredSpellings(t *testing.T) {
	count := 0
	for class, spellings := range netguardtest.Spellings() {
		if class != netguardtest.Public {
			count += len(spellings)
		}
	}
	if count < 100 {
		t.Errorf("got %d spellings that are refused, want at least 100", count)
	}
}

func TestTheEdgesOfRanges(t *testing.T) {
	for _, row := range []struct {
		addr           string
		denied, always bool
	}{
		{"9.255.255.255", false, false}, {"10.0.0.0", true, false}, {"10.255.255.255", true, false}, {"11.0.0.0", false, false},
		{"100.63.255.255", false, false}, {"100.64.0.0", true, false}, {"100.127.255.255", true, false}, {"100.128.0.0", false, false},
		{"100.100.100.199", true, false}, {"100.100.100.200", true, true}, {"100.100.100.201", true, false},
		{"126.255.255.255", false, false}, {"127.0.0.0", true, false}, {"128.0.0.0", false, false},
		{"168.63.129.15", false, false}, {"168.63.129.16", true, true}, {"168.63.129.17", false, false},
		{"169.253.255.255", false, false}, {"169.254.0.0", true, true}, {"169.254.255.255", true, true}, {"169.255.0.0", false, false},
		{"172.15.255.255", false, false}, {"172.16.0.0", true, false}, {"172.31.255.255", true, false}, {"172.32.0.0", false, false},
		{"198.17.255.255", false, false}, {"198.18.0.0", true, true}, {"198.19.255.255", true, true}, {"198.20.0.0", false, false},
		{"223.255.255.255", false, false}, {"224.0.0.0", true, true}, {"255.255.255.255", true, true}, {"1.0.0.0", false, false},
		{"1fff:ffff::1", true, true}, {"2000::1", false, false}, {"2001:1ff::1", true, true}, {"2001:200::1", false, false},
		{"3ffe:ffff::1", false, false}, {"3fff:fff:ffff::1", true, true}, {"3fff:1000::1", false, false}, {"4000::", true, true},
		{"fbff::1", true, true}, {"fc00::", true, false}, {"fdff:ffff::1", true, false}, {"fe00::1", true, true}, {"::2", true, true},
		{"fd00:ec1::254", true, false}, {"fd00:ec2::254", true, true}, {"fd00:ec3::254", true, false},
	} {
		addr := netip.MustParseAddr(row.addr)
		if got := CheckIP(addr, false) != nil; got != row.denied {
			t.Errorf("%s: got refused %v, want %v", addr, got, row.denied)
		}
		if got := CheckIP(addr, true) != nil; got != row.always {
			t.Errorf("%s where private networks are permitted: got refused %v, want %v", addr, got, row.always)
		}
	}
}

// FuzzCheckURL checks that every accepted text is an http URL, and that a host which Go
// parses as an IP address is permitted.
func FuzzCheckURL(f *testing.F) {
	for _, spellings := range netguardtest.Spellings() {
		for _, text := range spellings {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := CheckURL(text, false)
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeForbiddenAddress && code != core.CodeValidationFailed {
				t.Errorf("%q: got %v, want one of two codes", text, err)
			}
			return
		}
		target, err := url.Parse(text)
		if err != nil || target.User != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "" {
			t.Fatalf("%q: passed, but is no plain URL", text)
		}
		if addr, err := netip.ParseAddr(target.Hostname()); err == nil && CheckIP(addr, false) != nil {
			t.Errorf("%q: passed, but its address is refused", text)
		}
		if CheckURL(text, true) != nil {
			t.Errorf("%q: passed, but not where more is permitted", text)
		}
	})
}
