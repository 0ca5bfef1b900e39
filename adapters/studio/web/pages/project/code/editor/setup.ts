import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { gotoLine, highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';

import { config } from '~/app/config';
import { editorKeys } from '~/app/shortcuts';
import { t } from '~/text';
import { cursors } from '../room/cursors';
import { hasLongLine, wrapped, wrappingAs } from './preferences';
import { theme } from './theme';

/** Uses are the editor's callbacks and permissions. */
interface Uses {
  canEdit: boolean;
  save: () => void;
  /** moved is called when the cursor or the scroll position changes. */
  moved: () => void;
}

/** extensions returns the extensions that do not depend on the file's path. */
export function extensions({ canEdit, save, moved }: Uses, text: Text): Extension {
  return [
    EditorView.cspNonce.of(config.nonce),
    EditorState.phrases.of(t.code.editor),
    EditorView.contentAttributes.of({ spellcheck: 'false', tabindex: '0' }),
    canEdit ? [] : [EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-readonly': 'true' })],
    lineNumbers(),
    foldGutter({ markerDOM }),
    lintGutter(),
    linter(null),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    dropCursor(),
    rectangularSelection(),
    crosshairCursor(),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    indentUnit.of(indentOf(text)),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    highlightSelectionMatches(),
    search({ top: true }),
    theme,
    wrappingAs(text, wrapped.peek()),
    cursors(moved),
    keymap.of([
      { key: editorKeys('goToLine'), run: gotoLine, preventDefault: true },
      ...closeBracketsKeymap,
      ...searchKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.domEventHandlers({
      blur: () => {
        save();
      },
    }),
  ];
}

/** named returns the extensions that depend on the file's path. */
export function named(path: string, text: Text, language: Extension): Extension {
  return [EditorView.contentAttributes.of({ 'aria-label': t.code.editorOf(path) }), hasLongLine(text) ? [] : language];
}

// indentOf detects the indentation unit of a text.
function indentOf(text: Text): string {
  const found = /^(\t| {2,8})\S/m.exec(text.sliceString(0, 20_000))?.[1];
  return found === '\t' || (found && found.length <= 4) ? found : '  ';
}

function markerDOM(open: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = open ? 'code__fold' : 'code__fold code__fold--shut';
  marker.textContent = '›';
  return marker;
}
