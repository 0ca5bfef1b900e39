// Package styles makes plain CSS of a project's style sheets with Tailwind. It finds, in
// the project and its packages, what a sheet imports, the plugins and configurations
// that it names, and the files that class names are looked for in; Tailwind's own
// compiler runs in adapters/internal/tailwind, which knows no project.
package styles
