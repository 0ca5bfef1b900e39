package memory_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/toolchain/toolchaintest"
)

func TestToolchain(t *testing.T) {
	toolchaintest.Run(t, func(t *testing.T) toolchaintest.Harness {
		trees := memory.NewTrees()
		project := core.NewID()
		if err := trees.Create(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		tools := memory.NewToolchain(trees)
		script := func(line string, does toolchaintest.Effect) {
			tools.Script(line, memory.ToolScript{
				Says: does.Says, Outcome: toolchain.Outcome{ExitCode: does.ExitCode}, Endless: does.Endless, Ends: does.Ends, Makes: does.Makes, Mute: does.Mute,
				Serves: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, does.Answers) }),
			})
		}
		broken := func() toolchain.Toolchain { return memory.NewToolchain(trees).SetMissing(true) }
		return toolchaintest.Harness{Tools: tools, Project: project, Script: script, Broken: broken}
	})
}
