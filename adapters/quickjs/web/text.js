  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return encode(text); }
    encodeInto(text, into) {
      let read = 0, written = 0;
      for (const character of String(text)) {
        const bytes = encode(character);
        if (written + bytes.length > into.length) break;
        into.set(bytes, written);
        written += bytes.length;
        read += character.length;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #fatal; #ignoreBOM;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      if (!["utf-8", "utf8", "unicode-1-1-utf-8"].includes(String(label).trim().toLowerCase())) {
        throw new RangeError("this TextDecoder knows utf-8 only");
      }
      this.#fatal = Boolean(fatal);
      this.#ignoreBOM = Boolean(ignoreBOM);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(value) {
      if (value === undefined) return "";
      const text = host("decode", toBase64(bytesOf(value)), this.#fatal);
      return !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
  }

  const btoa = (text) => {
    text = String(text);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 255) throw new DOMException("btoa takes characters up to U+00FF only", "InvalidCharacterError");
      bytes[i] = code;
    }
    return toBase64(bytes);
  };

  const atob = (text) => {
    let bytes;
    try {
      bytes = fromBase64(String(text));
    } catch {
      throw new DOMException("the text is no base64", "InvalidCharacterError");
    }
    let out = "";
    for (let i = 0; i < bytes.length; i += 4096) out += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return out;
  };

  define({ DOMException, TextEncoder, TextDecoder, btoa, atob });
