// Package preview builds previews of projects, in Vite's shape: every module of the
// project is a file of its own below /@app/, made alone, and remembered as long as all
// that was asked of the sources for it has the same answer (module, project.Trace). Each
// has a version, which its importers carry in the address; a change makes new versions up
// to the modules that a page can replace (versions). A manifest lists all versions, and
// the page's runtime compares it with what the page has: it imports what is new and lets
// React's Fast Refresh keep the state of components, exchanges style sheets, or loads the
// page again.
//
// What Fast Refresh has to know, and what modules export, is read from esbuild's own
// print of a module, which is canonical (outline, refresh, link): esbuild offers no
// syntax tree.
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
// would refuse the whole page.
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
package preview
