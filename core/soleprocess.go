package core

// SoleProcess says that no other process works on this process's database and projects. What
// it has read stays true until it changes it itself, and anything that another process
// owns belongs to a dead one. The zero value is the safe one: there may be other
// processes.
type SoleProcess bool
