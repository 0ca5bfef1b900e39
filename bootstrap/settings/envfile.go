package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// EnvFile holds the variables of a file.
type EnvFile map[string]string

// ReadEnvFile reads NAME=value lines. It skips empty lines and lines that begin with "#",
// and removes quotes around a value.
func ReadEnvFile(name string) (EnvFile, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--env-file: %w", err)
	}
	values := EnvFile{}
	line := 0
	// Editors on Windows begin a file with a byte order mark.
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

// Unknown returns the names in the file that are no settings, sorted. A misspelt name has
// no effect, and nothing else reports it.
func (f EnvFile) Unknown() []string {
	known := Names()
	return slices.Sorted(func(yield func(string) bool) {
		for name := range f {
			if !known[name] && !yield(name) {
				return
			}
		}
	})
}

// Names returns the names of all settings.
func Names() map[string]bool {
	known := map[string]bool{}
	for _, tls := range []string{"off", "files", "acme"} {
		// Ask for every name in some case: which names are read depends on what is set.
		_, _ = Read(func(name string) string {
			known[name] = true
			switch name {
			case "TLS":
				return tls
			case "APP_URL":
				return "https://atelier.example"
			case "AI_BASE_URL", "GITHUB_ASSISTANT_REDIRECT_URI", "SMTP_URL", "NATS_URL", "GITHUB_CLIENT_ID", "GOOGLE_CLIENT_ID", "GITHUB_CLIENT_SECRET", "GOOGLE_CLIENT_SECRET":
				return "set"
			case "BACKUP_TARGET":
				return "s3://bucket"
			}
			return ""
		})
	}
	return known
}

// Or looks up a variable first in env, then in the file.
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
