import type { ComponentChildren } from 'preact';

import { t } from '~/text';
import { IconButton } from '~/ui';
import type { DataDesk } from './desk';

interface HeadProps {
  desk: DataDesk;
  /** id is that of the heading. */
  id: string;
  title: string;
  /** children are marks beside the heading. */
  children?: ComponentChildren;
  /** actions are what can be done, at the end of the line. */
  actions?: ComponentChildren;
}

/** Head is the heading of a view, with the way back to the list where there is no room for both. */
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
      {actions && <div class="records__actions">{actions}</div>}
    </div>
  );
}
