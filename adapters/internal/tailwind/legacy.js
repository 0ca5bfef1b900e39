// What version 3 of Tailwind does in another way than version 4, for the projects that are written for
// it. It changes the utilities of version 4 where these are registered, so that variants, modifiers and
// @apply know nothing of it.

const shades = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950];
const palette = {
  slate: "f8fafc f1f5f9 e2e8f0 cbd5e1 94a3b8 64748b 475569 334155 1e293b 0f172a 020617",
  gray: "f9fafb f3f4f6 e5e7eb d1d5db 9ca3af 6b7280 4b5563 374151 1f2937 111827 030712",
  zinc: "fafafa f4f4f5 e4e4e7 d4d4d8 a1a1aa 71717a 52525b 3f3f46 27272a 18181b 09090b",
  neutral: "fafafa f5f5f5 e5e5e5 d4d4d4 a3a3a3 737373 525252 404040 262626 171717 0a0a0a",
  stone: "fafaf9 f5f5f4 e7e5e4 d6d3d1 a8a29e 78716c 57534e 44403c 292524 1c1917 0c0a09",
  red: "fef2f2 fee2e2 fecaca fca5a5 f87171 ef4444 dc2626 b91c1c 991b1b 7f1d1d 450a0a",
  orange: "fff7ed ffedd5 fed7aa fdba74 fb923c f97316 ea580c c2410c 9a3412 7c2d12 431407",
  amber: "fffbeb fef3c7 fde68a fcd34d fbbf24 f59e0b d97706 b45309 92400e 78350f 451a03",
  yellow: "fefce8 fef9c3 fef08a fde047 facc15 eab308 ca8a04 a16207 854d0e 713f12 422006",
  lime: "f7fee7 ecfccb d9f99d bef264 a3e635 84cc16 65a30d 4d7c0f 3f6212 365314 1a2e05",
  green: "f0fdf4 dcfce7 bbf7d0 86efac 4ade80 22c55e 16a34a 15803d 166534 14532d 052e16",
  emerald: "ecfdf5 d1fae5 a7f3d0 6ee7b7 34d399 10b981 059669 047857 065f46 064e3b 022c22",
  teal: "f0fdfa ccfbf1 99f6e4 5eead4 2dd4bf 14b8a6 0d9488 0f766e 115e59 134e4a 042f2e",
  cyan: "ecfeff cffafe a5f3fc 67e8f9 22d3ee 06b6d4 0891b2 0e7490 155e75 164e63 083344",
  sky: "f0f9ff e0f2fe bae6fd 7dd3fc 38bdf8 0ea5e9 0284c7 0369a1 075985 0c4a6e 082f49",
  blue: "eff6ff dbeafe bfdbfe 93c5fd 60a5fa 3b82f6 2563eb 1d4ed8 1e40af 1e3a8a 172554",
  indigo: "eef2ff e0e7ff c7d2fe a5b4fc 818cf8 6366f1 4f46e5 4338ca 3730a3 312e81 1e1b4b",
  violet: "f5f3ff ede9fe ddd6fe c4b5fd a78bfa 8b5cf6 7c3aed 6d28d9 5b21b6 4c1d95 2e1065",
  purple: "faf5ff f3e8ff e9d5ff d8b4fe c084fc a855f7 9333ea 7e22ce 6b21a8 581c87 3b0764",
  fuchsia: "fdf4ff fae8ff f5d0fe f0abfc e879f9 d946ef c026d3 a21caf 86198f 701a75 4a044e",
  pink: "fdf2f8 fce7f3 fbcfe8 f9a8d4 f472b6 ec4899 db2777 be185d 9d174d 831843 500724",
  rose: "fff1f2 ffe4e6 fecdd3 fda4af fb7185 f43f5e e11d48 be123c 9f1239 881337 4c0519",
};
const colors = { inherit: "inherit", current: "currentColor", transparent: "transparent", black: "#000", white: "#fff" };
for (const [name, list] of Object.entries(palette)) {
  colors[name] = Object.fromEntries(list.split(" ").map((hex, at) => [shades[at], `#${hex}`]));
}

const lines = {
  xs: ["0.75rem", "1rem"], sm: ["0.875rem", "1.25rem"], base: ["1rem", "1.5rem"], lg: ["1.125rem", "1.75rem"], xl: ["1.25rem", "1.75rem"],
  "2xl": ["1.5rem", "2rem"], "3xl": ["1.875rem", "2.25rem"], "4xl": ["2.25rem", "2.5rem"], "5xl": ["3rem", "1"], "6xl": ["3.75rem", "1"],
  "7xl": ["4.5rem", "1"], "8xl": ["6rem", "1"], "9xl": ["8rem", "1"],
};

