import type { Choice } from './queue';

/** Offer is a model, or a provider whose models could not be listed: then it has no choice. */
export interface Offer {
  group: string;
  name: string;
  notes: string;
  choice: Choice | null;
}

/** matching returns the offers in which every word of a query occurs. */
export function matching(offers: Offer[], query: string): Offer[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return offers.filter(({ group, name, notes }) => {
    const text = `${group} ${name} ${notes}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
