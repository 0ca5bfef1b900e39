// Package ctxsync has what package sync and time.Sleep lack: waiting that ends with a
// context. A Mutex and a KeyedMutex, which has a mutex for each key, have one holder at a
// time. A SingleFlight shares one call among its callers, Sleep pauses, Wait waits for a
// sync.WaitGroup, and a Signal wakes a goroutine that also waits for other things.
package ctxsync
