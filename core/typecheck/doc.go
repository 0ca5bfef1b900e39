// Package typecheck finds type errors in projects, on request. It is separate from
// building: bundlers strip types without checking them, so a project with type
// errors builds and runs.
//
// Neither saving nor publishing waits for a check, and a run of the agent only a few seconds.
// ports/typecheck is the compiler; adapters/bwrap confines it.
//
// The configuration is tsconfig.app.json, else tsconfig.json, at the project's root. The
// packages of a check are the project's dependencies, its @types/*, and those other
// devDependencies that appear in quotes in a TypeScript source or in the configuration ("vite"
// by "vite/client", "vitest"). Only places in files of the project are reported. Options
// of older compilers (baseUrl, old targets) keep their meaning. The functions of a backend are checked although
// the configurations of templates include only src; without a backend, a directory of that name is
// something else. Components of Vue, Svelte and Astro need compilers of their own and are not
// checked.
package typecheck
