package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// isPublic reports whether pages may read a variable: by the prefix of Vite, of the tools that
// projects came from, or of the project's own configuration.
func isPublic(key string, prefixes []string) bool {
	return slices.ContainsFunc(append([]string{"VITE_", "REACT_APP_", "NEXT_PUBLIC_"}, prefixes...), func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// ModeNames are the values of import.meta.env.MODE.
var ModeNames = map[build.Mode]string{build.ModePreview: "development", build.ModeSite: "production"}

// ReadEnv returns import.meta.env: the standard members and the public variables. The request's variables override those of the project's files.
func ReadEnv(src *Sources, req build.Request) map[string]any {
	mode, vite := ModeNames[req.Mode], req.Vite.Of(req.Mode)
	all := DotEnv(src, vite.EnvDir, mode)
	maps.Copy(all, req.Env)
	env := make(map[string]any)
	for key, value := range all {
		if isPublic(key, vite.EnvPrefixes) {
			env[key] = value
		}
	}
	env["MODE"], env["BASE_URL"] = mode, "/"
	env["DEV"], env["PROD"], env["SSR"] = req.Mode == build.ModePreview, req.Mode == build.ModeSite, false
	return env
}

// DotEnv returns the variables of the .env files in a folder, for a mode or for any.
func DotEnv(src Tree, dir, mode string) map[string]string {
	names, all := []string{".env", ".env.local"}, make(map[string]string)
	if mode != "" {
		names = append(names, ".env."+mode, ".env."+mode+".local")
	}
	for _, name := range names {
		name = path.Join(dir, name)
		if !src.IsFile(name) {
			continue
		}
		if text, err := src.Read(name, MaxModuleBytes); err == nil {
			maps.Copy(all, parseEnv(string(text)))
		}
	}
	return all
}

var envLine = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$`)

// parseEnv returns the variables of a .env file.
func parseEnv(text string) map[string]string {
	all := make(map[string]string)
	for line := range strings.SplitSeq(string(core.WithoutMark([]byte(text))), "\n") {
		if match := envLine.FindStringSubmatch(strings.TrimSuffix(line, "\r")); match != nil {
			all[match[1]] = unquoteEnv(match[2])
		}
	}
	return all
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
// for other tools read them there. The project's own definitions come last.
func defines(env map[string]any, mode string, own map[string]string) map[string]string {
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
	maps.Copy(result, own)
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
