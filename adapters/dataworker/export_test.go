package dataworker

// Kill kills the worker, as the kernel might.
func (e *Engine) Kill() {
	e.workers.mu.Lock()
	defer e.workers.mu.Unlock()
	if e.workers.process != nil {
		_ = e.workers.process.command.Process.Kill()
	}
}
