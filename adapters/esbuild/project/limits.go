package project

// The bounds of one build. Whoever writes a project can put anything into it, and a
// mistake with a name helps people more than a builder that has died of it.
const (
	// MaxModuleBytes bounds a source that is parsed.
	MaxModuleBytes = 4 << 20
	// MaxAssetBytes bounds a file that is copied; it is above what a project may
	// store in one file.
	MaxAssetBytes = 64 << 20
	// MaxFiles and maxTotalBytes bound what one build reads from a project.
	MaxFiles      = 10_000
	maxTotalBytes = 512 << 20
	// MaxDiagnostics bounds what is reported: one mistake can break every file.
	MaxDiagnostics = 100
	// maxPages bounds the HTML pages of a project.
	maxPages = 200
)
