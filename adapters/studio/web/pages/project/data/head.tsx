import type { ComponentChildren } from 'preact';

import { t } from '~/text';
import { IconButton } from '~/ui';
import type { DataDesk } from './desk';

interface HeadProps {
  desk: DataDesk;
  /** id is the heading's id. */
  id: string;
  title: string;
  /** children are badges next to the heading. */
  children?: ComponentChildren;
  /** actions are the buttons at the end of the line. */
  actions?: ComponentChildren;
}

/** Head is the heading of a view. On narrow screens it links back to the list, and explains the words. */
export function Head({ desk, id, title, children, actions }: HeadProps) {
  return (
    <div class="records__head">
      <span class="data__back">
        <IconButton
          icon="back"
          label={t.data.back}
          onClick={() => {
            desk.view.value = null;
          }}
        />
      </span>
      <h2 id={id}>
        <bdi>{title}</bdi>
      </h2>
      {children}
      <span class="data__help">
        <IconButton
          icon="info"
          label={t.data.explained}
          onClick={() => {
            desk.explaining.value = true;
          }}
        />
      </span>
      {actions && <div class="records__actions">{actions}</div>}
    </div>
  );
}
