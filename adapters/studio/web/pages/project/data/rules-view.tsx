import type { DataCollection } from '~/api/types';
import { t } from '~/text';
import { Icon } from '~/ui';
import type { DataDesk } from './desk';
import { type Sentence, sentencesOf } from './rules';

/** Rules describes in words who may do what with a collection. */
export function Rules({ desk, collection }: { desk: DataDesk; collection: DataCollection }) {
  const open = desk.inspection.findingsOf(collection.name).filter(({ severity }) => severity !== 'info');
  const showCheck = () => {
    desk.view.value = { kind: 'check' };
  };
  return (
    <div class="rules">
      <Icon name="lock" />
      <p>
        <RulesInWords collection={collection} />{' '}
        <button type="button" class="link" onClick={() => desk.store.ask(t.data.rulesText(collection.name))}>
          {t.data.explainRules}
        </button>
        {desk.env.value === 'test' && (
          <>
            {' · '}
            <button type="button" class={open.length > 0 ? 'link link--warning' : 'link'} onClick={showCheck}>
              {open.length > 0 ? t.data.found(open.length) : t.data.tryRules}
            </button>
          </>
        )}
      </p>
    </div>
  );
}

/** RulesInWords shows one sentence for each group of people. */
export function RulesInWords({ collection }: { collection: Pick<DataCollection, 'rules' | 'type'> }) {
  return <>{sentencesOf(collection).map(inWords).join(' ')}</>;
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
