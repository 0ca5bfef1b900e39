package core

import (
	"slices"
	"strings"
	"testing"
)

func TestParseDomainReturnsTheOneSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"shop.example.com":               "shop.example.com",
		"Shop.EXAMPLE.com":               "shop.example.com",
		"shop.example.com.":              "shop.example.com",
		"example.co.uk":                  "example.co.uk",
		"xn--bcher-kva.example":          "xn--bcher-kva.example",
		"1.2.3.example":                  "1.2.3.example",
		"a-b--c.example":                 "a-b--c.example",
		strings.Repeat("a", 63) + ".com": strings.Repeat("a", 63) + ".com",
	} {
		if got, err := ParseDomain(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

// hostileDomains are names that nobody may claim.
func hostileDomains() []string {
	long := strings.Repeat(strings.Repeat("a", 60)+".", 4) + "com"
	return []string{
		"", ".", "..", "com", "localhost", "example", "a.b", "example.c",
		"127.0.0.1", "127.1", "0x7f.1", "2130706433", "0x7f000001", "1.2.3.4.", "::1", "[::1]", "[::1]:80", "fe80::1%eth0", "1.2.3.4:80",
		"127.0.0.1.5", "1.2.3.0x4", "shop.example.0x1", "shop.example.7",
		"*.example.com", "*", "shop.*.com", "shop.example.com:443", "shop.example.com:", "https://shop.example.com", "shop.example.com/",
		"user@example.com", "shop.example.com?x", "shop.example.com#x", "//shop.example.com", "shop.example.com\\x",
		"shop..example.com", ".shop.example.com", "shop.example.com..", "-shop.example.com", "shop-.example.com", "shop.-example.com",
		"sh op.example.com", " shop.example.com", "shop.example.com ", "shop.example.com\n", "shop.example.com\x00", "shop\x00.example.com",
		"shop\t.example.com", "_dmarc.example.com", "shop.exa_mple.com", "bücher.example", "shop.example。com", "ſhop.example", "Kelvin\u212A.example",
		"shop.example\u200b.com", "shop.example.com\xff", "shop%2eexample.com", "shop.example.com;", "shop.example.com,b.com", "'shop.example.com'",
		"\"shop\".example.com", "shop.localhost", "shop.local", "x.invalid", "x.onion", "1.0.0.127.in-addr.arpa", "x.alt",
		strings.Repeat("a", 64) + ".com", long, strings.Repeat("a.", 120) + "com", "{{x}}.example.com", "$(x).example.com", "<b>.example.com",
	}
}

func TestParseDomainRefusesWhatCannotBeClaimed(t *testing.T) {
	for _, text := range hostileDomains() {
		got, err := ParseDomain(text)
		if !IsCode(err, CodeValidationFailed) || got != "" {
			t.Errorf("%q: got %q, %v, want %s", text, got, err, CodeValidationFailed)
			continue
		}
		if message := err.Error(); !strings.Contains(message, "domain must") {
			t.Errorf("%q: got %q, want the field and the rule", text, message)
		}
	}
}

func TestTheRecordOfALongestDomainFitsADNSName(t *testing.T) {
	longest := strings.Repeat(strings.Repeat("a", 57)+".", 4) + "info."
	longest = strings.TrimSuffix(longest, ".")
	if len(longest) != MaxDomainChars-1 {
		t.Fatalf("got a sample of %d characters, want %d", len(longest), MaxDomainChars-1)
	}
	for name, want := range map[string]bool{longest: true, "a" + longest: true, "aa" + longest: false} {
		got, err := ParseDomain(name)
		if (err == nil) != want {
			t.Errorf("%d characters: got %v, want %v", len(name), err, want)
		}
		if len(Domain{Name: got}.ProofName()) > 253 {
			t.Errorf("got a record's name of %d characters, want at most 253", len(Domain{Name: got}.ProofName()))
		}
	}
}

func TestAProofIsOfOneClaim(t *testing.T) {
	domain := Domain{Name: "shop.example.com", Token: "SECRET"}
	if got := domain.ProofName(); got != "_atelier-verify.shop.example.com" {
		t.Errorf("got %q, want a name below the domain", got)
	}
	if got := domain.ProofValue(); got != "atelier-verify=SECRET" {
		t.Errorf("got %q, want the claim's token", got)
	}
}

func TestOnlyAnActiveClaimHoldsItsName(t *testing.T) {
	for _, status := range []DomainStatus{DomainPendingDNS, DomainPendingVerification, DomainError, DomainActive} {
		if got, want := (Domain{Status: status}).Holds(), status == DomainActive; got != want {
			t.Errorf("%s: got %v, want %v", status, got, want)
		}
	}
}

func TestDomainWithin(t *testing.T) {
	within := [][2]string{{"a.example.com", "example.com"}, {"example.com", "example.com"}, {"x.y.localhost", "localhost"}}
	without := [][2]string{{"aexample.com", "example.com"}, {"example.com", "a.example.com"}, {"example.com", ""}, {"com", "example.com"}}
	for _, pair := range slices.Concat(within, without) {
		if got, want := DomainWithin(pair[0], pair[1]), slices.Contains(within, pair); got != want {
			t.Errorf("%q in %q: got %v, want %v", pair[0], pair[1], got, want)
		}
	}
}

// FuzzParseDomain checks that every accepted name is a plain host name and is its
// own canonical spelling.
func FuzzParseDomain(f *testing.F) {
	for _, text := range append(hostileDomains(), "shop.example.com", "Shop.Example.com.") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseDomain(text)
		if err != nil {
			if !IsCode(err, CodeValidationFailed) {
				t.Fatalf("%q: got %v, want %s", text, err, CodeValidationFailed)
			}
			return
		}
		if again, err := ParseDomain(name); err != nil || again != name {
			t.Fatalf("%q: got %q, then %q, %v", text, name, again, err)
		}
		if len(name) > MaxDomainChars || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || isIPAddress(name) {
			t.Fatalf("%q: got %q, which is no plain name", text, name)
		}
	})
}
