import type { CheckFailure } from '~/api/types';
import { t } from '~/text';
import { Banner, Button } from '~/ui';
import type { ProjectStore } from '../store';

interface ChecksFailedProps {
  store: ProjectStore;
  checks: CheckFailure[];
  onIgnore: () => void;
}

/** ChecksFailed shows the checks that keep a project from being published, and asks what to do. */
export function ChecksFailed({ store, checks, onIgnore }: ChecksFailedProps) {
  const list = checks.map(({ title, message }) => `- ${title}: ${message}`).join('\n');
  return (
    <Banner
      kind="warning"
      actions={
        <>
          <Button small icon="bolt" onClick={() => store.ask(t.checks.fixText(list))}>
            {t.checks.fix}
          </Button>
          <Button small kind="danger" onClick={onIgnore}>
            {t.checks.ignore}
          </Button>
        </>
      }
    >
      <p>
        <strong>{t.checks.failed}</strong>
      </p>
      <ul class="loss">
        {checks.map(({ name, title, step, message }) => (
          <li key={name}>
            <bdi>{title}</bdi>
            {step !== undefined && `, ${t.checks.step(step)}`}: <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
    </Banner>
  );
}
