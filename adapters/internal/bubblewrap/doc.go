// Package bubblewrap keeps what runs in bubblewrap from outliving whoever started it:
// a gate at which it waits until the kernel looks after it, and its init, which takes
// all of it along.
package bubblewrap
