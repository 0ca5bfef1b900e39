// Package esbuild builds projects with esbuild, in the process that calls it: a
// build worker, or a host that embeds the service.
//
// A project follows the conventions of Vite: its pages are HTML files at the
// root, whose module scripts and style sheets are the entries; public/ is copied
// as it is; import.meta.env, import.meta.glob, path aliases of tsconfig.json, CSS
// modules, assets as addresses, ?raw and ?url, and workers work as there. A
// project's own build configuration is never run.
//
// A Builder (builder.go) builds in one of two modes, and also checks the syntax of single
// files (syntax.go, markup.go):
//
//   - A published site is one bundle (site.go).
//   - A preview is a graph of modules, each transformed alone (preview.go, graph.go,
//     module.go, transform.go, style.go, address.go). It is written with versions and a
//     manifest (versions.go, manifest.go, preload.go, runtime.go), and with what links
//     and Fast Refresh need (outline.go, link.go, refresh.go).
//
// Both use bundles of dependencies (dependencies.go, cache.go), package project, which
// reads sources and packages, and package styles, which makes style sheets with Tailwind.
//
// # Confinement
//
// Sources are read from an fs.FS only, packages only below the directories that
// the store links to, and nothing else of the disk. esbuild itself knows the
// sources under a namespace of their own, so that its own resolver and its search
// for tsconfig.json, source maps and computed imports have no directory to start
// from.
//
// # Previews
//
// A preview has Vite's shape: every module of the project is a file of its own below
// /@app/, made alone, and remembered as long as all that was asked of the sources for
// it has the same answer (module, project.Trace). Each has a version, which its importers
// carry in the address; a change makes new versions up to the modules that a page can
// replace (versions). A manifest lists all versions, and the page's runtime compares
// it with what the page has: it imports what is new and lets React's Fast Refresh
// keep the state of components, exchanges style sheets, or loads the page again.
//
// What Fast Refresh has to know, and what modules export, is read from esbuild's own
// print of a module, which is canonical (outline, refresh, link): esbuild offers no
// syntax tree.
//
// # Dependencies
//
// What a preview imports from packages is bundled once for a set of packages and
// kept, in memory and on the disk. A CommonJS module of a package has no list of
// exports, so the project reaches it through a bridge: a CommonJS module whose
// exports are the default export of the pre-built file. A site treats packages in
// CommonJS form in the same way, since nothing of them can be shaken off, and
// bundles the others with the project.
//
// # Module versions
//
// The version in a module's address is a digest of the module and of the versions of its
// imports, up to the first module that a page can hot-replace by itself: one whose exports are
// all components, one that accepts itself, or a style sheet. The version must not cover
// everything below the module. A page has a module once for every address under which it is
// imported, so a store or a React context whose version changed with every component below it
// would exist twice.
//
// A module's text names the versions of its imports, so the text can change while the module's
// own version stays. Pages therefore revalidate modules each time (no-cache, 304) instead of
// caching them forever.
//
// Imported names that the target does not export are diagnostics, as with a bundler: a browser
// would refuse the whole page. import.meta.glob, imports with a template as their path and new
// URL(…, import.meta.url) become plain imports before a source is parsed, in previews and
// sites alike. A worker's script is one bundle with all that it imports.
//
// # A save in an open preview
//
// The session of core/preview asks for a rebuild, and only the module that changed is
// transformed again. The files of the build are again an immutable set with an ID. The page
// hears build.ok and compares /@app/modules.json with the modules that it has; the event
// carries that list if it is at most 32 KiB, so a save usually costs a page one request, for
// the new module. The page imports the module under its new address, and Fast Refresh keeps
// the state of components. Style sheets are exchanged in place. Any other change (an entry,
// the page, public files, the environment) reloads the page. The server keeps nothing about
// pages: it only tells them that there is another build.
package esbuild
