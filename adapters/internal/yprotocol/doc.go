// Package yprotocol reads and writes the messages that clients of y-websocket and a room
// exchange, one a frame.
//
// A client begins with SyncStep1, its state vector, and is answered with SyncStep2, what
// it lacks; the room asks likewise. From then on changes travel as Update. Awareness is
// what people show of themselves, a cursor for instance: for each client of the document
// a value in JSON and a clock that counts its changes, null when the client is gone. A
// client renews its own every 15 seconds and takes others for gone after 30.
//
// A client of y-websocket closes a connection on which it heard nothing for 30 seconds,
// so a room sends awareness to everybody, its sender included.
package yprotocol
