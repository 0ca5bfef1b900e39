package npm

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/atelierhq/atelier/core"
)

// spec is a parsed entry of package.json: the requested versions of a package of the
// registry, whose name may differ from the entry's (an alias).
type spec struct {
	name string
	text string
	// versions is nil for a dist-tag.
	versions *versionRange
}

// maxNameBytes is the registry's own limit.
const maxNameBytes = 214

var (
	packageName = regexp.MustCompile(`^(@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)
	distTag     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)
)

func checkName(name string) error {
	if len(name) > maxNameBytes || !packageName.MatchString(name) || name == "node_modules" {
		return core.Errorf(core.CodeValidationFailed, "%s is not a valid package name", quoted(name))
	}
	return nil
}

// parseSpec parses an entry of package.json. It refuses everything that does not come
// from the registry, with code core.CodeValidationFailed.
func parseSpec(name, text string) (spec, error) {
	if err := checkName(name); err != nil {
		return spec{}, err
	}
	text = strings.TrimSpace(text)
	target := name
	if alias, isAlias := strings.CutPrefix(text, "npm:"); isAlias {
		target, text = splitAlias(alias)
		if err := checkName(target); err != nil {
			return spec{}, core.Wrap(core.CodeValidationFailed, err, "%s: %s does not name a package", name, quoted("npm:"+alias))
		}
	}
	if strings.ContainsAny(text, ":/") {
		return spec{}, core.Errorf(core.CodeValidationFailed,
			"%s: %s is not supported: use a version from the package registry", name, quoted(text))
	}
	if versions, ok := parseRange(text); ok {
		return spec{target, text, versions}, nil
	}
	if distTag.MatchString(text) {
		return spec{target, text, nil}, nil
	}
	return spec{}, core.Errorf(core.CodeValidationFailed, "%s: %s is not a version range", name, quoted(text))
}

// splitAlias splits "@scope/name@range".
func splitAlias(alias string) (name, text string) {
	if at := strings.LastIndexByte(alias, '@'); at > 0 {
		return alias[:at], alias[at+1:]
	}
	return alias, ""
}

// versionRange is an npm range.
type versionRange struct {
	constraints *semver.Constraints
	// previews are the releases whose pre-releases the range also includes: "1.2.0" for
	// >=1.2.0-beta.1.
	previews []string
}

var previewVersion = regexp.MustCompile(`(\d+\.\d+\.\d+)-[0-9A-Za-z-]`)

// maxRangeBytes bounds the text that is parsed. Ranges in use stay below 200 bytes.
const maxRangeBytes = 1024

// parseRange parses an npm range. It drops branches of "||" that do not parse, such as
// dist-tags, provided that one does.
func parseRange(text string) (*versionRange, bool) {
	if text == "" {
		text = "*"
	}
	if len(text) > maxRangeBytes {
		return nil, false
	}
	constraints, err := semver.NewConstraint(text)
	if err != nil {
		var sound []string
		for branch := range strings.SplitSeq(text, "||") {
			branch = strings.TrimSpace(branch)
			if _, err := semver.NewConstraint(branch); err == nil {
				sound = append(sound, branch)
			}
		}
		constraints, err = semver.NewConstraint(strings.Join(sound, " || "))
		if len(sound) == 0 || err != nil {
			return nil, false
		}
	}
	versions := &versionRange{constraints: constraints}
	for _, match := range previewVersion.FindAllStringSubmatch(text, -1) {
		versions.previews = append(versions.previews, match[1])
	}
	return versions, true
}

// holds reports whether v is in the range. As in npm, a pre-release is in it only if the
// range names one of the same major, minor and patch.
func (r *versionRange) holds(v *semver.Version) bool {
	if v.Prerelease() != "" {
		release, err := v.SetPrerelease("")
		if err != nil {
			return false
		}
		release, err = release.SetMetadata("")
		if err != nil || !slices.Contains(r.previews, release.String()) {
			return false
		}
	}
	return r.constraints.Check(v)
}

// maxQuotedBytes is how much of a text a message quotes.
const maxQuotedBytes = 200

// quoted quotes the beginning of a user's text for a message.
func quoted(text string) string {
	if len(text) > maxQuotedBytes {
		return fmt.Sprintf("%q…", text[:maxQuotedBytes])
	}
	return strconv.Quote(text)
}
