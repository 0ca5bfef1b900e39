// The kinds of AI providers, with their names and settings.

import type { ProviderKind } from '~/api/types';
import { t } from '~/text';
import type { IconName } from '~/ui';

export interface ProviderKindInfo {
  kind: ProviderKind;
  icon: IconName;
  label: string;
  hint: string;
  /** address is where the kind is found unless something else is said; '' has none. */
  address: string;
  /** takesKey is true if the kind accepts a key. */
  takesKey: boolean;
}

/** providerKinds are all kinds, in the order in which they are offered. */
export function providerKinds(): ProviderKindInfo[] {
  const { kinds } = t.workspace.providers;
  return [
    { kind: 'ollama', icon: 'laptop', address: t.workspace.first.thisMachine, takesKey: true, ...kinds.ollama },
    { kind: 'openai', icon: 'globe', address: 'https://api.openai.com/v1', takesKey: true, ...kinds.openai },
    { kind: 'anthropic', icon: 'key', address: 'https://api.anthropic.com', takesKey: true, ...kinds.anthropic },
    { kind: 'demo', icon: 'play', address: '', takesKey: false, ...kinds.demo },
  ];
}

/** kindInfo describes a kind. */
export function kindInfo(kind: ProviderKind): ProviderKindInfo {
  return providerKinds().find((info) => info.kind === kind)!;
}

/** needsKey reports whether a provider needs a key: those at the vendors' own addresses. */
export function needsKey(kind: ProviderKind, baseUrl: string): boolean {
  return (
    (kind === 'anthropic' && !baseUrl) ||
    (kind === 'openai' && (!baseUrl || /^https:\/\/api\.openai\.com(\/|$)/.test(baseUrl)))
  );
}
