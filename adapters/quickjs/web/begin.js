// The standard APIs of the web inside an isolate. prelude.go joins these files to one
// script. Its value is the function through which the engine calls it.
"use strict";
(() => {
  const host = globalThis.isolateHost;
  delete globalThis.isolateHost;

  const define = (members) => {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
    }
  };

  class DOMException extends Error {
    #name;
    constructor(message = "", name = "Error") {
      super(message);
      this.#name = String(name);
    }
    get name() { return this.#name; }
    get code() { return 0; }
  }

  // bytesOf returns the bytes of a buffer or of any typed array, without a copy.
  const bytesOf = (value) => {
    if (value instanceof Uint8Array) return value;
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value);
    throw new TypeError("expected an ArrayBuffer, or an array of bytes");
  };
  const toBase64 = (bytes) => bytes.toBase64();
  const fromBase64 = (text) => Uint8Array.fromBase64(text);
  const encode = (text) => fromBase64(host("encode", String(text)));
  const decode = (bytes) => host("decode", toBase64(bytes), false);
