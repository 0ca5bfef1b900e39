package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestHostPatternsAreNamesAndNothingElse(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, text := range []string{"registry.npmjs.org", "*.example.com", "a.b", "1.2.3.example", "a-b.c0", long + ".com", strings.Repeat("a.", 126) + "b"} {
		if got, err := core.ParseHostPatterns([]string{text}); err != nil || len(got) != 1 || string(got[0]) != text {
			t.Errorf("%q: got %v, %v, want it taken", text, got, err)
		}
	}
	for _, text := range []string{
		"", "*", "*.", "*.com", "**.example.com", "a.*.com", "*example.com", "localhost", "app.localhost", "example", "Example.com", "example.com.", ".example.com", "a..b",
		"127.0.0.1", "1.2.3.4", "0x7f.1", "a.1", "a.0x7f", "::1", "[::1]", "example.com:443", "https://example.com", "example.com/x", "user@example.com", "example.com ",
		"exämple.com", "xn--exmple-cua.com", "a.xn--p1ai", "-a.com", "a-.com", "a_b.com", "a b.com", "a\x00.com", long + "a.com", strings.Repeat("a.", 127) + "b",
	} {
		if got, err := core.ParseHostPatterns([]string{text}); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, %v, want validation_failed", text, got, err)
		}
	}
}

func TestHostPatternsAreSortedAndBounded(t *testing.T) {
	got, err := core.ParseHostPatterns([]string{"b.org", "a.org", "b.org", "*.c.org"})
	if want := (core.HostPatterns{"*.c.org", "a.org", "b.org"}); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := core.ParseHostPatterns([]string{}); got != nil || err != nil {
		t.Errorf("got %v, %v, want none", got, err)
	}
	var many []string
	for i := range core.MaxCommandHosts + 1 {
		many = append(many, fmt.Sprintf("h%d.example.com", i))
	}
	if got, err := core.ParseHostPatterns(many[1:]); len(got) != core.MaxCommandHosts || err != nil {
		t.Errorf("got %d, %v, want all %d", len(got), err, core.MaxCommandHosts)
	}
	if _, err := core.ParseHostPatterns(many); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, want validation_failed for one too many", err)
	}
}

func TestHostPatternsAllowWhatTheyName(t *testing.T) {
	patterns := core.HostPatterns{"*.example.com", "registry.npmjs.org"}
	for host, want := range map[string]bool{
		"registry.npmjs.org": true, "REGISTRY.npmjs.org": true, "registry.npmjs.org.": true, "a.example.com": true, "a.b.example.com": true,
		"example.com": false, "npmjs.org": false, "x.registry.npmjs.org": false, "aexample.com": false, "registry.npmjs.org.evil.org": false, "": false, ".": false,
		"registry.npmjs.org..": false, ".example.com": false, "a_b.example.com": false, "x@a.example.com": false, "xn--a.example.com": false, "a.example.com:443": false,
		"evil.org/.example.com": false, "evil.org\r\n.example.com": false, "127.0.0.1": false, "*.example.com": false,
	} {
		if got := patterns.Allow(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
	if core.HostPatterns(nil).Allow("example.com") {
		t.Error("got a host allowed by no patterns")
	}
}

func TestHostPatternsInJSON(t *testing.T) {
	for text, patterns := range map[string]core.HostPatterns{"[]": nil, `["*.a.org","b.org"]`: {"*.a.org", "b.org"}} {
		if got, err := json.Marshal(patterns); err != nil || string(got) != text {
			t.Errorf("got %s, %v, want %s", got, err, text)
		}
		var got core.HostPatterns
		if err := json.Unmarshal([]byte(text), &got); err != nil || !slices.Equal(got, patterns) || (got == nil) != (patterns == nil) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, patterns)
		}
	}
	if got, err := json.Marshal(core.HostPatterns{}); err != nil || string(got) != "[]" {
		t.Errorf("got %s, %v, want an empty list", got, err)
	}
	var got core.HostPatterns
	if err := json.Unmarshal([]byte(`"a.org"`), &got); err == nil {
		t.Errorf("got %v, want an error for what is no list", got)
	}
}
