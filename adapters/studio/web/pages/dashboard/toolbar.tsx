import { useEffect, useId, useRef, useState } from 'preact/hooks';

import type { Visibility } from '~/api/types';
import { t } from '~/text';
import { Icon, Menu, Select } from '~/ui';
import type { Desk } from './desk';
import { addressOf, everything } from './place';

// pause is the debounce of the search, in milliseconds.
const pause = 200;

/**
 * Toolbar searches, filters and creates projects. A bare one omits the controls that an
 * empty list does not need.
 */
export function Toolbar({ desk, bare }: { desk: Desk; bare: boolean }) {
  const { place, go, begin } = desk;
  return (
    <div class="toolbar">
      {!bare && <Search key={`${desk.workspace.id} ${place.trash}`} q={place.q} search={(q) => go({ q }, true)} />}
      {!place.trash && (
        <>
          {!bare && (
            <Select
              label={t.dashboard.visibility}
              hideLabel
              value={place.visibility}
              onChange={(event) => go({ visibility: event.currentTarget.value as Visibility | '' })}
            >
              <option value="">{t.dashboard.anyVisibility}</option>
              {(['private', 'workspace', 'public'] as const).map((name) => (
                <option key={name} value={name}>
                  {t.dashboard.visibilities[name]}
                </option>
              ))}
            </Select>
          )}
          <a
            class="button button--quiet button--icon"
            href={addressOf({ ...everything, trash: true })}
            aria-label={t.dashboard.trash}
            data-tip={t.dashboard.trash}
          >
            <Icon name="trash" />
          </a>
          <Menu
            label={t.dashboard.add}
            items={[
              { label: t.dashboard.fromTemplate, icon: 'box', onSelect: () => begin({ kind: 'create' }) },
              { label: t.dashboard.import, icon: 'upload', onSelect: () => begin({ kind: 'import' }) },
              { label: t.dashboard.newFolder, icon: 'folder', onSelect: () => begin({ kind: 'newFolder' }) },
            ]}
          >
            <Icon name="add" />
            {t.dashboard.add}
          </Menu>
        </>
      )}
    </div>
  );
}

function Search({ q, search }: { q: string; search: (q: string) => void }) {
  const [text, setText] = useState(q);
  const sent = useRef(q);
  const id = useId();
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      search(text.trim());
    }, pause);
    return () => clearTimeout(timer);
  }, [text]);
  // The address can change without the field, for example with Back.
  useEffect(() => {
    if (q === sent.current.trim()) return;
    sent.current = q;
    setText(q);
  }, [q]);
  return (
    <div class="toolbar__search">
      <Icon name="search" />
      <label class="visually-hidden" for={id}>
        {t.dashboard.search}
      </label>
      <input
        id={id}
        class="input"
        type="search"
        placeholder={t.dashboard.search}
        value={text}
        maxLength={200}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </div>
  );
}
