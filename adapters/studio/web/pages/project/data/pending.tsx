import type { SchemaPlan } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, inWords, useTask } from '~/ui';
import { Loss, lossInWords } from '../schema-plan';
import type { DataDesk } from './desk';

/** Pending asks for consent to a schema change that would lose test data. */
export function Pending({ desk, plan }: { desk: DataDesk; plan: SchemaPlan }) {
  const { busy, error, run } = useTask();
  return (
    <Banner
      kind="warning"
      actions={
        <>
          <Button small kind="danger" icon="trash" busy={busy} onClick={() => void run(() => desk.confirm(plan))}>
            {t.data.confirmLoss(lossInWords(plan))}
          </Button>
          <Button small icon="bolt" onClick={() => desk.store.ask(t.data.keepText)}>
            {t.data.keep}
          </Button>
        </>
      }
    >
      <p>
        <strong>{t.data.pending(lossInWords(plan))}</strong>
      </p>
      <Loss plan={plan} />
      <p class="soft small">{t.data.pendingHint}</p>
      {error !== undefined && <p class="field__error">{inWords(error)}</p>}
    </Banner>
  );
}
