// Reads a configuration of Vite: what the builder follows becomes settings, what changes no page
// counts as nothing, and anything else is named.
{
  const known = viteKnown;
  const { root, relative, resolve } = vitePath;

  class Unsupported extends Error {}
  // reading is the configuration that is read.
  let reading = viteInput.name || viteInput.postcss;
  globalThis.viteReading = (name) => { reading = name; };
  const refuse = (problem) => { throw new Unsupported(problem); };
  const sets = (key) => refuse(`sets ${key}`);
  const isEmpty = (value) => value === undefined || value === null || value === false || value === "" ||
    (Array.isArray(value) && value.every(isEmpty)) || (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0);

  // A reader of a member is called with its value, what is read so far, and its name.
  const nothing = () => {};
  const never = (value, _, key) => { if (!isEmpty(value)) sets(key); };
  const only = (...usual) => (value, _, key) => { if (!usual.includes(value)) sets(key); };
  const members = (table) => (value, out, key) => {
    if (isEmpty(value)) return;
    if (typeof value !== "object") sets(key);
    for (const [name, member] of Object.entries(value)) {
      const full = key ? `${key}.${name}` : name;
      if (member === undefined || member === null) continue;
      (Object.hasOwn(table, name) ? table[name] : never)(member, out, full);
    }
  };
  const all = (names) => Object.fromEntries(names.split(" ").map((name) => [name, nothing]));

  // inside is the place of a path in the project: absolute from the disk, or from the root.
  const inside = (name) => {
    const place = relative(root, name);
    return place.startsWith("..") ? name.replace(/^\/+/, "") : place;
  };

  const alias = (value, out, key) => {
    for (const { find, replacement, customResolver } of viteAliases(value)) {
      if (customResolver || typeof replacement !== "string") sets(`${key} with a resolver`);
      const pattern = find instanceof RegExp;
      if (pattern && find.flags.replace(/[gu]/g, "")) sets(`${key} with the flags ${find.flags}`);
      const entry = { find: pattern ? find.source : String(find).replace(/\/$/, ""), pattern, path: "", package: "" };
      const place = replacement.startsWith("/") ? inside(replacement) : replacement.startsWith(".") ? inside(resolve(replacement)) : "";
      const [, installed] = /^node_modules\/(.+)/.exec(place) ?? [];
      if (/^[/.]/.test(replacement) && !installed) entry.path = place.replace(/\/$/, "");
      else entry.package = (installed ?? replacement).replace(/\/$/, "");
      if (entry.package === entry.find) continue;
      // Packages import one another by their names, which only the project's own tools change there.
      if (entry.package && (pattern || viteInput.packages.includes(entry.find) || /^(react|react-dom)(\/|$)/.test(entry.find))) sets(`${key} from ${entry.find} to the package ${entry.package}`);
      // The path keeps what follows a match, in the syntax of Go.
      if (pattern) entry.path = entry.path.replace(/\$(?!\d)/g, "$$$$").replace(/\$(\d)/g, "${$1}") + (replacement.endsWith("/") ? "/" : "");
      out.aliases.push(entry);
    }
  };

  const define = (value, out) => {
    for (const [name, member] of Object.entries(value)) out.define[name] = typeof member === "string" ? member : JSON.stringify(member) ?? "undefined";
  };

  const jsxSource = (value, out) => { if (value !== "react") out.jsxSource = String(value); };
  const babel = (value, _, key) => {
    if (typeof value === "function") sets(key);
    const nameOf = (entry) => String(Array.isArray(entry) ? entry[0] : entry);
    const plugins = (value.plugins ?? []).filter((entry) => entry && !/^(module:)?babel-plugin-react-compiler$/.test(nameOf(entry)));
    if (plugins.length > 0) refuse(`sets ${key}.plugins (${nameOf(plugins[0])})`);
    members({ plugins: nothing, babelrc: only(false), configFile: only(false), ...all("assumptions compact comments retainLines generatorOpts") })(value, {}, key);
  };
  const react = members({ ...all("include exclude fastRefresh devTarget tsDecorators reactRefreshHost disableOxcRecommendation"), jsxImportSource: jsxSource, jsxRuntime: only("automatic"), babel });
  const anything = nothing;

  // pluginOptions reads the options of the plugins whose effect the builder has itself.
  const pluginOptions = {
    "@vitejs/plugin-react": react, "@vitejs/plugin-react-swc": react,
    "vite-plugin-svgr": never, "vite-tsconfig-paths": members(all("ignoreConfigErrors loose parseNative skip")),
  };
  // own are the members of a plugin that has no effect by itself.
  const own = ["name", "enforce", "apply", "version", "api"];

  const plugins = (value, out, key) => {
    for (const entry of [].concat(value).flat(Infinity)) {
      if (!entry) continue;
      if (entry[known]) {
        (pluginOptions[entry[known]] ?? anything)(entry.options, out, entry[known]);
        continue;
      }
      if (typeof entry !== "object") refuse(`has something in ${key} that is no plugin`);
      if (typeof entry.apply === "string" && entry.apply !== out.command) continue;
      const hooks = Object.keys(entry).filter((name) => !own.includes(name) && !isEmpty(entry[name]));
      if (hooks.length > 0) refuse(`has a plugin of its own${entry.name ? ` (${entry.name})` : ""}`);
    }
  };

  // styles reads the plugins of PostCSS, by their names or by themselves.
  const styles = (value, key) => {
    const named = Array.isArray(value) ? value.map((entry) => [entry?.[known] ?? (typeof entry === "string" ? entry : ""), entry?.options]) : Object.entries(value ?? {});
    for (const [name, options] of named.filter((entry, i) => !Array.isArray(value) || value[i])) {
      if (options === false) continue;
      if (name === "tailwindcss") {
        const own = typeof options === "string" ? options : options?.config;
        if (own !== undefined && !/^tailwind\.config\.[cm]?[jt]s$/.test(inside(resolve(String(own))))) refuse(`sets another configuration of Tailwind`);
      } else if (name === "@tailwindcss/postcss") members({ optimize: nothing, transformAssetUrls: nothing })(options, {}, name);
      else if (!["autoprefixer", "postcss-import", "cssnano"].includes(name)) refuse(name ? `uses ${name}` : `has a plugin of its own in ${key}`);
    }
  };
  const postcss = members({ plugins: (value, _, key) => styles(value, key), map: nothing });

  const input = (value, _, key) => {
    for (const entry of typeof value === "object" ? Object.values(value) : [value]) {
      const place = relative(root, resolve(String(entry)));
      if (!/^(?!\.\.|src\/|public\/).+\.html$/.test(place)) refuse(`sets ${key} to ${place}`);
    }
  };
  const rollup = members({ ...all("output onwarn onLog treeshake cache logLevel checks preserveEntrySignatures strictDeprecations maxParallelFileOps experimental moduleTypes"), input, plugins, external: never });

  const outOfSource = all("base cacheDir logLevel customLogger clearScreen devtools preview test legacy future optimizeDeps ssr");
  const config = members({
    ...outOfSource, define, plugins,
    envPrefix: (value, out) => out.envPrefixes.push(...[].concat(value).map(String).filter(Boolean)),
    envDir: (value, out) => { out.envDir = value === false ? "" : inside(resolve(String(value))); },
    root: (value, _, key) => { if (resolve(String(value)) !== root) refuse(`sets ${key} to ${relative(root, resolve(String(value)))}`); },
    publicDir: (value, _, key) => { if (value === false || resolve(String(value)) !== root + "/public") sets(key); },
    appType: only("spa"), mode: never,
    resolve: members({ ...all("dedupe tsconfigPaths"), alias, preserveSymlinks: only(false),
      extensions: (value, _, key) => { if (!value.every((end) => [".mjs", ".js", ".mts", ".ts", ".jsx", ".tsx", ".json"].includes(end))) sets(key); } }),
    css: members({ ...all("devSourcemap preprocessorMaxWorkers"), transformer: only("postcss"), modules: members(all("generateScopedName hashPrefix")),
      postcss: (value, out, key) => (typeof value === "string" ? only("", ".", "./", "./postcss.config.js")(value, out, key) : postcss(value, out, key)) }),
    json: members({ stringify: nothing, namedExports: only(true) }),
    esbuild: members({ ...all("target drop dropLabels pure legalComments minify minifyIdentifiers minifySyntax minifyWhitespace keepNames charset supported logOverride logLevel logLimit loader include exclude treeShaking sourcemap jsxDev jsxSideEffects"),
      jsx: only("automatic"), jsxImportSource: jsxSource }),
    oxc: members({ ...all("include exclude target sourcemap"), jsx: members({ ...all("development refresh throwIfNamespace pure"), runtime: only("automatic"), importSource: jsxSource }) }),
    server: members({ ...all("host allowedHosts port strictPort https open hmr ws forwardConsole cors headers warmup watch fs origin sourcemapIgnoreList perEnvironmentStartEndDuringDev"), proxy: (value, _, key) => { if (!isEmpty(value)) sets(key); } }),
    build: members({ ...all("target modulePreload polyfillModulePreload outDir assetsDir assetsInlineLimit cssCodeSplit cssTarget cssMinify sourcemap minify terserOptions write emptyOutDir reportCompressedSize chunkSizeWarningLimit watch commonjsOptions dynamicImportVarsOptions manifest ssrManifest ssrEmitAssets license"),
      copyPublicDir: only(true), rollupOptions: rollup, rolldownOptions: rollup }),
    worker: members({ ...all("format rollupOptions rolldownOptions"), plugins: (value, out, key) => plugins(typeof value === "function" ? value() : value, out, key) }),
  });

  // settled waits for promises among the plugins, however deep.
  const settled = async (value) => {
    const list = await value;
    return Array.isArray(list) ? Promise.all(list.map(settled)) : list;
  };
  const settingsOf = async (exported, sheets, command, mode) => {
    process.env.NODE_ENV = mode;
    reading = viteInput.name || viteInput.postcss;
    const out = { command, aliases: [], define: {}, envPrefixes: [], envDir: "", jsxSource: "" };
    const value = await (typeof exported === "function" ? exported({ command, mode, isSsrBuild: false, isPreview: false }) : exported);
    if (value === null || typeof value !== "object") refuse("exports no configuration");
    config({ ...value, plugins: await settled(value.plugins) }, out, "");
    if (!isEmpty(value.css?.postcss) && typeof value.css.postcss === "object") return out;
    reading = viteInput.postcss;
    sheets = viteInput.styles ?? sheets;
    const found = await (typeof sheets === "function" ? sheets({ env: mode, mode, cwd: root, options: {} }) : sheets);
    postcss({ ...found }, out, "");
    return out;
  };

  let result = "";
  const done = (answer) => { result = JSON.stringify(answer); };
  globalThis.viteRead = (exported, sheets) => (async () => ({ preview: await settingsOf(exported, sheets, "serve", "development"), site: await settingsOf(exported, sheets, "build", "production") }))().then(done, viteFailed);
  globalThis.viteFailed = (thrown) => done({ name: reading, ...(thrown instanceof Unsupported ? { unsupported: thrown.message } : { failure: String(thrown?.message ?? thrown) }) });
  globalThis.viteResult = () => result;
}
