// Package dialect makes models usable that cannot call tools natively, or that write
// the arguments of a call slightly wrong. It has decorators of ai.Provider that
// write tools and calls as tagged text, a probe that finds out what a model needs,
// and the repair of arguments.
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
// an earlier answer can imitate a tag.
package dialect
