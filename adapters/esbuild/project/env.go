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

// isPublic reports whether pages may read a variable: by the prefix of Vite, or of the tools
// that projects came from.
func isPublic(key string) bool {
	return strings.HasPrefix(key, "VITE_") || strings.HasPrefix(key, "REACT_APP_") || strings.HasPrefix(key, "NEXT_PUBLIC_")
}

// ModeNames are the values of import.meta.env.MODE.
var ModeNames = map[build.Mode]string{build.ModePreview: "development", build.ModeSite: "production"}

// ReadEnv returns import.meta.env: the standard members and the public variables. The request's variables override those of the project's files.
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
		if isPublic(key) {
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
			if match == nil || !isPublic(match[1]) {
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

// processName is EnvName for process.env: that of the place where the script runs, if it has
// one, as tests in Node do.
func processName(env map[string]any) string { return EnvName(env) + "_process" }

// EnvOf declares the free names that a module uses, on one line; it is empty if it uses none.
func EnvOf(module []byte, env map[string]any) string {
	name, process := EnvName(env), processName(env)
	switch {
	case bytes.Contains(module, []byte(process)):
		return fmt.Sprintf("var %s=%s,%s=globalThis.process?.env??%s;", name, JSONText(env), process, name)
	case bytes.Contains(module, []byte(name)):
		return fmt.Sprintf("var %s=%s;", name, JSONText(env))
	}
	return ""
}

// WithEnv declares the free names in a module that uses them. The declaration is on the
// first line, so that source maps stay correct.
func WithEnv(module []byte, env map[string]any) []byte {
	declared := EnvOf(module, env)
	if declared == "" {
		return module
	}
	return append([]byte(declared), module...)
}

// defines replaces the members of import.meta.env one by one, so that dead branches can
// be removed, and the object as a whole. process.env has the same members: sources written
// for other tools read them there.
func defines(env map[string]any, mode string) map[string]string {
	result := map[string]string{
		"import.meta.env":        EnvName(env),
		"import.meta.hot":        "undefined",
		"process.env":            processName(env),
		"process.env.NODE_ENV":   JSONText(mode),
		"process.env.PUBLIC_URL": `""`,
		"global":                 "globalThis",
	}
	for key, value := range env {
		if Identifier.MatchString(key) {
			result["import.meta.env."+key] = JSONText(value)
			result["process.env."+key] = JSONText(value)
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
