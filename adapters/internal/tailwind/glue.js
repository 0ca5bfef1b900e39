// The bridge between Go and Tailwind: one compilation per machine.
import { compile } from "tailwindcss";
import known from "tailwindcss/colors";

const state = { settled: false, error: "", safelist: [] };
let compiler;

const describe = (error) => String((error && error.message) || error);

// evaluate runs a bundle in CommonJS form and returns what it exports.
function evaluate(script) {
  const module = { exports: {} };
  new Function("module", "exports", script)(module, module.exports);
  return module.exports.default ?? module.exports;
}

async function loadStylesheet(id, base) {
  const sheet = JSON.parse(hostStylesheet(id, base));
  return { ...sheet, content: applying(sheet.content) };
}

async function loadModule(id, base, kind) {
  if (id === "tailwindcss/v3") return { path: id, base, module: plugin };
  const { path, base: next, script } = JSON.parse(hostModule(id, base, kind));
  let module;
  try {
    module = evaluate(script);
  } catch (error) {
    throw new Error(`${path} cannot be evaluated: ${describe(error)}`);
  }
  if (kind === "config" && Array.isArray(module?.safelist)) {
    state.safelist.push(...module.safelist.filter((entry) => typeof entry === "string"));
  }
  if (kind === "config" && legacy.asked) module = adapted(module, known);
  return { path, base: next, module };
}

globalThis.tailwindStart = (css, from, base) => {
  legacy.asked = css.includes('@plugin "tailwindcss/v3"');
  started(css, { from, base, loadStylesheet, loadModule }).then(
    (result) => { compiler = result; state.settled = true; },
    (error) => { state.error = describe(error); state.settled = true; },
  );
};

// started compiles a sheet, and does so again if its configuration has told, too late for the first
// time, that the classes in it have another separator.
async function started(css, options) {
  const { separator } = legacy;
  const compiled = () => {
    legacy.active = false;
    if (legacy.asked) watch();
    return compile(applying(css), options);
  };
  try {
    const result = await compiled();
    if (legacy.separator === separator) return result;
  } catch (error) {
    if (legacy.separator === separator) throw error;
  }
  return compiled();
}

globalThis.tailwindState = () => JSON.stringify({
  ...state,
  safelist: [...state.safelist, ...legacy.words],
  root: compiler?.root ?? null,
  sources: compiler?.sources ?? [],
  features: compiler?.features ?? 0,
  bare: !legacy.preflight,
});

// build compiles the candidates beside all earlier ones. A result that is larger
// than most characters is an error.
globalThis.tailwindBuild = (candidates, most) => {
  const css = finished(compiler.build(read(JSON.parse(candidates) ?? [])));
  if (css.length > most) throw new Error("the style sheet grows too large");
  return css;
};

// rest needs a little memory, which there only is below the limit.
globalThis.tailwindRest = () => "r".repeat(1000);
