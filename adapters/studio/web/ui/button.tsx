import type { ComponentChildren, JSX } from 'preact';

import { Icon, type IconName } from './icon';
import { Spinner } from './progress';

type Kind = 'primary' | 'quiet' | 'danger';

interface Look {
  kind?: Kind;
  icon?: IconName;
  small?: boolean;
  wide?: boolean;
}

type ButtonProps = Look &
  Omit<JSX.IntrinsicElements['button'], 'icon' | 'kind'> & {
    /** busy is true while the button's action runs. */
    busy?: boolean;
    children: ComponentChildren;
  };

/** Button is a button with a text label. */
export function Button({ kind, icon, small, wide, busy, children, disabled, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={look({ kind, small, wide })}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = Look &
  Omit<JSX.IntrinsicElements['button'], 'icon' | 'label'> & { icon: IconName; label: string; busy?: boolean };

/** IconButton shows its label as a tooltip (ui/tooltip.tsx) and to screen readers. */
export function IconButton({
  kind = 'quiet',
  icon,
  label,
  small,
  busy,
  disabled,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={`${look({ kind, small })} button--icon`}
      aria-label={label}
      data-tip={label}
      disabled={disabled || busy}
    >
      {busy ? <Spinner /> : <Icon name={icon} />}
    </button>
  );
}

type LinkButtonProps = Look & {
  href: string;
  /** tip is shown as a tooltip of a link without visible words. */
  tip?: string;
  target?: string;
  rel?: string;
  download?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
};

/** LinkButton is a link styled as a button. */
export function LinkButton({ kind, icon, small, wide, tip, children, ...rest }: LinkButtonProps) {
  return (
    <a {...(rest as object)} data-tip={tip} class={look({ kind, small, wide })}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

function look({ kind, small, wide }: Look): string {
  return ['button', kind && `button--${kind}`, small && 'button--small', wide && 'button--wide']
    .filter(Boolean)
    .join(' ');
}