const legacy = {
  active: false, prefix: "", separator: ":", preflight: true, words: [], patterns: [], off: new Set(), only: null, theme: () => undefined, own: new Set(),
  // spelled are the words of another separator, by the class that version 4 knows.
  spelled: new Map(),
};

// watch finds the utilities of the next compilation: they are a map of lists by name, the first of
// which is sr-only. Nothing else leads to them.
function watch() {
  const { set } = Map.prototype;
  Map.prototype.set = function (name, list) {
    if (name === "sr-only" && Array.isArray(list)) {
      Map.prototype.set = set;
      return adopt(this, set).set(name, list);
    }
    return set.call(this, name, list);
  };
}

// adopt changes each utility that is registered, and lets each be called by the prefix as well.
function adopt(utilities, set) {
  const { get, has } = Map.prototype;
  const plain = (name) => {
    if (!legacy.prefix || typeof name !== "string") return name;
    const negative = name.startsWith("-") ? "-" : "";
    const rest = name.slice(negative.length);
    return rest.startsWith(legacy.prefix) ? negative + rest.slice(legacy.prefix.length) : name;
  };
  utilities.set = (name, list) => {
    list.push = (utility) => {
      if (!legacy.active) legacy.own.add(name);
      const { compileFn } = utility;
      return Array.prototype.push.call(list, legacy.active ? utility : { ...utility, compileFn: (candidate) => changed(name, candidate, compileFn) });
    };
    return set.call(utilities, name, list);
  };
  utilities.has = (name) => has.call(utilities, name) || has.call(utilities, plain(name));
  const { get: find } = utilities;
  utilities.get = (name) => (has.call(utilities, name) ? get.call(utilities, name) : find.call(utilities, plain(name)));
  return utilities;
}

// tints are the properties of colours by utility, with the variable that has their opacity.
const sides = ["border", "border-x", "border-y", "border-t", "border-r", "border-b", "border-l", "border-s", "border-e"];
const tints = { bg: ["background-color", "bg"], text: ["color", "text"], placeholder: ["color", "placeholder"], divide: ["border-color", "divide"], ring: ["--tw-ring-color", "ring"] };
for (const side of sides) tints[side] = [/^border(-\w+)*-color$/, "border"];

// siblings are the properties of lists by those of version 4, whose gaps are on the other side.
const siblings = {
  "margin-block-start": "margin-bottom", "margin-block-end": "margin-top", "margin-inline-start": "margin-right", "margin-inline-end": "margin-left",
  "border-top-width": "border-bottom-width", "border-bottom-width": "border-top-width",
  "border-inline-start-width": "border-right-width", "border-inline-end-width": "border-left-width",
};
const between = /^(-?space-[xy]|divide)(-|$)/;

const declaration = (property, value) => ({ kind: "declaration", property, value, important: false });

// changed compiles a candidate of a utility of version 4 as version 3 would.
function changed(name, candidate, compile) {
  if (!legacy.active || !candidate) return compile(candidate);
  const nodes = likeThree(name, candidate, compile);
  return nodes?.length && isOff(pluginOf(name, nodes)) ? undefined : nodes;
}

// turned are the orders by name, which may have a minus there.
const turned = { first: "9999", last: "-9999", none: "0" };

function likeThree(name, candidate, compile) {
  if (name === "outline-none") return [declaration("outline", "2px solid transparent"), declaration("outline-offset", "2px")];
  if (name === "-order" && turned[candidate.value?.value]) return [declaration("order", turned[candidate.value.value])];
  if (candidate.value?.kind === "arbitrary") candidate = { ...candidate, value: { ...candidate.value, value: written(name, candidate.value.value) } };
  let nodes = compile(candidate);
  if (!nodes?.length) return nodes;
  if (tints[name]) nodes = tinted(nodes, candidate, compile, ...tints[name]);
  if (name === "outline") nodes = candidate.value ? nodes.filter((node) => node.property !== "outline-style") : [declaration("outline-style", "solid")];
  if (between.test(name)) nodes = nodes.map(betweenSiblings);
  return each(nodes, (node) => {
    const value = node.value
      ?.replace(/^var\(--tw-(?:leading|tracking|font-weight), (.*)\)$/, "$1")
      .replace(/^(to [a-z ]+) in oklab$/, "$1");
    return value === node.value ? node : { ...node, value };
  });
}

// isOff reports whether a configuration turns a core plugin off.
const isOff = (plugin) => legacy.off.has(plugin) || (legacy.only !== null && !legacy.only.has(plugin));

