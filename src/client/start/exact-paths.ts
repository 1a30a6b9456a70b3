/**
 * Matches the path of a route as it is written. The build puts this module in the place of the package by which wouter would read
 * patterns of paths, which no route has.
 */
import type { Parser } from 'wouter';

/** A route without a path is parsed as `*`. */
export const parse: Parser = (path) => ({ pattern: new RegExp(path === '*' ? '' : `^${path}$`) });
