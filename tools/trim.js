/**
 * `npm run trim` in an installed release removes files from node_modules that no running server loads,
 * because npm installs packages as a whole: headers, sources, declarations and source maps, programs for
 * other platforms, and unused files of Swagger UI. Licences stay. The next `npm ci` restores the files.
 */
import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');
const MODULES = join(FOLDER, 'node_modules');

/** Paths below node_modules, with slashes. */
const NEVER_LOADED = [
  // The headers and the manual of Node.js.
  /^node-[^/]+\/(?:include|share)\//,
  // Declarations, source maps, and sources of compiled code.
  /\.(?:map|[cm]?tsx?|c|cc|cpp|h|hpp|gypi?)$/,
  /^better-sqlite3\/deps\//,
  // Prints read WOFF2 of one weight; the rest is for web pages.
  /^@fontsource(?:-variable)?\/[^/]+\/(?:.*\.s?css$|files\/.*(?:\.woff$|-(?!400-)\d00-(?:normal|italic)\.woff2$))/,
  // src/server/api/openapi/docs.ts serves two files.
  /^swagger-ui-dist\/(?!package\.json|LICENSE|NOTICE|swagger-ui\.css$|swagger-ui-bundle\.js(?:\.LICENSE\.txt)?$)/,
  // Builds of pdfkit and fontkit for browsers.
  /^pdfkit\/js\/[^/]*\.(?:browser|standalone|old)\b/,
  /^fontkit\/dist\/browser\b/,
];

/** A compiled program for one platform, named as node-gyp-build and better-sqlite3 look for it. */
const COMPILED = /\/prebuilds\/([a-z0-9]+?)(?:musl)?-([a-z0-9]+)[./]/;

/** @param {string} path */
function isOfNoUse(path) {
  const [, platform, architecture] = COMPILED.exec(path) ?? [];
  const isOfAnother =
    platform !== undefined && (platform !== process.platform || architecture !== process.arch);
  return isOfAnother || NEVER_LOADED.some((pattern) => pattern.test(path));
}

/**
 * Removes unused files below a folder, and the folders that become empty.
 * @param {string} folder
 * @returns {number} the bytes that it freed.
 */
function trim(folder) {
  let freed = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) freed += trim(path);
    else if (isOfNoUse(path.slice(MODULES.length + 1).replaceAll(sep, '/'))) {
      freed += lstatSync(path).size;
      rmSync(path);
    }
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
  return freed;
}

if ('devDependencies' in JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'))) {
  process.stderr.write('This is a clone, which builds and tests with what would be removed.\n');
  process.exit(1);
}
process.stdout.write(`Removed ${(trim(MODULES) / 1e6).toFixed(0)} MB that the server never loads.\n`);
