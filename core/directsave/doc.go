// Package directsave carries out the patches of the visual editor: single values
// in the sources, without a model.
//
// The file is rewritten under the project's lock by files.Writer.Rewrite; the port markup
// says which bytes change. adapters/markup takes the positions of JSX elements from esbuild's
// development output. adapters/internal/splice follows tags, declarations and style objects
// from there, edits only those bytes, and scans the result again before it is written.
// adapters/internal/tailwindclass writes declarations as classes of Tailwind, in the dialect of the
// project (dialect.go). Try tells, without
// a change, which patches Save would apply, so that an editor can say so in advance.
package directsave
