import type { ComponentChildren } from 'preact';

import { t } from '~/text';

/** Spinner shows that the action named next to it is running. */
export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}

/** Loading is a placeholder for loading content. */
export function Loading({ children }: { children?: ComponentChildren }) {
  return (
    <p class="loading" role="status">
      <Spinner />
      {children ?? t.shell.loading}
    </p>
  );
}

/** Skeleton reserves space for loading content. */
export function Skeleton({ height, width = '100%' }: { height: number; width?: number | string }) {
  return (
    <div
      class="skeleton"
      style={{ height: `${height}px`, width: typeof width === 'number' ? `${width}px` : width }}
      aria-hidden="true"
    />
  );
}
