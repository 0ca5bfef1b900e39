// Package builds makes a project's pages: it reads package.json, installs its
// dependencies, and has the sources bundled. Previews and publishing share it, so a
// project that builds in one builds in the other.
//
// # Runtimes
//
// Detect reads package.json, what the builder says of vite.config, and the PostCSS configuration,
// and says which runtime makes a project's pages. Plan holds what follows from that.
//
//	static  the project's files are the pages
//	go      the service's own builder (ports/build)
//	node    the project's own tools, in the sandbox (ports/toolchain)
//
// Known plugins (React, Tailwind, tsconfig paths, what other builders add for their editors)
// leave a project with the service's builder, and so does Create React App. The builder evaluates
// vite.config and follows aliases, definitions and the rest of build.ViteSettings; any other option
// that changes pages, any other plugin, a script "dev" that starts more than Vite, a framework (Vue,
// Svelte, Next, Astro, Angular, …), a preprocessor or a foreign PostCSS plugin makes it node. The member {"atelier": {"runtime":
// "node" | "go" | "static"}} of package.json always wins; the template vite-react says "node".
// The status of a preview carries runtime, runtimeReason and, until a server answers,
// progress.
//
// # Publishing with a project's own tools
//
// The script "build" runs on a copy of the files. The first of dist, build, out,
// .output/public and so on that has an index.html becomes the deployment; it is read within
// bounds and without following links. Only environment values with the prefix VITE_ reach the
// build (Create React App and Next also find VITE_KEY by their own prefixes), and a site that
// shows the value of another one does not build.
//
// # Preparing
//
// At the first start, while there is no build cache, the service installs the packages of the
// built-in templates. Two seconds later it builds one project of each set of packages
// (Prepare), so that the first project is as quick as the second. PREPARE=off turns this off,
// as tests that start the binary do.
//
// # Known limits
//
// Without a sandbox or Node.js on the machine, projects with the runtime node answer
// sandbox_unavailable; all others work. HMR over a port of its own (server.hmr.port) is not
// proxied. Tools that need native builds at install time do not work, because install scripts
// never run. SANDBOX=unsafe does not apply to tools: they are isolated or do not run.
package builds
