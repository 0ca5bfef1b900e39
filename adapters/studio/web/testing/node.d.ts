// The parts of the Node.js API that unit tests use. This avoids a dependency on @types/node.

declare module 'node:test' {
  export function test(name: string, run: () => void | Promise<void>): void;
  export function afterEach(run: () => void): void;
}

declare module 'node:assert/strict' {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(act: () => unknown, expected?: RegExp | (new (...args: never[]) => Error)): void;
    rejects(act: Promise<unknown>, expected?: RegExp | (new (...args: never[]) => Error)): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}
