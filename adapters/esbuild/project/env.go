package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/atelierhq/atelier/ports/build"
)

// envPrefix marks the variables that pages may read.
const envPrefix = "VITE_"

// ModeNames are the values of import.meta.env.MODE.
var ModeNames = map[build.Mode]string{build.ModePreview: "development", build.ModeSite: "production"}

// ReadEnv returns import.meta.env: the standard members and the variables with the
// prefix. The request's variables override those of the project's files.
func ReadEnv(src *Sources, req build.Request) map[string]any {
	mode := ModeNames[req.Mode]
	env := make(map[string]any)
	for _, name := range []string{".env", ".env.local", ".env." + mode, ".env." + mode + ".local"} {
		if !src.IsFile(name) {
			continue
		}
		if text, err := src.Read(name, MaxModuleBytes); err == nil {
			maps.Insert(env, parseEnv(string(text)))
		}
	}
	for key, value := range req.Env {
		if strings.HasPrefix(key, envPrefix) {
			env[key] = value
		}
	}
	env["MODE"], env["BASE_URL"] = mode, "/"
	env["DEV"], env["PROD"], env["SSR"] = req.Mode == build.ModePreview, req.Mode == build.ModeSite, false
	return env
}

var envLine = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$`)

// parseEnv yields the variables of a .env file that pages may read.
func parseEnv(text string) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			match := envLine.FindStringSubmatch(strings.TrimSuffix(line, "\r"))
			if match == nil || !strings.HasPrefix(match[1], envPrefix) {
				continue
			}
			if !yield(match[1], unquoteEnv(match[2])) {
				return
			}
		}
	}
}

// unquoteEnv removes the quotes of a value, or the comment after an unquoted one.
func unquoteEnv(value string) string {
	if value == "" {
		return ""
	}
	quote := value[0]
	if quote == '"' || quote == '\'' || quote == '`' {
		if inside, _, closed := strings.Cut(value[1:], string(quote)); closed {
			if quote == '"' {
				return strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(inside)
			}
			return inside
		}
	}
	if comment := strings.Index(value, " #"); comment >= 0 {
		value = value[:comment]
	}
	return strings.TrimSpace(value)
}

// Identifier matches names that JavaScript accepts without quotes.
var Identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// EnvName returns the free name for the whole import.meta.env. It changes with the
// content, and so do the hashes of files that contain it.
func EnvName(env map[string]any) string { return "__atelier_env_" + SaltOf(JSONText(env)) }

// WithEnv declares the free name in a module that uses it. The declaration is on the
// first line, so that source maps stay correct.
func WithEnv(module []byte, env map[string]any) []byte {
	name := EnvName(env)
	if !bytes.Contains(module, []byte(name)) {
		return module
	}
	return append(fmt.Appendf(nil, "var %s=%s;", name, JSONText(env)), module...)
}

// defines replaces the members of import.meta.env one by one, so that dead branches can
// be removed, and the object as a whole.
func defines(env map[string]any, mode string) map[string]string {
	result := map[string]string{
		"import.meta.env":      EnvName(env),
		"import.meta.hot":      "undefined",
		"process.env.NODE_ENV": JSONText(mode),
	}
	for key, value := range env {
		if Identifier.MatchString(key) {
			result["import.meta.env."+key] = JSONText(value)
		}
	}
	return result
}

// JSONText writes a string, a boolean or a map of these.
func JSONText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // these always marshal
	}
	return string(text)
}

// SaltOf returns a short digest of a text: 16 hexadecimal digits.
func SaltOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}
