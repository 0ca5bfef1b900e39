package core

// Exclusive says that this process is alone: no other one works on its database and its
// projects. What it knows of them stays true until it changes it itself, and what another
// process owned belongs to one that died. The zero value is the safe one, a process beside
// others.
type Exclusive bool
