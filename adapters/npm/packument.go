package npm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/atelierhq/atelier/core"
)

// packument is what the registry says about a package, in its abbreviated form. Versions
// are parsed one by one, so that a broken one does not spoil the others.
type packument struct {
	DistTags map[string]string `json:"dist-tags,omitempty"`
	Versions versionTable      `json:"versions"`

	sortOnce sync.Once
	sorted   []*semver.Version // descending
}

// versionTable maps version numbers to their manifests.
type versionTable map[string]json.RawMessage

// maxVersions bounds the versions of a packument. The packages with the most versions
// have a third of it.
const maxVersions = 50_000

// UnmarshalJSON implements json.Unmarshaler. It counts while it parses: a table takes
// many times the memory of its text.
func (t *versionTable) UnmarshalJSON(text []byte) error {
	tokens := json.NewDecoder(bytes.NewReader(text))
	if open, err := tokens.Token(); err != nil || open != json.Delim('{') {
		return errors.Join(err, errors.New("the versions are not an object"))
	}
	table := make(versionTable)
	for tokens.More() {
		version, err := tokens.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := tokens.Decode(&raw); err != nil {
			return err
		}
		if table[version.(string)] = raw; len(table) > maxVersions {
			return fmt.Errorf("there are more than %d versions", maxVersions)
		}
	}
	*t = table
	return nil
}

// manifest is what the registry says about one version.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Dependencies         map[string]string `json:"dependencies,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PeerDependencies     map[string]string `json:"peerDependencies,omitempty"`
	PeerDependenciesMeta map[string]struct {
		Optional bool `json:"optional"`
	} `json:"peerDependenciesMeta,omitempty"`
	// BundleDependencies is a list of names, or true for all.
	BundleDependencies json.RawMessage `json:"bundleDependencies,omitempty"`
	Deprecated         json.RawMessage `json:"deprecated,omitempty"`
	Dist               struct {
		Tarball   string `json:"tarball"`
		Integrity string `json:"integrity,omitempty"`
		Shasum    string `json:"shasum,omitempty"`
	} `json:"dist"`
}

// descending returns the versions that are valid semver, newest first.
func (p *packument) descending() []*semver.Version {
	p.sortOnce.Do(func() {
		for text := range p.Versions {
			if v, err := semver.StrictNewVersion(text); err == nil {
				p.sorted = append(p.sorted, v)
			}
		}
		slices.SortFunc(p.sorted, func(a, b *semver.Version) int {
			if order := b.Compare(a); order != 0 {
				return order
			}
			return strings.Compare(b.Original(), a.Original())
		})
	})
	return p.sorted
}

// pick chooses as npm does: the version of the tag; else the one tagged latest if it is
// in the range; else the newest in the range that is not deprecated; else the newest in
// the range.
func (p *packument) pick(want spec) (manifest, error) {
	if want.versions == nil {
		if found, ok := p.manifest(want.name, p.DistTags[want.text]); ok {
			return found, nil
		}
		return manifest{}, core.Errorf(core.CodeValidationFailed, "%s has no version with the tag %s", want.name, quoted(want.text))
	}
	if latest, err := semver.StrictNewVersion(p.DistTags["latest"]); err == nil && want.versions.holds(latest) {
		if found, ok := p.manifest(want.name, latest.Original()); ok {
			return found, nil
		}
	}
	var deprecated *manifest
	for _, v := range p.descending() {
		if !want.versions.holds(v) {
			continue
		}
		found, ok := p.manifest(want.name, v.Original())
		if ok && !found.isDeprecated() {
			return found, nil
		}
		if ok && deprecated == nil {
			deprecated = &found
		}
	}
	if deprecated != nil {
		return *deprecated, nil
	}
	return manifest{}, core.Errorf(core.CodeValidationFailed, "no version of %s satisfies %s", want.name, quoted(want.text))
}

// manifest parses one version. ok is false if the registry does not have it, or if its
// manifest contradicts its name.
func (p *packument) manifest(name, version string) (manifest, bool) {
	raw, found := p.Versions[version]
	if !found {
		return manifest{}, false
	}
	var m manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return manifest{}, false
	}
	_, err := semver.StrictNewVersion(m.Version)
	return m, err == nil && m.Name == name && m.Version == version
}

// isDeprecated is true for any non-empty text of the publisher.
func (m *manifest) isDeprecated() bool {
	switch string(m.Deprecated) {
	case "", "null", "false", `""`:
		return false
	}
	return true
}

// needed returns the dependencies to install. It leaves out optional ones, which are
// platform binaries and helpers that a bundle does not need, and those that the package's
// archive contains.
func (m *manifest) needed() map[string]string {
	bundled := m.bundled()
	needed := make(map[string]string, len(m.Dependencies))
	for name, text := range m.Dependencies {
		if _, optional := m.OptionalDependencies[name]; !optional && !bundled(name) {
			needed[name] = text
		}
	}
	return needed
}

func (m *manifest) bundled() func(name string) bool {
	if string(m.BundleDependencies) == "true" {
		return func(string) bool { return true }
	}
	var names []string
	if err := json.Unmarshal(m.BundleDependencies, &names); err != nil {
		return func(string) bool { return false }
	}
	return func(name string) bool { return slices.Contains(names, name) }
}
