import { t } from '~/text';
import { Empty, LinkButton } from '~/ui';
import { useTitle } from './title';

/** Gone is the page for a missing resource, or one that the user may not see. */
export function Gone() {
  useTitle(t.shell.notFound);
  return (
    <Empty
      whole
      icon="search"
      title={t.shell.notFound}
      actions={<LinkButton href="/dashboard">{t.shell.toDashboard}</LinkButton>}
    >
      {t.shell.notFoundHint}
    </Empty>
  );
}
