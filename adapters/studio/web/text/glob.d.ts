// What the builder makes of import.meta.glob: a function a file, which imports it.

interface ImportMeta {
  glob<Module>(patterns: string[]): Record<string, () => Promise<Module>>;
}
