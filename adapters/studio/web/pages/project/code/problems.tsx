import { t } from '~/text';
import { Button, Icon, IconButton, Spinner } from '~/ui';
import type { Desk } from './desk';

/** Problems lists errors in the sources. A click opens their place. */
export function Problems({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const problems = desk.problems.value;
  const types = desk.types.value;
  return (
    <section class="problems" aria-label={t.code.problems}>
      <div class="problems__head">
        <h2>{t.code.problems}</h2>
        <Button small icon="check" busy={desk.checking.value} onClick={() => void desk.checkTypes()}>
          {t.code.checkTypes}
        </Button>
        <IconButton small icon="close" label={t.shell.close} onClick={onClose} />
      </div>
      {desk.checking.value && (
        <p class="problems__note" role="status">
          <Spinner /> {t.code.checkingTypes}
        </p>
      )}
      {problems.length === 0 && !desk.checking.value && (
        <p class="problems__note" role="status">
          {types ? t.code.noTypeErrors : t.code.noProblems}
        </p>
      )}
      <ul class="problems__list">
        {problems.map((problem, index) => (
          <li key={index}>
            <button type="button" class="problem" onClick={() => desk.show(problem)}>
              <Icon name="alert" />
              <span class="problem__text">{problem.message}</span>
              <span class="problem__place">
                <bdi>{problem.path}</bdi>
                {problem.line > 0 && `:${problem.line}:${problem.column}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {types?.truncated && <p class="problems__note">{t.code.moreProblems}</p>}
    </section>
  );
}
