// Package tokencount estimates tokens for providers that have no tokenizer.
package tokencount

import "github.com/atelierhq/atelier/ports/ai"

// bytesPerToken is the usual rule of thumb for English text and code.
const bytesPerToken = 4

// Request estimates the input tokens of a request.
func Request(req ai.Request) int64 {
	size := len(req.System)
	for _, message := range req.Messages {
		size += len(message.Words())
		for _, call := range message.Calls {
			size += len(call.Tool) + len(call.Args)
		}
	}
	for _, tool := range req.Tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	return int64(size/bytesPerToken) + 1
}

// Chunk estimates the output tokens of a chunk.
func Chunk(chunk ai.Chunk) int64 {
	size := len(chunk.Text) + len(chunk.Reasoning)
	if chunk.Call != nil {
		size += len(chunk.Call.Tool) + len(chunk.Call.Args)
	}
	return int64(size/bytesPerToken) + 1
}
