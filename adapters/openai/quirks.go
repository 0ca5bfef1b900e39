package openai

import "sync"

// Quirks are what refusals have taught of servers and their models. Providers that share them, such as
// all of a process, meet each refusal once. The zero value is ready to use, by many goroutines.
type Quirks struct {
	// plain are the models that refused encryptedReasoning, because they do not think; mute those whose
	// server refused thoughts of earlier answers, demanding those that refused answers without.
	plain, mute, demanding modelSet
}

// modelSet is a set of models.
type modelSet struct {
	mu    sync.Mutex
	names map[string]bool
}

// maxModels bounds a modelSet. What is forgotten is learnt again.
const maxModels = 1000

func (s *modelSet) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

func (s *modelSet) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil || len(s.names) >= maxModels {
		s.names = map[string]bool{}
	}
	s.names[name] = true
}

// named distinguishes models of equal names at several servers.
func (p *Provider) named(model string) string { return p.address + "\n" + model }
