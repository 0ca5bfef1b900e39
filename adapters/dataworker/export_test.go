package dataworker

// Kill kills the worker, as the kernel might.
func (e *Engine) Kill() {
	if worker, ok := e.workers.Current(); ok {
		worker.Process.Kill()
	}
}
