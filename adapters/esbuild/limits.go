package esbuild

// The bounds of one build. Whoever writes a project can put anything into it, and a
// mistake with a name helps people more than a builder that has died of it.
const (
	// maxModuleBytes bounds a source that is parsed.
	maxModuleBytes = 4 << 20
	// maxAssetBytes bounds a file that is copied; it is above what a project may
	// store in one file.
	maxAssetBytes = 64 << 20
	// maxFiles and maxTotalBytes bound what one build reads from a project.
	maxFiles      = 10_000
	maxTotalBytes = 512 << 20
	// maxDiagnostics bounds what is reported: one mistake can break every file.
	maxDiagnostics = 100
	// maxPages bounds the HTML pages of a project.
	maxPages = 200
)
