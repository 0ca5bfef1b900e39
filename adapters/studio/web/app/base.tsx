// The path below which the host serves the studio: "" at the root. Addresses in the sources
// omit it; those that the browser sees have it.

import { type ComponentChildren, options } from 'preact';
import { LocationProvider, useLocation } from 'preact-iso';

import { config } from './config';

/** outside adds the base to a path of the service; any other address stays. */
export function outside(address: string): string {
  return config.base && address.startsWith('/') && !address.startsWith('//') ? config.base + address : address;
}

/** inside is the path of the page without the base. */
export function inside(address = location.pathname): string {
  return address.slice(config.base.length) || '/';
}

/** scope is a pattern of paths with the base in front. */
export function scope(own: RegExp): RegExp {
  return new RegExp(own.source.replace(/^\^/, `^${config.base.replaceAll('.', '\\.')}`));
}

/** addBase lets links and pictures lead below the base. */
export function addBase(): void {
  if (!config.base) return;
  const before = options.vnode;
  options.vnode = (vnode) => {
    const props = vnode.props as { href?: unknown; src?: unknown };
    if (typeof vnode.type === 'string') {
      if (typeof props.href === 'string') props.href = outside(props.href);
      if (typeof props.src === 'string') props.src = outside(props.src);
    }
    before?.(vnode);
  };
}

/** Inside shows routes and components addresses without the base. */
export function Inside({ children }: { children: ComponentChildren }) {
  const at = useLocation();
  if (!config.base) return <>{children}</>;
  const value = {
    ...at,
    url: inside(at.url),
    path: inside(at.path),
    route: (url: string, replace?: boolean) => at.route(outside(url), replace),
  };
  return <LocationProvider.ctx.Provider value={value}>{children}</LocationProvider.ctx.Provider>;
}
