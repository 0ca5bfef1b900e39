import { useMemo, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { DataCollection, DataField, DataRecord } from '~/api/types';
import { t } from '~/text';
import { ask, Banner, Button, Copyable, Dialog, inWords, say, useTask } from '~/ui';
import { InputField } from './inputs';
import type { RecordList } from './records';
import { refusalInWords, type Words } from './refusals';
import { Tip } from './tips';
import { type Draft, draftOf, fieldsOf, inputsOf, isSame, momentOf, sentOf } from './values';

interface RecordFormProps {
  list: RecordList;
  collection: DataCollection;
  /** record is null for a new one. */
  record: DataRecord | null;
  onClose: () => void;
}

/** RecordForm shows, creates, changes and deletes a record. */
export function RecordForm({ list, collection, record, onClose }: RecordFormProps) {
  const { desk } = list;
  const isReadOnly = !desk.canChange.value || collection.type === 'view';
  const inputs = useMemo(
    () => (collection.type === 'view' ? fieldsOf(collection, record ?? undefined) : inputsOf(collection, !record)),
    [],
  );
  const before = useMemo(() => draftOf(inputs, record), []);
  const [draft, setDraft] = useState<Draft>(before);
  const [wrong, setWrong] = useState<Words>({ fields: {}, general: '' });
  const saving = useTask();
  const removing = useTask({ onError: (error) => setWrong(refusal(error, inputs)) });
  const isChanged = inputs.some(({ name }) => !isSame(draft[name]!, before[name]!));

  const save = async () => {
    const sent = sentOf(inputs, record, draft);
    const problems = Object.entries(sent.wrong).map(([name, kind]) => [name, t.data.wrong[kind]]);
    setWrong({ fields: Object.fromEntries(problems), general: '' });
    if (problems.length > 0 || isReadOnly) return;
    const title = record ? t.data.liveSaveTitle : t.data.liveCreateTitle;
    if (sent.body && !(await desk.isSure(title, record ? t.data.liveSave : t.data.liveCreate))) return;
    await saving.run(async () => {
      try {
        if (sent.body) await put(list, collection, record, sent.body);
        onClose();
      } catch (error) {
        setWrong(refusal(error, inputs));
      }
    });
  };
  const remove = async () => {
    const text = desk.env.peek() === 'live' ? t.data.deleteLiveText : t.data.deleteText;
    if (!(await ask({ title: t.data.deleteTitle, text, confirm: t.shell.delete, danger: true }))) return;
    await removing.run(async () => {
      await api.delete(desk.record(collection.name, record!.id));
      say(t.data.deleted);
      onClose();
      await Promise.all([list.refresh(), desk.recount()]);
    });
  };
  const close = async () => {
    const leaves =
      !isChanged ||
      (await ask({ title: t.data.discardTitle, text: t.data.discardText, confirm: t.data.discard, danger: true }));
    if (leaves) onClose();
  };
  return (
    <Dialog
      title={record ? t.data.record(collection.name) : t.data.newIn(collection.name)}
      onClose={() => void close()}
    >
      <form
        class="form record-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        noValidate
      >
        {desk.env.value === 'live' && (
          <Banner kind="warning">{isReadOnly ? t.data.liveReadOnly : t.data.liveHint}</Banner>
        )}
        {inputs.length > 0 && <Tip name="field" />}
        {inputs.map((field, index) => (
          <InputField
            key={field.name}
            isFirst={index === 0 && !record}
            desk={desk}
            collection={collection}
            record={record}
            field={field}
            value={draft[field.name]!}
            readOnly={isReadOnly}
            error={wrong.fields[field.name]}
            onInput={(value) => {
              setDraft((was) => ({ ...was, [field.name]: value }));
              setWrong(({ fields: { [field.name]: _, ...fields }, general }) => ({ fields, general }));
            }}
          />
        ))}
        {record && <Facts collection={collection} record={record} />}
        {wrong.general && <Banner kind="error">{wrong.general}</Banner>}
        <div class="record-form__actions">
          {record && !isReadOnly && (
            <Button kind="danger" icon="trash" busy={removing.busy} onClick={() => void remove()}>
              {t.shell.delete}
            </Button>
          )}
          <span class="record-form__gap" />
          <Button onClick={() => void close()}>{isReadOnly ? t.shell.close : t.shell.cancel}</Button>
          {!isReadOnly && (
            <Button type="submit" kind="primary" busy={saving.busy}>
              {record ? t.shell.save : t.shell.create}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

// put saves a record and shows the saved version.
async function put(
  list: RecordList,
  collection: DataCollection,
  record: DataRecord | null,
  body: object,
): Promise<void> {
  const { desk } = list;
  if (record) {
    list.put(await api.patch<DataRecord>(desk.record(collection.name, record.id), body));
    say(t.shell.saved);
    return;
  }
  await api.post<DataRecord>(desk.of(collection.name, 'records'), body);
  say(t.data.created);
  await Promise.all([list.restart(), desk.recount()]);
}

function refusal(error: unknown, inputs: DataField[]): Words {
  if (error instanceof ApiError && error.code === 'validation_failed') return refusalInWords(error.message, inputs);
  return { fields: {}, general: inWords(error) };
}

// Facts shows the values that the service sets.
function Facts({ collection, record }: { collection: DataCollection; record: DataRecord }) {
  const times = collection.fields.filter(({ name, type }) => type === 'autodate' && record[name]);
  return (
    <div class="record-form__facts">
      <Copyable value={record.id} label="id" />
      <p class="faint small">{times.map(({ name }) => `${name}: ${momentOf(String(record[name]))}`).join(' · ')}</p>
    </div>
  );
}
