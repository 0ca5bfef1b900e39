package build

import "github.com/atelierhq/atelier/core"

// ViteConfig is what a project's configuration of Vite says.
type ViteConfig struct {
	// Unsupported says what a Builder cannot follow, for people: "vite.config.ts imports
	// vite-plugin-pwa". The project's own tools can. It is "" if a Builder follows
	// everything.
	Unsupported string
	// Diagnostics are mistakes that keep the configuration from being read.
	Diagnostics []core.Diagnostic
	// Preview and Site are what it says for builds of either mode.
	Preview, Site ViteSettings
}

// Of returns the settings of a mode; functions have those of sites.
func (c ViteConfig) Of(mode Mode) ViteSettings {
	if mode == ModePreview {
		return c.Preview
	}
	return c.Site
}

// ViteSettings is the part of a configuration that changes pages.
type ViteSettings struct {
	Aliases []ViteAlias
	// Define are expressions by the global names that they replace: JSON, or a name.
	Define map[string]string
	// EnvPrefixes begin the names of variables that pages may read, besides the usual ones;
	// EnvDir is the folder of the .env files, "" for the root.
	EnvPrefixes []string
	EnvDir      string
	// JSXSource is the package that provides the JSX runtime, "" for the usual one.
	JSXSource string
}

// ViteAlias replaces the beginning of an import: all of it, or what comes before a slash.
type ViteAlias struct {
	Find string
	// Pattern means that Find is a regular expression of Go's syntax, and Path has Go's
	// references to its groups.
	Pattern bool
	// Path is the place in the project to which the import leads; Package is a package
	// instead.
	Path, Package string
}
