/** Replaces wouter's parser of path patterns in the build. No route has a pattern: routes.tsx compares paths. */
import type { Parser } from 'wouter';

/** @throws Error always. */
export const parse: Parser = () => {
  throw new Error();
};
