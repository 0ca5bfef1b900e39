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
    /** busy says that what the button began is under way. */
    busy?: boolean;
    children: ComponentChildren;
  };

/** Button is a button with words on it. */
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

/** IconButton has its words for those who do not see the icon, and as a hint. */
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
      title={label}
      disabled={disabled || busy}
    >
      {busy ? <Spinner /> : <Icon name={icon} />}
    </button>
  );
}

type LinkButtonProps = Look & {
  href: string;
  title?: string;
  target?: string;
  rel?: string;
  download?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
};

/** LinkButton leads to an address and looks like a button. */
export function LinkButton({ kind, icon, small, wide, children, ...rest }: LinkButtonProps) {
  return (
    <a {...(rest as object)} class={look({ kind, small, wide })}>
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
