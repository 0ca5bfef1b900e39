package main

import "syscall"

// endWithParent makes the kernel kill the server immediately when testenv is killed.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
