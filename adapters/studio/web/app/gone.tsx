import { t } from '~/text';
import { Empty, LinkButton } from '~/ui';
import { useTitle } from './title';

/** Gone stands in the frame of a page for what is not there, or not for this account. */
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

/** GonePage stands for addresses that lead nowhere. */
export function GonePage() {
  return (
    <main class="page" id="main">
      <Gone />
    </main>
  );
}
