// The editor's theme. It uses design tokens, so it follows the light and dark schemes.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const frame = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '8px 0 40vh', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 16px 0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--code-selection)',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 14px', minWidth: '44px' },
  '@media (max-width: 640px)': {
    '.cm-lineNumbers .cm-gutterElement': { padding: '0 2px 0 6px', minWidth: '30px' },
    '.cm-line': { paddingRight: '8px' },
  },
  '.cm-activeLine': { backgroundColor: 'var(--code-line)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--code-line)', color: 'var(--ink)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    border: 'none',
    color: 'var(--ink-soft)',
    padding: '0 6px',
  },
  '.cm-specialChar': { color: 'var(--danger)' },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': {
    backgroundColor: 'var(--code-selection)',
    outline: '1px solid var(--line-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)', outline: '1px solid var(--warning)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--code-selection)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
});

const windows = EditorView.theme({
  '.cm-panels': { backgroundColor: 'var(--paper)', color: 'var(--ink)', fontFamily: 'var(--font)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': { padding: '8px 36px 8px 10px', fontSize: '13px' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '2px',
    margin: '2px 6px 2px 0',
    fontSize: '13px',
  },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)' },
  '.cm-dialog': { padding: '6px 36px 6px 10px' },
  '.cm-dialog label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '6px',
    marginRight: '6px',
    fontSize: '13px',
  },
  '.cm-textfield': {
    minHeight: '28px',
    padding: '2px 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    fontSize: '13px',
  },
  '.cm-button': {
    minHeight: '28px',
    padding: '0 9px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-small)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    fontSize: '13px',
    cursor: 'pointer',
  },
  '.cm-button:active': { backgroundImage: 'none', backgroundColor: 'var(--hover)' },
  '.cm-panel.cm-search [name=close], .cm-panel.cm-gotoLine [name=close], .cm-dialog-close': {
    minWidth: '28px',
    minHeight: '28px',
    color: 'var(--ink-soft)',
    fontSize: '20px',
    cursor: 'pointer',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)' },
  '.cm-completionDetail': { color: 'var(--ink-faint)' },
  '.cm-diagnostic': {
    padding: '6px 10px',
    fontFamily: 'var(--font)',
    fontSize: '13px',
    maxWidth: '60ch',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warning)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warning)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lint-marker': { content: 'none', width: '8px', height: '8px', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--danger)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--warning)' },
  '.cm-gutter-lint': { width: '12px' },
  '.cm-gutter-lint .cm-gutterElement': { display: 'flex', alignItems: 'center', padding: '0 2px' },
});

const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.moduleKeyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue], color: 'var(--code-string)' },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color, tags.regexp, tags.escape],
    color: 'var(--code-value)',
  },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.tagName, tags.angleBracket, tags.heading], color: 'var(--code-tag)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-type)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--code-property)' },
  { tag: tags.heading, fontWeight: '620' },
  { tag: tags.strong, fontWeight: '620' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--code-string)', textDecoration: 'underline' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

/** theme combines all parts of the theme. */
export const theme = [frame, windows, syntaxHighlighting(words)];
