package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// bom is a software bill of materials (SBOM) of a release, in the format of CycloneDX
// 1.6.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref,omitempty"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	URL     string `json:"purl,omitempty"`
}

// writeBOM lists the modules and packages that notices name. It omits Go itself, and code
// that is copied into the sources, because notices give no version of them.
func writeBOM(w io.Writer, version string, from notices) error {
	list := bom{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{component{Type: "application", Name: "atelier", Version: version}},
	}
	for name := range from {
		list.Components = append(list.Components, componentOf(name))
	}
	slices.SortFunc(list.Components, func(a, b component) int { return strings.Compare(a.Name+" "+a.Version, b.Name+" "+b.Version) })
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

// componentOf parses the name of a component. Its address is a package URL.
func componentOf(called string) component {
	if module, found := strings.CutPrefix(called, "Go module "); found {
		path, version, _ := strings.Cut(module, " ")
		url := "pkg:golang/" + path + "@" + version
		return component{Type: "library", Ref: url, Name: path, Version: version, URL: url}
	}
	if pkg, found := strings.CutPrefix(called, "npm package "); found {
		at := strings.LastIndex(pkg, "@")
		url := "pkg:npm/" + strings.Replace(pkg[:at], "@", "%40", 1) + pkg[at:]
		return component{Type: "library", Ref: url, Name: pkg[:at], Version: pkg[at+1:], URL: url}
	}
	return component{Type: "library", Name: called}
}
