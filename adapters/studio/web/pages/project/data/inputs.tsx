import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

import type { DataCollection, DataField, DataRecord } from '~/api/types';
import { bytes, t } from '~/text';
import { Button, Checkbox, Icon, IconButton, Select, TextArea, TextField } from '~/ui';
import { useAddress } from './address';
import type { DataDesk } from './desk';
import { RecordFinder } from './record-finder';
import type { Files, Input } from './values';

interface InputProps {
  desk: DataDesk;
  collection: DataCollection;
  record: DataRecord | null;
  field: DataField;
  value: Input;
  readOnly: boolean;
  /** isFirst is true for the field that gets the focus. */
  isFirst: boolean;
  error?: string;
  onInput: (value: Input) => void;
}

const inputTypes: Record<string, 'datetime-local' | 'email' | 'url' | 'password'> = {
  date: 'datetime-local',
  email: 'email',
  url: 'url',
  password: 'password',
};

/** InputField is the form field for a value, according to its type. */
export function InputField(props: InputProps) {
  const { field, value, readOnly, error, onInput } = props;
  const label = <Label field={field} />;
  switch (field.type) {
    case 'bool':
      return (
        <div>
          <Checkbox
            label={field.name}
            checked={value === true}
            disabled={readOnly}
            onChange={(event) => onInput(event.currentTarget.checked)}
          />
          {error && <p class="field__error">{error}</p>}
        </div>
      );
    case 'select':
      return field.multiple ? <Choices {...props} /> : <Choice {...props} />;
    case 'relation':
      return <Relation {...props} />;
    case 'file':
      return <FileField {...props} />;
    case 'json':
    case 'geoPoint':
    case 'editor':
      return (
        <TextArea
          label={label}
          rows={field.type === 'geoPoint' ? 3 : 5}
          value={String(value)}
          readOnly={readOnly}
          error={error}
          hint={field.type === 'geoPoint' ? t.data.pointHint : undefined}
          spellcheck={field.type === 'editor'}
          data-code={field.type !== 'editor'}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      );
  }
  if (field.type === 'text') return <GrowingText {...props} />;
  return (
    <TextField
      label={label}
      type={inputTypes[field.type] ?? 'text'}
      inputMode={field.type === 'number' ? 'decimal' : undefined}
      step={field.type === 'date' ? '1' : undefined}
      autofocus={props.isFirst}
      value={String(value)}
      readOnly={readOnly}
      error={error}
      hint={field.type === 'password' && props.record ? t.data.passwordHint : undefined}
      autocomplete={field.type === 'password' ? 'new-password' : 'off'}
      spellcheck={false}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

function Label({ field }: { field: DataField }) {
  return (
    <>
      {field.name}{' '}
      <span class="faint small record-form__type">
        {t.data.fieldTypes[field.type as keyof typeof t.data.fieldTypes] ?? field.type}
      </span>
      {field.required && (
        <span class="record-form__required" title={t.data.required}>
          {' *'}
        </span>
      )}
    </>
  );
}

// GrowingText is a text area that grows with its content.
function GrowingText({ field, value, readOnly, isFirst, error, onInput }: InputProps) {
  const lines = String(value)
    .split('\n')
    .reduce((sum, line) => sum + 1 + Math.floor(line.length / 50), 0);
  return (
    <TextArea
      label={<Label field={field} />}
      rows={Math.min(8, lines)}
      autofocus={isFirst}
      value={String(value)}
      readOnly={readOnly}
      error={error}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

function Choice({ field, value, readOnly, error, onInput }: InputProps) {
  return (
    <Select
      label={<Label field={field} />}
      value={String(value)}
      disabled={readOnly}
      error={error}
      onChange={(event) => onInput(event.currentTarget.value)}
    >
      <option value="">{t.data.nothing}</option>
      {(field.values ?? []).map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </Select>
  );
}

// Part is a group of controls under one label.
function Part({ field, error, children }: { field: DataField; error?: string; children: ComponentChildren }) {
  return (
    <fieldset class="field record-form__part" aria-label={field.name}>
      <span class="field__label" aria-hidden="true">
        <Label field={field} />
      </span>
      {children}
      {error && (
        <p class="field__error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Choices({ field, value, readOnly, error, onInput }: InputProps) {
  const chosen = value as string[];
  const turn = (one: string, on: boolean) =>
    onInput((field.values ?? []).filter((each) => (each === one ? on : chosen.includes(each))));
  return (
    <Part field={field} error={error}>
      {(field.values ?? []).map((one) => (
        <Checkbox
          key={one}
          label={one}
          checked={chosen.includes(one)}
          disabled={readOnly}
          onChange={(event) => turn(one, event.currentTarget.checked)}
        />
      ))}
    </Part>
  );
}

function Relation({ desk, field, value, readOnly, error, onInput }: InputProps) {
  const [finding, setFinding] = useState(false);
  const ids = value as string[];
  const add = (record: DataRecord) => {
    desk.labels.keep(field.collection!, [record]);
    onInput(field.multiple ? [...ids.filter((id) => id !== record.id), record.id] : [record.id]);
  };
  return (
    <Part field={field} error={error}>
      {ids.map((id) => (
        <div key={id} class="record-form__item">
          <Icon name="next" />
          <bdi title={id}>{desk.labels.of(field.collection, id)}</bdi>
          {!readOnly && (
            <IconButton
              small
              icon="close"
              label={t.data.takeOut(desk.labels.of(field.collection, id))}
              onClick={() => onInput(ids.filter((one) => one !== id))}
            />
          )}
        </div>
      ))}
      {!readOnly && field.collection && (
        <div>
          <Button small icon="search" onClick={() => setFinding(true)}>
            {t.data.chooseFrom(field.collection)}
          </Button>
        </div>
      )}
      {finding && (
        <RecordFinder desk={desk} collection={field.collection!} onPick={add} onClose={() => setFinding(false)} />
      )}
    </Part>
  );
}

function FileField({ desk, collection, record, field, value, readOnly, error, onInput }: InputProps) {
  const chosen = useRef<HTMLInputElement>(null);
  const { kept, added } = value as Files;
  const address = useAddress(desk, kept.length > 0);
  const linkTo = (name: string) =>
    address && record
      ? `${address}/_data/files/${[collection.name, record.id, name].map(encodeURIComponent).join('/')}`
      : undefined;
  const add = (files: File[]) =>
    onInput(field.multiple ? { kept, added: [...added, ...files] } : { kept: [], added: files });
  return (
    <Part field={field} error={error}>
      {kept.map((name) => (
        <div key={name} class="record-form__item">
          <Icon name="file" />
          <a href={linkTo(name)} target="_blank" rel="noopener noreferrer">
            <bdi>{name}</bdi>
          </a>
          {!readOnly && (
            <IconButton
              small
              icon="close"
              label={t.data.takeOut(name)}
              onClick={() => onInput({ kept: kept.filter((one) => one !== name), added })}
            />
          )}
        </div>
      ))}
      {added.map((file) => (
        <div key={`${file.name} ${file.size}`} class="record-form__item">
          <Icon name="upload" />
          <bdi>{file.name}</bdi> <span class="faint small">{bytes(file.size)}</span>
          <IconButton
            small
            icon="close"
            label={t.data.takeOut(file.name)}
            onClick={() => onInput({ kept, added: added.filter((one) => one !== file) })}
          />
        </div>
      ))}
      {!readOnly && (
        <div>
          <input
            ref={chosen}
            class="visually-hidden"
            type="file"
            tabIndex={-1}
            aria-label={t.data.chooseFile(field.name)}
            multiple={field.multiple}
            onChange={(event) => {
              add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
          <Button small icon="upload" onClick={() => chosen.current!.click()}>
            {field.multiple ? t.data.addFiles : t.data.addFile}
          </Button>
        </div>
      )}
    </Part>
  );
}
