// Package tsoptions translates configurations of TypeScript for a compiler that refuses options of
// older versions. That compiler then checks nothing, although the project's own would.
package tsoptions

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxListed bounds the names of files in a translation, in bytes of JSON.
const maxListed = 64 << 10

// configuration is what the compiler prints of one, with all that it extends.
type configuration struct {
	Options map[string]any `json:"compilerOptions"`
	Files   []string       `json:"files"`
	Include []string       `json:"include"`
}

// Translate returns a configuration that extends the one at the absolute path config and says the same
// without options that version 7 has removed; it may be in any directory. text is what the compiler
// prints of config with --showConfig, so that comments and what config extends are none of its
// business. If there is nothing to translate, it returns "".
func Translate(text []byte, config string) string {
	var read configuration
	if json.Unmarshal(text, &read) != nil {
		return ""
	}
	options := replaced(read.Options, path.Dir(config))
	if len(options) == 0 {
		return ""
	}
	translation := map[string]any{"extends": config, "compilerOptions": options}
	if len(read.Include) == 0 && len(read.Files) > 0 {
		// The default is all files below the configuration, which is elsewhere now.
		files := make([]string, len(read.Files))
		for i, file := range read.Files {
			files[i] = path.Join(path.Dir(config), file)
		}
		if listed, _ := json.Marshal(files); len(listed) <= maxListed {
			translation["files"] = files
		} else {
			translation["include"] = []string{path.Join(path.Dir(config), "**/*")}
		}
	}
	made, err := json.Marshal(translation)
	if err != nil {
		return ""
	}
	return string(made)
}

// replaced returns what stands in the place of removed options. Those that are nil have their default.
func replaced(options map[string]any, dir string) map[string]any {
	made := make(map[string]any)
	for name, value := range options {
		text, _ := value.(string)
		switch said := strings.ToLower(text); {
		case name == "outFile", name == "downlevelIteration":
			made[name] = nil
		case value == false && slices.Contains([]string{"alwaysStrict", "esModuleInterop", "allowSyntheticDefaultImports"}, name):
			made[name] = nil
		case name == "target" && said == "es5":
			made[name] = "es2015"
		case name == "module" && slices.Contains([]string{"amd", "umd", "system"}, said):
			made[name] = "esnext"
		case name == "moduleResolution" && slices.Contains([]string{"node", "node10", "classic"}, said):
			// The default is right for every module.
			made[name] = nil
		case name == "baseUrl":
			made[name] = nil
			made["paths"] = rebased(options["paths"], path.Join(dir, text))
		}
	}
	return made
}

// rebased returns paths as they are meant with a baseUrl: relative to it, and with everything below it
// importable by its name.
func rebased(paths any, base string) map[string]any {
	made := make(map[string]any)
	written, _ := paths.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(written)) {
		targets, _ := written[name].([]any)
		absolute := make([]any, 0, len(targets))
		for _, target := range targets {
			if text, isText := target.(string); isText && !path.IsAbs(text) {
				target = path.Join(base, text)
			}
			absolute = append(absolute, target)
		}
		made[name] = absolute
	}
	all, _ := made["*"].([]any)
	made["*"] = append(all, path.Join(base, "*"))
	return made
}
