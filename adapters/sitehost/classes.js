// Classes of picked elements: what they declare, and what is shown until they are built.

// What classes declare. Values are as written, because they name tokens of the theme.

const shorthands = {
  'padding-top': ['padding-block', 'padding'], 'padding-bottom': ['padding-block', 'padding'],
  'padding-left': ['padding-inline', 'padding'], 'padding-right': ['padding-inline', 'padding'],
  'margin-top': ['margin-block', 'margin'], 'margin-bottom': ['margin-block', 'margin'],
  'margin-left': ['margin-inline', 'margin'], 'margin-right': ['margin-inline', 'margin'],
  'row-gap': ['gap'], 'column-gap': ['gap'],
  'border-top-width': ['border-width'], 'border-top-style': ['border-style'], 'border-top-color': ['border-color'],
};

export function declaredBy(element, properties) {
  const wanted = new Set([...element.classList].slice(0, 100));
  const found = {};
  const visit = (rule, name) => {
    const own = /^\.((?:\\.|[\w-])+)/.exec(rule.selectorText ?? '')?.[1].replaceAll(/\\(.)/g, '$1');
    const at = name ?? (wanted.has(own) ? own : null);
    if (at !== null && rule.style) {
      const values = (found[variantOf(at)] ??= {});
      for (const property of properties) {
        const value = [property, ...(shorthands[property] ?? [])].map((one) => rule.style.getPropertyValue(one)).find(Boolean);
        if (value) values[property] = value.slice(0, 200);
      }
    }
    for (const inner of rule.cssRules ?? []) visit(inner, at);
  };
  for (const sheet of wanted.size > 0 ? document.styleSheets : []) {
    try {
      for (const rule of sheet.cssRules) visit(rule, null);
    } catch {
      // The sheet is of another origin.
    }
  }
  return Object.fromEntries(Object.entries(found).slice(0, 20));
}

// variantOf returns the part of a class before its utility: 'md:hover' of 'md:hover:p-4'.
function variantOf(name) {
  let depth = 0;
  let end = 0;
  for (let at = 0; at < name.length; at += 1) {
    if ('[('.includes(name[at])) depth += 1;
    if ('])'.includes(name[at])) depth -= 1;
    if (name[at] === ':' && depth === 0) end = at;
  }
  return name.slice(0, end);
}

// Drafts are values that are saved as classes. A rule shows them until the next build has
// the class: an inline style would outlast it, and hide what comes later.

const drafts = new Map();
const draftSheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(draftSheet);
const widths = { sm: '40rem', md: '48rem', lg: '64rem', xl: '80rem', '2xl': '96rem' };
let settling = 0;

export function draft(selector, property, value, variant) {
  const key = `${selector} ${variant} ${property}`;
  drafts.delete(key);
  if (value !== null && CSS.supports(property, value)) {
    // States are shown while they are being edited.
    const width = variant.split(':').map((part) => widths[part]).find(Boolean);
    const rule = `${selector} { ${property}: ${value} !important; }`;
    drafts.set(key, { rule: width ? `@media (width >= ${width}) { ${rule} }` : rule, settled: false });
  }
  writeDrafts();
}

// draftTokens shows rules for tokens of the theme.
export function draftTokens(css) {
  drafts.set('tokens', { rule: typeof css === 'string' ? css.slice(0, 20_000) : '', settled: false });
  writeDrafts();
}

function writeDrafts() {
  draftSheet.replaceSync([...drafts.values()].map(({ rule }) => rule).join('\n'));
}

// settle marks all drafts as saved. They end once the page has changed.
export function settle() {
  for (const one of drafts.values()) one.settled = true;
  clearTimeout(settling);
  settling = setTimeout(endSettled, 5000);
}

function endSettled() {
  clearTimeout(settling);
  for (const [key, { settled }] of drafts) if (settled) drafts.delete(key);
  writeDrafts();
}

export function settleSoon() {
  if (![...drafts.values()].some(({ settled }) => settled)) return;
  clearTimeout(settling);
  settling = setTimeout(endSettled, 300);
}

export function endDrafts() {
  drafts.clear();
  writeDrafts();
}
