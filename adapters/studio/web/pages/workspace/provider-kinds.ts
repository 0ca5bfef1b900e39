// The kinds of AI providers, with their names and settings.

import type { ProviderKind } from '~/api/types';
import { t } from '~/text';
import type { IconName } from '~/ui';

export interface ProviderKindInfo {
  kind: ProviderKind;
  icon: IconName;
  label: string;
  hint: string;
  /** address is the kind's default base URL, '' without one. */
  address: string;
  /** takesKey is true if the kind accepts a key. */
  takesKey: boolean;
}

/** providerKinds returns all kinds in display order. */
export function providerKinds(): ProviderKindInfo[] {
  const { kinds } = t.workspace.providers;
  return [
    { kind: 'ollama', icon: 'laptop', address: t.workspace.first.thisMachine, takesKey: true, ...kinds.ollama },
    { kind: 'openai', icon: 'globe', address: 'https://api.openai.com/v1', takesKey: true, ...kinds.openai },
    { kind: 'responses', icon: 'globe', address: '', takesKey: true, ...kinds.responses },
    { kind: 'anthropic', icon: 'key', address: 'https://api.anthropic.com', takesKey: true, ...kinds.anthropic },
    { kind: 'demo', icon: 'play', address: '', takesKey: false, ...kinds.demo },
  ];
}

export function kindInfo(kind: ProviderKind): ProviderKindInfo {
  return providerKinds().find((info) => info.kind === kind)!;
}

/** needsKey reports whether a provider needs a key. Those at the vendors' default addresses do. */
export function needsKey(kind: ProviderKind, baseUrl: string): boolean {
  return (
    (kind === 'anthropic' && !baseUrl) ||
    ((kind === 'openai' || kind === 'responses') && (!baseUrl || /^https:\/\/api\.openai\.com(\/|$)/.test(baseUrl)))
  );
}