// The core plugins of version 3 are called like the property that they set, but for these.
const pluginsByName = [
  [/^container$/, "container"], [/sr-only$/, "accessibility"], [/^truncate$/, "textOverflow"], [/^line-clamp/, "lineClamp"], [/^size$/, "size"],
  [/^skew/, "skew"], [/^snap-(mandatory|proximity)$/, "scrollSnapType"], [/^(from|via|to)$/, "gradientColorStops"], [/^space-/, "space"],
  [/^divide-[xy]/, "divideWidth"], [/^divide-/, "divideStyle"], [/^divide$/, "divideColor"], [/^placeholder$/, "placeholderColor"], [/^ring-inset$/, "ringWidth"],
];
const pluginsByProperty = [
  [/^-(webkit|moz-osx|moz|ms)-/, ""], [/^(scroll-)?(margin|padding)-.*/, "$1$2"], [/^(inset-.*|top|right|bottom|left)$/, "inset"], [/^(overflow|overscroll-behavior)-[xy]$/, "$1"],
  [/^(row|column)-gap$/, "gap"], [/^border-.*(width|color|style|radius)$/, "border-$1"], [/^white-space$/, "whitespace"], [/^overflow-wrap$/, "word-break"],
  [/^text-decoration-line$/, "text-decoration"], [/^color$/, "text-color"], [/^outline$/, "outline-style"],
];

function propertiesOf(nodes) {
  return nodes.flatMap((node) => (node.kind === "declaration" ? [node.property] : node.kind === "at-root" ? [] : propertiesOf(node.nodes ?? [])));
}

const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

// pluginOf returns the core plugin of version 3 that a utility is from.
function pluginOf(name, nodes) {
  const root = name.replace(/^-/, "");
  const named = pluginsByName.find(([pattern]) => pattern.test(root));
  if (named) return named[1];
  const all = propertiesOf(nodes);
  if (root === "ring") return all.includes("box-shadow") ? "ringWidth" : "ringColor";
  if (root === "ring-offset") return all.includes("--tw-ring-offset-width") ? "ringOffsetWidth" : "ringOffsetColor";
  if (root === "shadow") return all.includes("box-shadow") ? "boxShadow" : "boxShadowColor";
  const width = /^border(-|$)/.test(root) && all.find((property) => property.endsWith("-width"));
  let property = width || (all.find((one) => !one.startsWith("--")) ?? all[0] ?? root);
  for (const [pattern, by] of pluginsByProperty) property = property.replace(pattern, by);
  return camel(/(^|-)filter$/.test(property) && !/(^|-)filter/.test(root) ? root.replace(/-none$/, "") : property);
}

// written reads an arbitrary value: a variable may stand alone, and lists of tracks have commas.
function written(name, value) {
  if (/^--[\w-]+$/.test(value)) return `var(${value})`;
  return /^(grid-cols|grid-rows|object)$/.test(name) ? parts(value).join(" ") : value;
}

// parts splits a value at the commas outside of parentheses.
function parts(value) {
  const found = [""];
  let depth = 0;
  for (const character of value) {
    depth += (character === "(") - (character === ")");
    if (character === "," && depth === 0) found.push("");
    else found[found.length - 1] += character;
  }
  return found.map((part) => part.trim());
}

function each(nodes, change) {
  return nodes.map((node) => (node.kind === "declaration" ? change(node) : node.nodes ? { ...node, nodes: each(node.nodes, change) } : node));
}

function betweenSiblings(node) {
  if (node.kind !== "rule") return node;
  const nodes = node.nodes.map((inner) => (siblings[inner.property] ? { ...inner, property: siblings[inner.property] } : inner));
  return { ...node, selector: "& > :not([hidden]) ~ :not([hidden])", nodes };
}

// tinted lets the opacity of a colour come from its modifier, or else from a class beside it.
function tinted(nodes, candidate, compile, property, name) {
  if (!candidate.modifier && isOff(`${name === "bg" ? "background" : name}Opacity`)) return nodes;
  const variable = `--tw-${name}-opacity`;
  let found = false;
  const bare = candidate.modifier ? compile({ ...candidate, modifier: null }) : nodes;
  const made = each(bare ?? [], (node) => {
    if (typeof property === "string" ? node.property !== property : !property.test(node.property)) return node;
    const color = channels(node.value);
    if (!color) return node;
    found = true;
    return { ...node, value: color(candidate.modifier ? alphaOf(candidate.modifier) : `var(${variable}, 1)`) };
  });
  if (!found) return nodes;
  if (candidate.modifier) return made;
  const reset = declaration(variable, "1");
  const inner = made.some((node) => node.kind === "rule");
  return inner ? made.map((node) => (node.kind === "rule" ? { ...node, nodes: [reset, ...node.nodes] } : node)) : [reset, ...made];
}

