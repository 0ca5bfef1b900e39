package main

import "syscall"

// endWithParent has the kernel end the server at once when testenv is killed.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
