  const hashName = (algorithm) => {
    const name = String(typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm).toUpperCase();
    if (!["SHA-1", "SHA-256", "SHA-384", "SHA-512"].includes(name)) throw new DOMException("unknown hash " + name.slice(0, 50), "NotSupportedError");
    return name;
  };
  const isHMAC = (algorithm) => {
    const name = String(typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm).toUpperCase();
    if (name !== "HMAC") throw new DOMException("crypto.subtle knows digests and HMAC only", "NotSupportedError");
  };

  let secretOf;
  class CryptoKey {
    #hash; #secret; #extractable; #usages;
    static {
      secretOf = (key, usage) => {
        if (!key.#usages.includes(usage)) throw new DOMException("the key is not for " + usage, "InvalidAccessError");
        return { hash: key.#hash, secret: key.#secret, extractable: key.#extractable };
      };
    }
    constructor(hash, secret, extractable, usages) {
      this.#hash = hash;
      this.#secret = secret;
      this.#extractable = Boolean(extractable);
      this.#usages = [...usages, "export"];
    }
    get type() { return "secret"; }
    get extractable() { return this.#extractable; }
    get algorithm() { return { name: "HMAC", hash: { name: this.#hash }, length: this.#secret.length * 8 }; }
    get usages() { return this.#usages.slice(0, -1); }
  }

  const sign = (key, usage, data) => {
    const { hash, secret } = secretOf(key, usage);
    return fromBase64(host("hmac", hash, toBase64(secret), toBase64(bytesOf(data))));
  };
  const subtle = Object.freeze({
    async digest(algorithm, data) { return fromBase64(host("digest", hashName(algorithm), toBase64(bytesOf(data)))).buffer; },
    async importKey(format, data, algorithm, extractable, usages) {
      isHMAC(algorithm);
      const hash = hashName(algorithm.hash);
      if (format === "raw") return new CryptoKey(hash, bytesOf(data).slice(), extractable, usages);
      if (format === "jwk") return new CryptoKey(hash, Uint8Array.fromBase64(data.k, { alphabet: "base64url" }), extractable, usages);
      throw new DOMException("keys are imported as raw or jwk", "NotSupportedError");
    },
    async exportKey(format, key) {
      const { secret, extractable } = secretOf(key, "export");
      if (!extractable) throw new DOMException("the key is not extractable", "InvalidAccessError");
      if (format !== "raw") throw new DOMException("keys are exported as raw", "NotSupportedError");
      return secret.slice().buffer;
    },
    async generateKey(algorithm, extractable, usages) {
      isHMAC(algorithm);
      return new CryptoKey(hashName(algorithm.hash), getRandomValues(new Uint8Array(64)), extractable, usages);
    },
    async sign(algorithm, key, data) { isHMAC(algorithm); return sign(key, "sign", data).buffer; },
    async verify(algorithm, key, signature, data) {
      isHMAC(algorithm);
      return host("equal", toBase64(bytesOf(signature)), toBase64(sign(key, "verify", data)));
    },
  });
  const getRandomValues = (array) => {
    const bytes = bytesOf(array);
    if (bytes.length > 65536) throw new DOMException("at most 65536 bytes at a time", "QuotaExceededError");
    bytes.set(fromBase64(host("random", bytes.length)));
    return array;
  };
  const randomUUID = () => {
    const bytes = getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };

  define({ CryptoKey, crypto: Object.freeze({ subtle, getRandomValues, randomUUID }) });
