/**
 * The build replaces wouter's parser of path patterns with this module. No route has a pattern: routes.tsx
 * compares paths as they are.
 */
import type { Parser } from 'wouter';

/** @throws Error always. */
export const parse: Parser = () => {
  throw new Error();
};
