// Package tailwind runs Tailwind CSS without Node.
//
// Tailwind's compiler is plain JavaScript: it runs in QuickJS, translated to Go,
// in a machine that has no files, no network and no process, and whose memory and
// time are bounded. One machine compiles one style sheet of one project, so that
// whatever a project's configuration does to its machine stays there. What a
// style sheet and a configuration import is found by the caller.
//
// Tailwind itself finds class names with a program in Rust. Here [Scan] takes its
// place: it finds at least what that finds, and the compiler leaves out what is no
// class of its own.
//
// The package holds a copy of Tailwind (see tailwindcss/LICENSE) for projects that
// bring none, or one that is too old to be compiled in this way.
//
// A machine has 192 MB of memory and 10 seconds for a step (DefaultLimits). Scan follows the
// rules of Tailwind's scanner for where a class name may stand. testdata/tailwind.golden.css
// in adapters/esbuild is the output of the real command, and a test there compares every
// declaration.
package tailwind
