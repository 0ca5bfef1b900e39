import Format from 'lucide/dist/esm/icons/list-indent-increase.mjs';
import TextWrap from 'lucide/dist/esm/icons/text-wrap.mjs';

import { t } from '~/text';
import { IconButton } from '~/ui';
import { speaks } from './assist/places';
import type { Desk } from './desk';
import { languageOf } from './editor/languages';
import { formats, toggleFormat, toggleWrap, wrapped } from './editor/preferences';
import type { OpenFile } from './openfile';

/** Status is the status line: the cursor's position and the save state. */
export function Status({ desk, file, onProblems }: { desk: Desk; file: OpenFile; onProblems: () => void }) {
  const { line, column } = file.cursor.value;
  const problems = desk.problems.value.length;
  const saving = file.saving.value;
  const isText = file.kind.value === 'text';
  return (
    <div class="code__status" data-live={file.together.value ? 'yes' : undefined}>
      {isText && (
        <span class={`code__saving code__saving--${saving}`} title={t.code.saving[saving]}>
          {desk.store.canEdit.value ? t.code.saving[saving] : t.code.readOnly}
        </span>
      )}
      {/* Screen readers announce only problems with saving. */}
      <span class="visually-hidden" role="status">
        {['waiting', 'conflict', 'refused'].includes(saving) && t.code.saving[saving]}
      </span>
      <span class="code__path" title={file.path.value}>
        <bdi>{file.path.value}</bdi>
      </span>
      <span class="code__room" />
      {(problems > 0 || desk.types.value) && (
        <button
          type="button"
          class={problems > 0 ? 'code__count code__count--wrong' : 'code__count'}
          onClick={onProblems}
        >
          {t.code.problemCount(problems)}
        </button>
      )}
      {isText && <span class="code__at">{t.code.at(line, column)}</span>}
      {isText && <span class="code__language">{languageOf(file.path.value)?.name ?? t.code.plainText}</span>}
      {isText && desk.assist.value?.available.value && speaks(file.path.value) && desk.store.canEdit.value && (
        <IconButton
          small
          icon={Format}
          label={t.code.formatOnSave}
          aria-pressed={formats.value}
          onClick={toggleFormat}
        />
      )}
      {isText && (
        <IconButton small icon={TextWrap} label={t.code.wrap} aria-pressed={wrapped.value} onClick={toggleWrap} />
      )}
    </div>
  );
}
