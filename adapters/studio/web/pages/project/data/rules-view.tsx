import type { DataCollection } from '~/api/types';
import { t } from '~/text';
import { Icon } from '~/ui';
import type { ProjectStore } from '../store';
import { type Sentence, sentencesOf } from './rules';

/** Rules says in words who may do what in a collection. */
export function Rules({ store, collection }: { store: ProjectStore; collection: DataCollection }) {
  return (
    <div class="rules">
      <Icon name="lock" />
      <p>
        {sentencesOf(collection).map((sentence, index) => (
          <span key={index}>{inWords(sentence)} </span>
        ))}
        <button type="button" class="link" onClick={() => store.ask(t.data.rulesText(collection.name))}>
          {t.data.explainRules}
        </button>
      </p>
    </div>
  );
}

function inWords({ who, acts }: Sentence): string {
  const what = new Intl.ListFormat(document.documentElement.lang, { type: 'disjunction' }).format(
    acts.map((act) => t.data.acts[act]),
  );
  const { people } = t.data;
  switch (who.kind) {
    case 'owner':
      return people.owner(who.field, what);
    case 'asThemselves':
      return people.asThemselves(who.field, what);
    case 'rule':
      return people.rule(who.text, what);
  }
  return people[who.kind](what);
}
