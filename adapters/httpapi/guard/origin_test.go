package guard

import (
	"net/url"
	"testing"
)

func TestOriginOfTheAppURL(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:8080": "http://localhost:8080", "https://app.example.com": "https://app.example.com",
		"https://APP.example.com:443/": "https://app.example.com", "http://app.example.com:80": "http://app.example.com",
		"https://app.example.com:80": "https://app.example.com:80", "http://[::1]:8080": "http://[::1]:8080",
	} {
		parsed, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := OriginOf(parsed); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
