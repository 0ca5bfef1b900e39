// Package recording keeps what passes between Atelier and the models, and plays it
// back: a decorator of the port ai that writes every exchange to a file, and a
// provider that answers from such a file. So a bug report is a file, and that
// file is a test. The setting AI_RECORD names a folder for them.
//
// A recording is JSON Lines in UTF-8, one JSON object a line, told apart by "kind".
// This is version 1:
//
//	{"kind":"recording","version":1,"at":"2026-01-31T12:00:00.000Z","images":false}
//	{"kind":"exchange","provider":"openai","at":…,"ms":812,"request":{…},"chunks":[…],"usage":{…},"end":{…}}
//	{"kind":"models","provider":"ollama","at":…,"ms":4,"models":[…],"end":{…}}
//	{"kind":"full"}
//
// The first line is the "recording", the last of one that reached its bound is
// "full". An "exchange" is one call of Generate: the request with its model,
// system, messages, tools, limits and schema; the chunks in order, each with the
// milliseconds since the call began; what was used; and how it ended. The how of
// "end" is "done"; "failed" with the error's code, message, retryAfterMs and flags;
// "left" when the caller's context ended; or "sink" when the caller took no more.
// "models" is one call of Models.
//
// A text that is not UTF-8 is an object {"base64": …} instead of a string.
// Arguments, parameters and schemas are texts too, because a model may give
// arguments that are no JSON. An image is its type, its size and its SHA-256, and
// its content only in recordings that say "images":true.
//
// A recording holds people's prompts and files. It never holds a key, an address
// of a provider, the cause of a failure, or anything of the environment: none of
// these is part of a request, and they are not asked for. The file has mode 0600.
//
// A line is written whole, with one write and a sync, when its exchange has ended.
// A crash loses at most the exchanges under way, and leaves at most a torn last
// line, which a reader passes over.
package recording
