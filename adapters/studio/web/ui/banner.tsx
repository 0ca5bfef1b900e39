import type { ComponentChildren } from 'preact';

import { Icon, type IconName } from './icon';

type BannerKind = 'info' | 'error' | 'warning' | 'good';

const icons: Record<BannerKind, IconName> = { info: 'info', error: 'alert', warning: 'alert', good: 'check' };

/** Banner shows a persistent message with actions. */
export function Banner({
  kind = 'info',
  actions,
  children,
}: {
  kind?: BannerKind;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class={`banner banner--${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon name={icons[kind]} />
      <div class="banner__body">
        {children}
        {actions && <div class="banner__actions">{actions}</div>}
      </div>
    </div>
  );
}
