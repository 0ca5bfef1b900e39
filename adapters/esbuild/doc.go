// Package esbuild builds projects with esbuild, in the process that calls it: a
// build worker, or a host that embeds the service.
//
// A project follows the conventions of Vite: its pages are HTML files at the
// root, whose module scripts and style sheets are the entries; public/ is copied
// as it is; import.meta.env, import.meta.glob, path aliases of tsconfig.json and of
// what it extends, CSS modules, assets as addresses, ?raw and ?url, and workers work
// as there. A project's own build configuration is never run, but its aliases are read.
//
// Projects that other tools made find what they expect: Create React App its page in
// public/ and pictures as components, all of them process.env and some modules of Node,
// and packages that package.json finds in folders ("file:packages/ui") their sources.
//
// import.meta.glob, imports with a template as their path and new URL(…,
// import.meta.url) become plain imports before a source is parsed. A worker's script is
// one bundle with all that it imports.
//
// A Builder builds in one of two modes, each a package: site makes one bundle, preview a
// file of every module. Both use prebuilt, which bundles dependencies once, and project,
// which reads sources and packages. Package styles makes style sheets with Tailwind. A
// Builder also checks the syntax of single files (syntax.go, markup.go).
//
// # Confinement
//
// Sources are read from an fs.FS only, packages only below the directories that
// the store links to, and nothing else of the disk. esbuild itself knows the
// sources under a namespace of their own, so that its own resolver and its search
// for tsconfig.json, source maps and computed imports have no directory to start
// from.
package esbuild
