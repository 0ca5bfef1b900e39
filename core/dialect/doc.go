// Package dialect makes models usable that cannot call tools natively, or that write
// calls slightly wrong. It has decorators of ai.Provider that write tools and calls as
// tagged text (Tagged) and that read the calls and thoughts which a server left in the
// text of an answer (Cleaned: the forms are in written.go, the names that models learnt
// elsewhere in names.go), a probe that finds out what a model needs, and the repair of
// arguments.
//
// In tagged text a call is
//
//	<call-7f3a2b tool="write_file">
//	<arg-7f3a2b name="path">src/a.tsx</arg-7f3a2b>
//	<arg-7f3a2b name="content">
//	…
//	</arg-7f3a2b>
//	</call-7f3a2b>
//
// and its result is in <result-7f3a2b tool="write_file">…</result-7f3a2b> in the
// next message. The number is a random nonce, so that no text of a file, a person or
// an earlier answer can imitate a tag. parser.go finds the calls in the text while it is
// streamed. Native calls come in pieces, which adapters/internal/modelhttp (calls.go) puts
// together.
//
// # Adding a dialect
//
// Native passes calls through and falls back to Tagged when a server refuses tools. Tagged
// writes tools, calls and results as text in tags, and streams the text outside of the tags at
// once. Probe tries a workspace's provider when it is added, changed or tested; other models
// are believed to be what their server declares. Chooser.choice in core/models picks the
// decorator.
//
//  1. Add a word of core.Dialect.
//  2. Write a decorator of ai.Provider, with a parser and a render.
//  3. Run aitest.Run and a fuzz target over it.
//  4. Add its try to Probe.
//  5. Add its case to Chooser.choice.
package dialect
