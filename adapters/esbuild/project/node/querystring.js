export const escape = encodeURIComponent;
export const unescape = decodeURIComponent;
export const parse = (text) => {
  const out = {};
  for (const [name, value] of new URLSearchParams(text)) out[name] = name in out ? [out[name], value].flat() : value;
  return out;
};
export const stringify = (values) =>
  Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((each) => `${escape(name)}=${escape(each ?? '')}`))
    .join('&');
export const decode = parse;
export const encode = stringify;
export default { escape, unescape, parse, stringify, decode, encode };
