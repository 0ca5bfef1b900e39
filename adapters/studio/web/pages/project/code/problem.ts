import type { Diagnostic } from '~/api/types';

/** Problem is a build error or a type error with its place; live ones know where it ends. */
export interface Problem extends Diagnostic {
  from: 'build' | 'types' | 'live';
  endLine?: number;
  endColumn?: number;
  severity?: 'error' | 'warning';
}
