// What Tailwind and its plugins expect of the world, and QuickJS does not have.
globalThis.console = { log() {}, info() {}, debug() {}, warn() {}, error() {} };
globalThis.process = { env: { NODE_ENV: "production" }, argv: [], platform: "linux", cwd: () => "/" };
globalThis.structuredClone = function clone(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(clone);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clone(member)]));
};
globalThis.Intl = { ListFormat: class { format(list) { return [...list].join(", "); } } };
globalThis.atob = (text) => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let bits = 0, value = 0, out = "";
  for (const character of text.replace(/[=\s]/g, "")) {
    value = ((value << 6) | alphabet.indexOf(character)) & 0xffffff;
    bits += 6;
    if (bits >= 8) out += String.fromCharCode((value >> (bits -= 8)) & 255);
  }
  return out;
};
