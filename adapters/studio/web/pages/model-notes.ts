import type { Model } from '~/api/types';
import { money, number, t } from '~/text';

/** modelNotes returns the facts that matter for choosing a model: its context, its price and what it lacks. */
export function modelNotes({ contextTokens, tools, price }: Model): string[] {
  const text = t.workspace.providers.modelNotes;
  return [
    ...(contextTokens > 0 ? [text.context(number(contextTokens, { notation: 'compact' }))] : []),
    price === null
      ? text.priceUnknown
      : price.input + price.output === 0
        ? t.workspace.usage.free
        : text.price(money(price.input), money(price.output)),
    ...(tools ? [] : [text.noTools]),
  ];
}
