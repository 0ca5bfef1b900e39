// The editor's theme. It uses design tokens, so it follows the light and dark schemes.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const frame = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: 'var(--space-2) 0 40vh', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 var(--space-4) 0 var(--space-2)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: 'var(--stroke)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--code-selection)',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': {
    padding: '0 var(--space-1-half) 0 var(--space-4)',
    minWidth: 'var(--size-11)',
  },
  '@media (max-width: 640px)': {
    '.cm-lineNumbers .cm-gutterElement': {
      padding: '0 var(--space-half) 0 var(--space-1-half)',
      minWidth: 'var(--size-8)',
    },
    '.cm-line': { paddingRight: 'var(--space-2)' },
  },
  '.cm-activeLine': { backgroundColor: 'var(--code-line)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--code-line)', color: 'var(--ink)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    border: 'none',
    color: 'var(--ink-soft)',
    padding: '0 var(--space-1-half)',
  },
  '.cm-specialChar': { color: 'var(--danger)' },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': {
    backgroundColor: 'var(--code-selection)',
    outline: 'var(--hairline) solid var(--line-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)', outline: 'var(--hairline) solid var(--warning)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--code-selection)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
});

const windows = EditorView.theme({
  '.cm-panels': { backgroundColor: 'var(--paper)', color: 'var(--ink)', fontFamily: 'var(--font)' },
  '.cm-panels-top': { borderBottom: 'var(--hairline) solid var(--line)' },
  '.cm-panels-bottom': { borderTop: 'var(--hairline) solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': {
    padding: 'var(--space-2) var(--space-10) var(--space-2) var(--space-3)',
    fontSize: 'var(--small)',
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 'var(--space-half)',
    margin: 'var(--space-half) var(--space-1-half) var(--space-half) 0',
    fontSize: 'var(--small)',
  },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)' },
  '.cm-dialog': { padding: 'var(--space-1-half) var(--space-10) var(--space-1-half) var(--space-3)' },
  '.cm-dialog label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 'var(--space-1-half)',
    marginRight: 'var(--space-1-half)',
    fontSize: 'var(--small)',
  },
  '.cm-textfield': {
    minHeight: 'var(--size-7)',
    padding: 'var(--space-half) var(--space-2)',
    border: 'var(--hairline) solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    fontSize: 'var(--small)',
  },
  '.cm-button': {
    minHeight: 'var(--size-7)',
    padding: '0 var(--space-2)',
    border: 'var(--hairline) solid var(--line)',
    borderRadius: 'var(--radius-small)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    fontSize: 'var(--small)',
    cursor: 'pointer',
  },
  '.cm-button:active': { backgroundImage: 'none', backgroundColor: 'var(--hover)' },
  '.cm-panel.cm-search [name=close], .cm-panel.cm-gotoLine [name=close], .cm-dialog-close': {
    minWidth: 'var(--size-7)',
    minHeight: 'var(--size-7)',
    color: 'var(--ink-soft)',
    fontSize: 'var(--title)',
    cursor: 'pointer',
  },
  '.cm-tooltip': {
    border: 'var(--hairline) solid var(--line)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: 'var(--space-half) var(--space-2)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)' },
  '.cm-completionDetail': { color: 'var(--ink-faint)' },
  '.cm-diagnostic': {
    padding: 'var(--space-1-half) var(--space-3)',
    fontFamily: 'var(--font)',
    fontSize: 'var(--small)',
    maxWidth: '60ch',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-error': { borderLeft: 'var(--stroke-bold) solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: 'var(--stroke-bold) solid var(--warning)' },
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
  '.cm-lint-marker': { content: 'none', width: 'var(--size-2)', height: 'var(--size-2)', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--danger)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--warning)' },
  '.cm-gutter-lint': { width: 'var(--size-3)' },
  '.cm-gutter-lint .cm-gutterElement': { display: 'flex', alignItems: 'center', padding: '0 var(--space-half)' },
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
