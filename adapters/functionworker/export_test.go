package functionworker

// Kill kills the worker, as the kernel might.
func (p *Pool) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.current.kill()
	}
}

// Process returns the id of the worker's process, or 0.
func (p *Pool) Process() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return 0
	}
	return p.current.command.Process.Pid
}
