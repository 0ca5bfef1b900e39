import { t } from '~/text';
import { Icon } from '~/ui';
import type { Item } from './log';
import { plain } from './plain';
import { stepsOf } from './todo';

/** TodoView shows the agent's list of steps at the end of a turn. */
export function TodoView({ items }: { items: Item[] }) {
  const steps = stepsOf(items);
  if (steps.length === 0) return null;
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <section class="todo" aria-label={t.chat.todo}>
      <h2 class="todo__title">
        <Icon name="plan" />
        {t.chat.todo}
        <span class="faint small">{t.chat.todoDone(done, steps.length)}</span>
      </h2>
      <ul class="todo__steps">
        {steps.map((step, index) => (
          <li key={index} class={`todo__step todo__step--${step.state}`} dir="auto">
            <span class="todo__mark" aria-hidden="true">
              {step.state === 'done' && <Icon name="check" />}
            </span>
            <span>
              <span class="visually-hidden">{t.chat.todoStates[step.state]}: </span>
              {plain(step.text)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
