package pocketbase

import "github.com/atelierhq/atelier/core"

// Running is how many statements of a workspace run.
func (e *Engine) Running(workspace core.ID) int64 { return e.config.turns.Running(workspace) }
