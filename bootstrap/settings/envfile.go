package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// EnvFile holds the variables of a file.
type EnvFile map[string]string

// ReadEnvFile reads NAME=value lines. Empty lines and lines that begin with "#"
// are passed over; quotes around a value are taken off.
func ReadEnvFile(name string) (EnvFile, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--env-file: %w", err)
	}
	values := EnvFile{}
	line := 0
	// Editors on Windows begin a file with a mark of its byte order.
	for text := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		line++
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		key, value, found := strings.Cut(text, "=")
		if !found || strings.ContainsAny(key, " \t") {
			return nil, fmt.Errorf("--env-file: line %d of %s is not NAME=value", line, name)
		}
		values[key] = unquote(strings.TrimSpace(value))
	}
	return values, nil
}

// Unknown returns the names of the file that are no settings, sorted: what is misspelt has
// no effect, and nothing else says so.
func (f EnvFile) Unknown() []string {
	known := map[string]bool{}
	for _, tls := range []string{"off", "files", "acme"} {
		// Every name is asked for in some case: what is read depends on what is set.
		_, _ = Read(func(name string) string {
			known[name] = true
			switch name {
			case "TLS":
				return tls
			case "APP_URL":
				return "https://atelier.example"
			case "AI_BASE_URL", "GITHUB_ASSISTANT_REDIRECT_URI", "SMTP_URL", "NATS_URL", "GITHUB_CLIENT_ID", "GOOGLE_CLIENT_ID", "GITHUB_CLIENT_SECRET", "GOOGLE_CLIENT_SECRET":
				return "set"
			}
			return ""
		})
	}
	return slices.Sorted(func(yield func(string) bool) {
		for name := range f {
			if !known[name] && !yield(name) {
				return
			}
		}
	})
}

// Or looks a variable up in env first, then in the file.
func (f EnvFile) Or(env func(string) string) func(string) string {
	return func(name string) string {
		if value := env(name); value != "" {
			return value
		}
		return f[name]
	}
}

func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
