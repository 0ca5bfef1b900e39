import { t } from '~/text';
import { Button, Icon, Spinner } from '~/ui';
import type { Building, Step } from '../building';

/** most is how many steps fit; the newest are shown. */
const most = 7;

/** Build shows what the agent makes while there is no page of it yet. */
export function Build({ building, onSkip }: { building: Building; onSkip: () => void }) {
  const { steps, code } = building;
  return (
    <div class="stage build">
      <pre class="build__code" aria-hidden="true">
        {code}
      </pre>
      <div class="build__card">
        <p class="build__title" role="status">
          <Spinner />
          {t.preview.build.title}
        </p>
        <ol class="build__steps" aria-label={t.preview.build.steps}>
          {steps.length === 0 && <li class="build__step">{t.preview.build.begins}</li>}
          {steps.slice(-most).map((step, index) => (
            <li key={`${steps.length - index}${step.path}`} class={`build__step build__step--${step.state}`}>
              {step.state === 'running' ? <Spinner /> : <Icon name={step.state === 'done' ? 'check' : 'alert'} />}
              <span>{wordsOf(step)}</span>
              {step.path && (
                <code>
                  <bdi>{step.path}</bdi>
                </code>
              )}
            </li>
          ))}
        </ol>
        <Button small kind="quiet" onClick={onSkip}>
          {t.preview.build.show}
        </Button>
      </div>
    </div>
  );
}

function wordsOf({ tool, state }: Step): string {
  const words: Record<string, string[]> = t.preview.build.tools;
  const [doing, done] = words[tool] ?? t.preview.build.other;
  return (state === 'running' ? doing : done) ?? '';
}