function alphaOf({ kind, value }) {
  return kind === "arbitrary" ? value : (legacy.theme("opacity")?.[value] ?? `${value}%`);
}

// channels returns how a colour is written with an opacity, or nothing if version 3 cannot do so.
function channels(value) {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1];
  if (hex) {
    const [r, g, b] = hex.match(hex.length === 3 ? /./g : /../g).map((digits) => parseInt(digits.padEnd(2, digits), 16));
    return (alpha) => `rgb(${r} ${g} ${b} / ${alpha})`;
  }
  const open = /^((?:rgb|hsl)a?)\((.*) \/ 1\)$/.exec(value);
  if (open) return (alpha) => `${open[1]}(${open[2]} / ${alpha})`;
  const list = /^(rgb|hsl)a?\(\s*([\d.]+(?:deg)?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)\s*\)$/.exec(value);
  if (list) return (alpha) => `${list[1]}(${list[2]} ${list[3]} ${list[4]} / ${alpha})`;
}

// adapted returns a configuration of version 3 in a form that version 4 reads. known are the colours of
// version 4, for which a configuration may have asked by name.
function adapted(config, known) {
  if (!config || typeof config !== "object") return config;
  const olden = new Map();
  for (const [name, list] of Object.entries(known)) {
    if (typeof list === "object") for (const [shade, value] of Object.entries(list)) if (colors[name]?.[shade]) olden.set(value, colors[name][shade]);
  }
  const color = (value) => {
    if (typeof value === "string") return olden.get(value) ?? value;
    if (typeof value === "function") return value({ opacityValue: "<alpha-value>" });
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, color(inner)])) : value;
  };
  const theme = (section) => {
    const made = { ...section };
    for (const [key, value] of Object.entries(made)) {
      if (/colors?$/i.test(key) && value && typeof value === "object") made[key] = color(value);
    }
    return made;
  };
  const made = { ...config, theme: { ...theme(config.theme), extend: theme(config.theme?.extend) } };
  if (typeof config.prefix === "string" && config.prefix) {
    legacy.prefix = config.prefix;
    made.prefix = "";
  }
  if (typeof config.separator === "string" && config.separator) legacy.separator = config.separator;
  for (const entry of Array.isArray(config.safelist) ? config.safelist : []) if (entry?.pattern instanceof RegExp) legacy.patterns.push(entry);
  if (Array.isArray(config.corePlugins)) legacy.only ??= new Set(config.corePlugins);
  else for (const [name, on] of Object.entries(config.corePlugins ?? {})) if (on === false) legacy.off.add(name);
  if (Array.isArray(config.presets)) {
    made.presets = config.presets.map((preset) => adapted(preset, known));
    if (config.presets.length === 0) delete made.presets;
  }
  if (isOff("preflight")) legacy.preflight = false;
  const content = config.content?.files ?? config.content;
  if (Array.isArray(content)) {
    for (const { raw } of content) if (typeof raw === "string") legacy.words.push(...raw.split(/[\s"'`<>={}]+/));
    made.content = content.filter((entry) => typeof entry === "string");
  }
  return made;
}

// plugin has the utilities and the theme that version 4 lacks.
const plugin = {
  handler({ matchUtilities, theme }) {
    legacy.active = true;
    legacy.theme = theme;
    legacy.words.push(...matching(legacy.patterns, theme));
    const values = (name) => ({ ...theme("opacity"), ...theme(name) });
    const wrapped = (selector, inner) => (selector ? { [selector]: inner } : inner);
    for (const [name, section, selector] of [
      ["bg", "backgroundOpacity"], ["text", "textOpacity"], ["border", "borderOpacity"], ["ring", "ringOpacity"],
      ["divide", "divideOpacity", "& > :not([hidden]) ~ :not([hidden])"], ["placeholder", "placeholderOpacity", "&::placeholder"],
    ]) {
      if (!isOff(section)) matchUtilities({ [`${name}-opacity`]: (value) => wrapped(selector, { [`--tw-${name}-opacity`]: value }) }, { values: values(section) });
    }
  },
  config: {
    theme: {
      colors,
      screens: { sm: "640px", md: "768px", lg: "1024px", xl: "1280px", "2xl": "1536px" },
      fontSize: Object.fromEntries(Object.entries(lines).map(([name, [size, lineHeight]]) => [name, [size, { lineHeight }]])),
      fontFamily: {
        sans: ["ui-sans-serif", "system-ui", "sans-serif", '"Apple Color Emoji"', '"Segoe UI Emoji"', '"Segoe UI Symbol"', '"Noto Color Emoji"'],
        serif: ["ui-serif", "Georgia", "Cambria", '"Times New Roman"', "Times", "serif"],
        mono: ["ui-monospace", "SFMono-Regular", "Menlo", "Monaco", "Consolas", '"Liberation Mono"', '"Courier New"', "monospace"],
      },
      extend: { borderColor: ({ theme }) => ({ DEFAULT: theme("colors").gray?.[200] ?? "currentColor" }) },
    },
  },
};

const tinting = "bg text border border-x border-y border-t border-r border-b border-l ring ring-offset from via to fill stroke divide accent caret decoration outline shadow placeholder".split(" ");
const sizes = "xs sm base md lg xl 2xl 3xl 4xl 5xl 6xl 7xl 8xl 9xl none auto full screen min max fit first last".split(" ");
const maxMatching = 5000;

// matching returns the classes that the patterns of a safelist ask for, with their variants.
function matching(patterns, theme) {
  if (patterns.length === 0) return [];
  const shade = (value, name) => (value && typeof value === "object" ? Object.entries(value).flatMap(([key, inner]) => shade(inner, key === "DEFAULT" ? name : `${name}-${key}`)) : [name]);
  const tones = Object.entries(theme("colors", {})).flatMap(([name, value]) => shade(value, name));
  const steps = [...new Set([...sizes, ...Object.keys(theme("spacing", {})), ..."1 2 3 4 5 6 7 8 9 10 11 12 20 25 30 40 50 60 70 75 80 90 100 200 300 500 700".split(" ")])];
  const named = (name) => (name.startsWith("-") ? `-${legacy.prefix}${name.slice(1)}` : legacy.prefix + name);
  const found = new Set();
  const look = (name) => {
    for (const { pattern, variants } of patterns) {
      pattern.lastIndex = 0;
      if (found.size >= maxMatching || !pattern.test(name)) continue;
      for (const variant of ["", ...(variants ?? [])]) found.add(variant ? variant + legacy.separator + name : name);
    }
  };
  for (const name of legacy.own) {
    look(named(name));
    for (const step of steps) look(named(`${name}-${step}`));
  }
  for (const name of tinting) for (const tone of tones) look(named(`${name}-${tone}`));
  return found;
}

// read returns the classes among words in the spelling of version 4.
function read(words) {
  if (!legacy.active || legacy.separator === ":") return words.filter(isMeant);
  return words.flatMap((word) => {
    const known = /:(?![^[]*\])/.test(word) ? "" : respelled(word);
    if (!known || !isMeant(known)) return [];
    legacy.spelled.set(known, word);
    return [known];
  });
}

// respelled returns a class with the separator of version 4.
function respelled(word) {
  const parts = [""];
  let depth = 0;
  for (let at = 0; at < word.length; at++) {
    depth += (word[at] === "[") - (word[at] === "]");
    if (depth === 0 && word.startsWith(legacy.separator, at)) {
      parts.push("");
      at += legacy.separator.length - 1;
    } else parts[parts.length - 1] += word[at];
  }
  return parts.join(":");
}

// applying returns a sheet whose @apply names the classes as version 4 does.
function applying(css) {
  if (legacy.separator === ":") return css;
  return css.replace(/(@apply\s+)([^;{}]*)/g, (_, rule, words) => rule + words.split(/\s+/).map(respelled).join(" "));
}

// isMeant reports whether a word is a class: with a prefix, those of Tailwind itself have it.
function isMeant(word) {
  if (!legacy.active || !legacy.prefix) return true;
  const base = word.replace(/^.*:(?![^[]*\])/, "").replace(/^!/, "").replace(/^-/, "");
  if (base.startsWith(legacy.prefix) || base.startsWith("[")) return true;
  for (let end = base.length; end > 0; end = base.lastIndexOf("-", end - 1)) {
    if (legacy.own.has(base.slice(0, end).replace(/[/[].*$/, ""))) return false;
  }
  return true;
}

// finished is the compiled sheet as version 3 names the classes that only mark something.
function finished(css) {
  if (legacy.spelled.size > 0) {
    css = css.replace(/\.((?:\\.|[\w-])+)/g, (whole, name) => {
      const word = legacy.spelled.get(name.replace(/\\(.)/g, "$1"));
      return word === undefined ? whole : `.${word.replace(/[^\w-]/g, "\\$&")}`;
    });
  }
  if (!legacy.active || !legacy.prefix) return css;
  return css.replace(/:where\(\.(group|peer)(?=[\\)])/g, `:where(.${legacy.prefix}$1`);
}
