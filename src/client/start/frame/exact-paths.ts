/**
 * The build puts this module in the place of the package by which wouter would read patterns of paths. No
 * route has one: routes.tsx compares paths as they are.
 */
import type { Parser } from 'wouter';

/** @throws Error always. */
export const parse: Parser = () => {
  throw new Error();
};
