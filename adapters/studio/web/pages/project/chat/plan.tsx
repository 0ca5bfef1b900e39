import type { PlanStep } from '~/api/types';
import { t } from '~/text';
import { Button, complain, useTask } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import { plain } from './plain';

/** PlanView shows the plan of a chat and a button to carry it out. */
export function PlanView({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  const { busy, run } = useTask({ onError: complain });
  const plan = conversation.plan.value;
  const planned = chats.current.value?.mode === 'plan' || conversation.turns.value.at(-1)?.command === 'plan';
  if (!plan || !planned || (conversation.running.value && !busy)) return null;
  return (
    <section class="plan" aria-label={t.chat.plan}>
      <h2>{t.chat.plan}</h2>
      {plan.steps.length > 0 ? (
        <ol class="plan__steps">
          {plan.steps.map((step, index) => (
            <Step key={index} step={step} chats={chats} />
          ))}
        </ol>
      ) : (
        <p class="soft">{t.chat.planWithoutSteps}</p>
      )}
      <div class="plan__actions">
        <Button kind="primary" icon="bolt" busy={busy} onClick={() => void run(() => chats.runPlan(conversation))}>
          {t.chat.runPlan}
        </Button>
        <span class="faint small">{t.chat.planHint}</span>
      </div>
    </section>
  );
}

function Step({ step, chats }: { step: PlanStep; chats: Chats }) {
  const look = step.risk === 'high' ? 'danger' : step.risk === 'low' ? 'good' : 'warning';
  return (
    <li class="plan__step">
      <p class="plan__title" dir="auto">
        <strong>{plain(step.title)}</strong>
        <span class={`badge badge--${look}`}>{t.chat.risks[step.risk as keyof typeof t.chat.risks] ?? step.risk}</span>
      </p>
      {step.description && (
        <p class="soft" dir="auto">
          {plain(step.description)}
        </p>
      )}
      {step.files.length > 0 && (
        <p class="step__files">
          {step.files.map((path) => (
            <Button key={path} small kind="quiet" icon="file" onClick={() => chats.store.openFile({ path })}>
              {plain(path)}
            </Button>
          ))}
        </p>
      )}
    </li>
  );
}
