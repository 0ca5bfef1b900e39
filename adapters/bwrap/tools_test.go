package bwrap_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// tools are those of a place, with the limits of tools.
func (p *place) tools(mode bwrap.Mode, change func(*bwrap.Config)) *bwrap.Tools {
	return bwrap.NewTools(p.runner(mode, change), bwrap.ToolsConfig{Dir: p.t.TempDir()})
}

func (p *place) toolBench() porttest.ToolchainBench {
	return porttest.ToolchainBench{
		Tools: p.tools(bwrap.ModeBwrap, nil), Project: p.project(),
		Script: func(string, porttest.ToolEffect) {},
		Broken: func() toolchain.Toolchain {
			return p.tools(bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" })
		},
	}
}

func TestTools(t *testing.T) {
	porttest.TestToolchain(t, func(t *testing.T) porttest.ToolchainBench { return newPlace(t).toolBench() })
}
