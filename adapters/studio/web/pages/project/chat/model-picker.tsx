import { useState } from 'preact/hooks';

import { defaultKindOf } from '~/pages/default-kind';
import { t } from '~/text';
import { Finder, Icon } from '~/ui';
import { ConnectModel } from './connect-model';
import { matching, type Offer } from './offer';
import type { Choice } from './queue';

interface ModelPickerProps {
  wid: string;
  /** offers are null until they are loaded. */
  offers: Offer[] | null;
  choice: Choice;
  choose: (choice: Choice) => void;
  onClose: () => void;
}

/** ModelPicker finds a model by typing. It shows the context and the price of each. */
export default function ModelPicker({ wid, offers, choice, choose, onClose }: ModelPickerProps) {
  const [query, setQuery] = useState('');
  const isDemo = defaultKindOf(wid) === 'demo';
  const standard: Offer = {
    group: '',
    name: isDemo ? t.chat.demo : t.chat.defaultModel,
    notes: isDemo ? t.chat.demoNote : '',
    choice: {},
  };
  const found = matching([standard, ...(offers ?? [])], query);
  return (
    <Finder
      label={t.chat.pickModel}
      hint={t.chat.findModel}
      query={query}
      onQuery={setQuery}
      found={found}
      groupOf={({ group }) => group || undefined}
      none={offers === null ? t.shell.loading : t.shell.paletteEmpty}
      row={(offer) => (
        <>
          <span class="icon">{isChosen(offer, choice) && <Icon name="check" />}</span>
          <bdi>{offer.name}</bdi>
          {isChosen(offer, choice) && <span class="visually-hidden">{t.chat.chosen}</span>}
          {offer.notes && <bdi class="finder__id small">{offer.notes}</bdi>}
        </>
      )}
      onPick={(offer) => offer.choice && choose(offer.choice)}
      onClose={onClose}
      foot={isDemo ? <ConnectModel wid={wid} /> : offers === null && <p class="soft small">{t.shell.loading}</p>}
    />
  );
}

function isChosen(offer: Offer, choice: Choice): boolean {
  return offer.choice !== null && offer.choice.model === choice.model && offer.choice.provider === choice.provider;
}
