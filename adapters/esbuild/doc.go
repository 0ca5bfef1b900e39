// Package esbuild builds projects in process with esbuild.
//
// A project follows the conventions of Vite: its pages are HTML files at the
// root, whose module scripts and style sheets are the entries; public/ is copied
// as it is; import.meta.env, path aliases of tsconfig.json, CSS modules, assets
// as addresses, ?raw and ?url work as there. A project's own build configuration
// is never run.
//
// # Confinement
//
// Sources are read from an fs.FS only, packages only below the directories that
// the store links to, and nothing else of the disk. esbuild itself knows the
// sources under a namespace of their own, so that its own resolver and its search
// for tsconfig.json, source maps and computed imports have no directory to start
// from.
//
// # Dependencies
//
// A preview bundles the project's modules alone. What they import from packages
// is bundled once for a set of packages and kept, in memory and on the disk. A
// CommonJS module of a package has no list of exports, so the project reaches it
// through a bridge: a CommonJS module whose exports are the default export of the
// pre-built file. A site treats packages in CommonJS form in the same way, since
// nothing of them can be shaken off, and bundles the others with the project.
package esbuild
