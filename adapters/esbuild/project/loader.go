package project

import (
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Loaders maps extensions to what an import of such a file means.
var Loaders = map[string]api.Loader{
	".js": api.LoaderJSX, ".mjs": api.LoaderJSX, ".cjs": api.LoaderJSX, ".jsx": api.LoaderJSX,
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
	".json": api.LoaderJSON, ".css": api.LoaderCSS,
}

// assetExtensions are the files whose import yields their address.
var assetExtensions = []string{
	".apng", ".avif", ".bmp", ".cur", ".gif", ".ico", ".jfif", ".jpeg", ".jpg", ".jxl", ".pjp", ".pjpeg", ".png", ".svg", ".webp",
	".aac", ".flac", ".m4a", ".mov", ".mp3", ".mp4", ".ogg", ".opus", ".wav", ".webm", ".vtt",
	".eot", ".otf", ".ttf", ".woff", ".woff2", ".pdf", ".txt", ".wasm", ".webmanifest", ".glb", ".gltf", ".hdr",
}

// LoaderTable returns Loaders for esbuild itself, for the files of packages.
func LoaderTable() map[string]api.Loader {
	table := make(map[string]api.Loader, len(Loaders)+len(assetExtensions))
	for ext, loader := range Loaders {
		table[ext] = loader
	}
	for _, ext := range assetExtensions {
		table[ext] = api.LoaderFile
	}
	return table
}

// LoaderOf returns the loader of a file, LoaderNone for an unknown extension.
func LoaderOf(name string) api.Loader {
	ext := strings.ToLower(path.Ext(name))
	if strings.HasSuffix(name, ".module.css") {
		return api.LoaderLocalCSS
	}
	if loader, known := Loaders[ext]; known {
		return loader
	}
	for _, asset := range assetExtensions {
		if ext == asset {
			return api.LoaderFile
		}
	}
	return api.LoaderNone
}

// SuffixLoader applies the part of an import from "?" on.
func SuffixLoader(name, suffix string, loader api.Loader) (api.Loader, error) {
	switch suffix {
	case "":
	case "?raw":
		return api.LoaderText, nil
	case "?init":
		if strings.EqualFold(path.Ext(name), ".wasm") {
			return api.LoaderJS, nil
		}
		return loader, fmt.Errorf("only .wasm files can be imported with %q", suffix)
	case "?inline":
		if loader == api.LoaderCSS {
			return api.LoaderText, nil
		}
		return api.LoaderDataURL, nil
	default:
		if loader != api.LoaderFile {
			return loader, fmt.Errorf("the import suffix %q is not supported", suffix)
		}
	}
	if loader == api.LoaderNone {
		return loader, unknownFile(name)
	}
	return loader, nil
}

func unknownFile(name string) error {
	switch ext := path.Ext(name); ext {
	case ".vue", ".svelte", ".astro", ".mdx", ".scss", ".sass", ".less", ".styl":
		return fmt.Errorf("%s files need a compiler that this builder does not have", ext)
	default:
		return fmt.Errorf(`%s files cannot be imported as they are: add "?raw" for their text or "?url" for their address`, ext)
	}
}

// LabelSign separates a style sheet from the prefix of its local names. esbuild derives
// that prefix from the last part of a path.
const LabelSign = "?local=/"

// WithoutLabel returns the name of a style sheet without the label.
func WithoutLabel(name string) string {
	if i := strings.LastIndex(name, LabelSign); i >= 0 {
		return name[:i]
	}
	return name
}
