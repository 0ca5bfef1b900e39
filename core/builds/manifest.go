package builds

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// ManifestPath is the file in which a project names its dependencies. A project
// without it is static: its pages are its files.
const ManifestPath = "package.json"

// maxManifestBytes bounds package.json. The largest in common use have a few
// thousand lines.
const maxManifestBytes = 1 << 20

// manifest is the part of package.json that a build needs.
type manifest struct {
	source       []byte
	dependencies map[string]string
	// options are development dependencies whose compiler options the project extends. A build
	// that does not get them goes on without.
	options map[string]string
	// runtime is the project's own choice, usually "".
	runtime Runtime
	// local are the folders of dependencies that are part of the project.
	local []string
	// packages are the names of all dependencies, including those for development.
	// sections are the members that npm installs from; scripts are lines of shell.
	packages []string
	sections map[string]any
	scripts  map[string]string
	// postcss means that it configures PostCSS.
	postcss bool
}

// misplacedError is a failure that has a place in package.json.
type misplacedError struct {
	at    core.Diagnostic
	cause error
}

func (e *misplacedError) Error() string { return e.at.Path + ": " + e.cause.Error() }
func (e *misplacedError) Unwrap() error { return e.cause }

// readManifest returns a manifest without dependencies if there is no package.json,
// and a *misplacedError for an invalid one.
func readManifest(files fs.FS) (manifest, error) {
	file, err := files.Open(ManifestPath)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, nil
	}
	if err != nil {
		return manifest{}, core.Wrap(core.CodeUnavailable, err, "package.json cannot be read")
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err != nil {
		return manifest{}, core.Wrap(core.CodeUnavailable, err, "package.json cannot be read")
	}
	made, err := parseManifest(source)
	if err == nil {
		made.addLocal(files)
		made.addOptions(files)
	}
	return made, err
}

func parseManifest(source []byte) (manifest, error) {
	if len(source) > maxManifestBytes {
		return manifest{}, mistake(source, 0, "package.json is larger than 1 MiB")
	}
	source = core.WithoutMark(source)
	var fields struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
		// Members for the project's own tools are read leniently, as the tools do.
		Atelier  any `json:"atelier"`
		Scripts  any `json:"scripts"`
		Optional any `json:"optionalDependencies"`
		Peers    any `json:"peerDependencies"`
		Override any `json:"overrides"`
		Spaces   any `json:"workspaces"`
		PostCSS  any `json:"postcss"`
	}
	if err := json.Unmarshal(source, &fields); err != nil {
		return manifest{}, mistake(source, offsetOf(err), "package.json cannot be read: "+err.Error())
	}
	dependencies := map[string]string{}
	for name, version := range fields.DevDependencies {
		if isStylePackage(name) {
			dependencies[name] = version
		}
	}
	maps.Copy(dependencies, fields.Dependencies)
	local := takeLocal(dependencies)
	runtime, err := chosenRuntime(source, fields.Atelier)
	if err != nil {
		return manifest{}, err
	}
	if runtime == RuntimeStatic {
		dependencies = nil
	}
	made := manifest{source: source, dependencies: dependencies, local: local, runtime: runtime, scripts: lines(fields.Scripts), postcss: fields.PostCSS != nil}
	made.packages = slices.Concat(slices.Collect(maps.Keys(fields.Dependencies)), slices.Collect(maps.Keys(fields.DevDependencies)))
	made.sections = map[string]any{
		"dependencies": fields.Dependencies, "devDependencies": fields.DevDependencies, "optionalDependencies": fields.Optional,
		"peerDependencies": fields.Peers, "overrides": fields.Override, "workspaces": fields.Spaces,
	}
	return made, nil
}

// chosenRuntime reads {"runtime": "node"}.
func chosenRuntime(source []byte, atelier any) (Runtime, error) {
	fields, _ := atelier.(map[string]any)
	switch chosen := fields["runtime"]; chosen {
	case nil:
		return "", nil
	case string(RuntimeNode), string(RuntimeGo), string(RuntimeStatic):
		return Runtime(chosen.(string)), nil
	}
	at := max(0, bytes.Index(source, []byte(`"runtime"`)))
	return "", mistake(source, at, `package.json: atelier.runtime must be "node", "go" or "static"`)
}

