package chromium

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// maxMessage bounds one message of the browser in bytes. A page that makes it say more ends
// it: the client library would read a message of any length.
const maxMessage = 48 << 20

// messagesFD is where the browser's messages to the client library are among a command's
// extra files.
const messagesFD = 1

// boundMessages puts a pipe between the browser and the client library that ends when a
// message is too long. It returns the file that is to be closed once the command has started.
func boundMessages(cmd *exec.Cmd, tooLong func()) (*os.File, error) {
	library, err := duplicate(cmd.ExtraFiles[messagesFD])
	if err != nil {
		return nil, err
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		_ = library.Close()
		return nil, err
	}
	cmd.ExtraFiles[messagesFD] = theirs
	go func() {
		defer func() {
			_ = ours.Close()
			_ = library.Close()
		}()
		if err := copyMessages(library, ours, maxMessage); errors.Is(err, bufio.ErrTooLong) {
			tooLong()
		}
	}()
	return theirs, nil
}

// duplicate returns another descriptor of an open file.
func duplicate(file *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	number, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(number)
	return os.NewFile(uintptr(number), file.Name()), nil
}

// copyMessages copies messages, which end with a zero byte, as long as none has more bytes
// than limit.
func copyMessages(to io.Writer, from io.Reader, limit int) error {
	var since int
	block := make([]byte, 64<<10)
	for {
		n, err := from.Read(block)
		first, last := bytes.IndexByte(block[:n], 0), bytes.LastIndexByte(block[:n], 0)
		if first < 0 {
			first = n
		}
		if since+first > limit {
			return bufio.ErrTooLong
		}
		since += n
		if last >= 0 {
			since = n - last - 1
		}
		if _, failed := to.Write(block[:n]); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
}
