import { useEffect } from 'preact/hooks';

import { t } from '~/text';

/** useTitle names the page, in the tab and for those who hear it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · ${t.shell.product}` : t.shell.product;
  }, [title]);
}
