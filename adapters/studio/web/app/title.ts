import { useEffect } from 'preact/hooks';

import { t } from '~/text';

/** useTitle sets the page's title, in the tab and for screen readers. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · ${t.shell.product}` : t.shell.product;
  }, [title]);
}
