export const promisify =
  (call) =>
  (...given) =>
    new Promise((resolve, reject) => call(...given, (error, value) => (error ? reject(error) : resolve(value))));
export const inspect = (value) => {
  const seen = new WeakSet();
  const plain = (_, each) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (typeof each === 'function') return `[Function: ${each.name || 'anonymous'}]`;
    if (typeof each === 'object' && each !== null) {
      if (seen.has(each)) return '[Circular]';
      seen.add(each);
    }
    return each;
  };
  return typeof value === 'string' ? `'${value}'` : value instanceof Error ? String(value.stack) : (JSON.stringify(value, plain, 2) ?? String(value));
};
export const format = (first, ...rest) => {
  const text = String(first).replace(/%[sdifjoO%]/g, (sign) => {
    if (sign === '%%') return '%';
    if (rest.length === 0) return sign;
    const value = rest.shift();
    return sign === '%s' ? String(value) : sign === '%d' ? String(Number(value)) : sign === '%i' ? String(Number.parseInt(value, 10)) : sign === '%f' ? String(Number.parseFloat(value)) : inspect(value);
  });
  return [text, ...rest.map((value) => (typeof value === 'string' ? value : inspect(value)))].join(' ');
};
export const inherits = (child, parent) => {
  Object.setPrototypeOf(child.prototype, parent.prototype);
  Object.setPrototypeOf(child, parent);
};
export const deprecate = (call) => call;
export const isDeepStrictEqual = (a, b) => {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return a.getTime() === b.getTime();
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isDeepStrictEqual(a[key], b[key]));
};
export const TextEncoder = globalThis.TextEncoder;
export const TextDecoder = globalThis.TextDecoder;
export default { promisify, inspect, format, inherits, deprecate, isDeepStrictEqual, TextEncoder, TextDecoder };
