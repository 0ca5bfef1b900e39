const normalizeParts = (parts, isAbsolute) => {
  const out = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') out.push(part);
    else if (out.length && out[out.length - 1] !== '..') out.pop();
    else if (!isAbsolute) out.push('..');
  }
  return out;
};
export const sep = '/';
export const delimiter = ':';
export const isAbsolute = (path) => path.startsWith('/');
export const normalize = (path) => {
  const body = normalizeParts(path.split('/'), isAbsolute(path)).join('/');
  const end = path.endsWith('/') && body ? '/' : '';
  return (isAbsolute(path) ? '/' : '') + body + end || '.';
};
export const join = (...parts) => normalize(parts.filter(Boolean).join('/') || '.');
export const resolve = (...parts) => {
  let path = '';
  for (const part of parts) path = isAbsolute(part) ? part : `${path}/${part}`;
  return `/${normalizeParts(path.split('/'), true).join('/')}`;
};
export const dirname = (path) => {
  const trimmed = path.replace(/(.)\/+$/, '$1');
  const at = trimmed.lastIndexOf('/');
  return at < 0 ? '.' : at === 0 ? '/' : trimmed.slice(0, at);
};
export const basename = (path, suffix = '') => {
  const base = path.replace(/\/+$/, '').split('/').pop();
  return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
};
export const extname = (path) => {
  const base = basename(path);
  const at = base.lastIndexOf('.');
  return at > 0 && base !== '..' ? base.slice(at) : '';
};
export const relative = (from, to) => {
  const a = resolve(from).split('/').filter(Boolean);
  const b = resolve(to).split('/').filter(Boolean);
  while (a.length && b.length && a[0] === b[0]) {
    a.shift();
    b.shift();
  }
  return [...a.map(() => '..'), ...b].join('/');
};
export const parse = (path) => {
  const base = basename(path);
  const ext = extname(path);
  const dir = path.includes('/') ? dirname(path) : '';
  return { root: isAbsolute(path) ? '/' : '', dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
};
export const format = ({ dir, root = '', base, name = '', ext = '' }) => {
  const file = base ?? name + ext;
  return dir ? (dir === root ? dir + file : `${dir}/${file}`) : root + file;
};
const path = { sep, delimiter, isAbsolute, normalize, join, resolve, dirname, basename, extname, relative, parse, format };
path.posix = path;
export const posix = path;
export default path;