// lines are the members of an object whose values are strings.
func lines(object any) map[string]string {
	fields, _ := object.(map[string]any)
	found := map[string]string{}
	for name, value := range fields {
		if line, is := value.(string); is && strings.TrimSpace(line) != "" {
			found[name] = line
		}
	}
	return found
}

// isStylePackage reports whether style sheets use a development dependency. The
// others are tools (bundlers, compilers, linters), which the builder replaces and
// no page imports.
func isStylePackage(name string) bool {
	switch name {
	case "tailwindcss", "tw-animate-css", "daisyui", "@tailwindcss/typography", "@tailwindcss/forms",
		"@tailwindcss/aspect-ratio", "@tailwindcss/container-queries":
		return true
	}
	return strings.HasPrefix(name, "tailwindcss-")
}

// extends finds what a configuration of TypeScript extends.
var extends = regexp.MustCompile(`"extends"\s*:\s*(?:"[^"]*"|\[[^\]]*\])`)

// addOptions looks for packages that configurations of TypeScript extend.
func (m *manifest) addOptions(files fs.FS) {
	names, _ := fs.Glob(files, "[jt]sconfig*.json")
	var extended string
	for _, name := range names {
		extended += strings.Join(extends.FindAllString(readSource(files, name), -1), "\n")
	}
	m.options = map[string]string{}
	development, _ := m.sections["devDependencies"].(map[string]string)
	for name, version := range development {
		_, isLocal := build.LocalFolder(version, ".")
		if !isLocal && (strings.Contains(extended, `"`+name+`"`) || strings.Contains(extended, `"`+name+`/`)) {
			m.options[name] = version
		}
	}
}

// blame attributes a failed installation to the entry of package.json that its
// message names. The longest name wins, because "react" is part of "react-dom".
func (m manifest) blame(err error) error {
	var failure *core.Error
	if m.source == nil || !errors.As(err, &failure) {
		return err
	}
	blamed := ""
	for name := range m.dependencies {
		longer := len(name) > len(blamed) || len(name) == len(blamed) && name < blamed
		if longer && strings.Contains(failure.Message, name) {
			blamed = name
		}
	}
	return &misplacedError{diagnosticAt(m.source, m.offsetOfEntry(blamed), failure.Message), err}
}

// offsetOfEntry finds the key of a dependency, or of the list of dependencies if
// the name is not in it. The source has been decoded before, so its syntax is
// valid.
func (m manifest) offsetOfEntry(name string) int {
	tokens := json.NewDecoder(bytes.NewReader(m.source))
	_, _ = tokens.Token()
	list := 0
	for tokens.More() {
		key, start := nextKey(tokens)
		if key != "dependencies" && key != "devDependencies" {
			skipValue(tokens)
			continue
		}
		if key == "dependencies" {
			list = start
		}
		if open, _ := tokens.Token(); open != json.Delim('{') {
			continue
		}
		for tokens.More() {
			entry, at := nextKey(tokens)
			if entry == name {
				return at
			}
			skipValue(tokens)
		}
		_, _ = tokens.Token()
	}
	return list
}

// nextKey returns a member's name and the offset of its opening quote.
func nextKey(tokens *json.Decoder) (string, int) {
	token, _ := tokens.Token()
	key, _ := token.(string)
	return key, int(tokens.InputOffset()) - len(key) - len(`""`)
}

func skipValue(tokens *json.Decoder) {
	var value json.RawMessage
	_ = tokens.Decode(&value)
}

// offsetOf returns the offset at which a decoder failed.
func offsetOf(err error) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return int(syntax.Offset) - 1
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return int(kind.Offset) - 1
	}
	return 0
}

func mistake(source []byte, offset int, message string) error {
	return &misplacedError{diagnosticAt(source, offset, message), core.Errorf(core.CodeValidationFailed, "%s", message)}
}

// diagnosticAt counts lines, and bytes in the line, up to offset.
func diagnosticAt(source []byte, offset int, message string) core.Diagnostic {
	before := source[:min(max(offset, 0), len(source))]
	return core.Diagnostic{
		Path:    ManifestPath,
		Line:    bytes.Count(before, []byte("\n")) + 1,
		Column:  len(before) - bytes.LastIndexByte(before, '\n'),
		Message: message,
	}
}
