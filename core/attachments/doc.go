// Package attachments loads the images that people send with their messages, and
// checks them.
//
// Images come with a message as data URLs or as addresses. Before the run begins they are
// fetched through the guarded client (ports/netguard). Their data alone tells what they are:
// anything but a whole PNG, JPEG, GIF or WebP within bounds is refused. They are stored in the
// transaction that creates the run, and user.message names them by id. If the model cannot see
// images, the run ends before the model is called.
package attachments
