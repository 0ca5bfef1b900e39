import type { ComponentChildren } from 'preact';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Backend } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, inWords, Skeleton, useTask } from '~/ui';
import { Loss, lossInWords } from '../schema-plan';
import type { ProjectStore } from '../store';

interface WaitingProps {
  store: ProjectStore;
  /** onApplied is called after test data follows the new schema. */
  onApplied: () => void;
  /** children explain the failure if no plan waits. */
  children: ComponentChildren;
}

/** Waiting offers the plan of a schema change that waits for a person, which stops a publish. */
export function Waiting({ store, onApplied, children }: WaitingProps) {
  const path = `/projects/${store.id}/backend`;
  const { data, error } = useLoad(path, (signal) => api.get<Backend>(path, { signal }));
  const task = useTask();
  if (!data && !error) return <Skeleton height={80} />;
  const plan = data?.environments.test?.pending;
  if (!plan) return <>{children}</>;
  const apply = () =>
    task.run(async () => {
      await api.post(`${path}/test/apply`, { planId: plan.id });
      onApplied();
    });
  return (
    <Banner
      kind="warning"
      actions={
        <>
          <Button small kind="danger" icon="trash" busy={task.busy} onClick={() => void apply()}>
            {t.publish.applyAndPublish(lossInWords(plan))}
          </Button>
          <Button small icon="bolt" onClick={() => store.ask(t.data.keepText)}>
            {t.data.keep}
          </Button>
        </>
      }
    >
      <p>
        <strong>{t.publish.planWaits}</strong>
      </p>
      <p>{t.data.pending(lossInWords(plan))}</p>
      <Loss plan={plan} />
      <p class="soft small">{t.publish.planHint}</p>
      {task.error !== undefined && <p class="field__error">{inWords(task.error)}</p>}
    </Banner>
  );
}
