export const URL = globalThis.URL;
export const URLSearchParams = globalThis.URLSearchParams;
export const fileURLToPath = (address) => decodeURIComponent(new globalThis.URL(address).pathname);
export const pathToFileURL = (path) => new globalThis.URL(`file://${path.split('/').map(encodeURIComponent).join('/')}`);
export const parse = (address, withQuery = false) => {
  const base = 'relative://host';
  const found = new globalThis.URL(address, base);
  const isRelative = found.href.startsWith(base);
  return {
    href: address,
    protocol: isRelative ? null : found.protocol,
    host: isRelative ? null : found.host,
    hostname: isRelative ? null : found.hostname,
    port: found.port || null,
    pathname: found.pathname,
    search: found.search || null,
    hash: found.hash || null,
    query: withQuery ? Object.fromEntries(found.searchParams) : found.search.slice(1) || null,
  };
};
export const format = (address) => String(address.href ?? address);
export const resolve = (from, to) => {
  const base = 'relative://host';
  return new globalThis.URL(to, new globalThis.URL(from, base)).href.replace(base, '');
};
export default { URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, resolve };
