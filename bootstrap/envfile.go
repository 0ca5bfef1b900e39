package bootstrap

import (
	"fmt"
	"os"
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
	for text := range strings.Lines(string(content)) {
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
