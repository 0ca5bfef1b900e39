// The path at which the host serves the studio, "" for the root. Source code omits it from
// addresses; the browser needs it.

import { type ComponentChildren, options } from 'preact';
import { LocationProvider, useLocation } from 'preact-iso';

import { config } from './config';

/** outside adds the base to a path of the service. It leaves other addresses unchanged. */
export function outside(address: string): string {
  return config.base && address.startsWith('/') && !address.startsWith('//') ? config.base + address : address;
}

/** inside returns the page's path without the base. */
export function inside(address = location.pathname): string {
  return address.slice(config.base.length) || '/';
}

/** scope adds the base to a pattern of paths. */
export function scope(own: RegExp): RegExp {
  return new RegExp(own.source.replace(/^\^/, `^${config.base.replaceAll('.', '\\.')}`));
}

/** addBase adds the base to the addresses of links and images. */
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

/** Inside gives the router addresses without the base. */
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
