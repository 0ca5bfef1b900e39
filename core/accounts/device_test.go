package accounts_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/accounts"
)

func TestDeviceOf(t *testing.T) {
	for agent, want := range map[string]string{
		"": "",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                        "Firefox on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36 Edg/139.0":               "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36":                            "Chrome on Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15":                   "Safari on macOS",
		"curl/8.9.1":                 "curl",
		"Go-http-client/1.1":         "Go-http-client",
		"evil\x00\xff\x1b[31m/1":     "evil[31m",
		strings.Repeat("x", 100_000): strings.Repeat("x", 60),
	} {
		if got := accounts.DeviceOf(agent); got != want {
			t.Errorf("%.80q: got %q, want %q", agent, got, want)
		}
	}
}
