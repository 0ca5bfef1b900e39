package dataworker

// Kill kills the worker, as the kernel might.
func (e *Engine) Kill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process != nil {
		_ = e.process.command.Process.Kill()
	}
}
