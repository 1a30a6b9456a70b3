/**
 * The house rules that Biome cannot say: which way imports point, who may know which package, and who may
 * read the clock and draw random values. Imports are found by their form, which the formatter keeps the same
 * everywhere.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

type Layer = readonly [name: string, files: RegExp, mayImport: string];

/**
 * A file belongs to the first row whose pattern fits. It may import files of its own row, of shared, and of
 * the rows that are named last. Files of one row that differ in what the pattern captures may not import each
 * other: chapters, programs and screens stand beside each other.
 */
export const LAYERS: readonly Layer[] = [
  ['shared', /^shared\//, ''],
  ['package', /^\.\.\/package\.json$/, ''],
  ['version', /^server\/version\.ts$/, 'package'],

  ['schedule', /^server\/(?:backup-schedule|drive)\.ts$/, 'storage'],
  ['choice', /^server\/storage\/open\.ts$/, 'storage engines'],
  ['storage', /^server\/storage\/(?:(?:port|rules|care)\/|checks\/past\.)?[^/]+$/, ''],
  ['schema', /^server\/storage\/schema\//, 'storage'],
  // A check judges rows of the tables.
  ['checks', /^server\/storage\/checks\//, 'storage schema'],
  // A prepared statement answers a step, so that the two are one layer.
  ['steps', /^server\/storage\/(?:statements|steps)\//, 'storage schema checks'],
  ['engines', /^server\/storage\/(sqlite|postgres)\//, 'storage schema checks steps measures'],
  ['codes', /^server\/qr-(?:modules|encoder\.d)\.ts$/, ''],
  ['ports', /^server\/payments\/(?:tip-payments|payment-service|payment-books|answer-time)\.ts$/, 'storage'],
  ['stripe', /^server\/payments\/stripe\//, 'storage ports'],
  ['payments', /^server\/payments\//, 'storage ports'],
  ['outgoing', /^server\/outgoing\//, ''],
  ['measures', /^server\/measures\.ts$/, ''],
  ['troubles', /^server\/troubles\.ts$/, ''],
  ['queue', /^server\/queue\//, 'measures'],
  [
    'chapters',
    /^server\/(?:(auth|events|export|mail|notifications|people|qr-codes|tips)\/|announcements\.ts$)/,
    'storage ports queue outgoing pictures factors',
  ],
  ['printer', /^server\/print\/(?:printer|drawing)\.ts$/, 'queue'],
  ['drawing', /^server\/print\//, 'printer codes'],
  ['limits', /^server\/limits\//, 'storage'],
  ['factors', /^server\/factors\//, 'storage codes'],
  ['pictures', /^server\/picture-decoder\.ts$/, ''],
  ['brand', /^server\/brand\//, 'pictures'],
  ['config', /^server\/(?:config|setting-forms)\.ts$/, 'storage brand'],
  ['wire', /^server\/api\/wire\.ts$/, ''],
  ['operators', /^server\/operators\//, 'storage chapters factors limits'],
  ['http', /^server\/api\/http\//, 'version wire storage chapters ports measures troubles'],
  ['metrics', /^server\/metrics\//, 'version storage troubles measures'],
  [
    'procedures',
    /^server\/api\/procedures\//,
    'wire http storage chapters printer limits queue ports payments factors',
  ],
  ['console', /^server\/api\/console\//, 'http storage chapters operators factors queue procedures'],
  ['doors', /^server\/api\/(?:rest|openapi)\//, 'version wire http procedures queue'],
  [
    'app',
    /^server\/(?:app(?:-[a-z]+)?\.ts$|pages\/)/,
    'storage chapters codes printer limits queue outgoing config wire http troubles procedures doors console operators ports payments brand factors',
  ],
  ['apart', /^server\/apart\.ts$/, ''],
  ['care', /^server\/(?:backups|watches)\.ts$/, 'apart storage choice schedule config troubles measures'],
  ['clockwork', /^server\/clockwork\.ts$/, 'storage app troubles care'],
  ['upkeep', /^server\/upkeep\//, 'version storage config troubles measures care schedule'],
  ['log', /^server\/log-[a-z]+\.ts$/, 'storage config'],
  ['frame', /^server\/commands\/(?:command|parties|tip-lines)\.ts$/, 'storage choice config'],
  ['parts', /^server\/configured-parts\.ts$/, 'storage config ports stripe chapters metrics'],
  [
    'programs',
    /^server\/(serve|commands\/[^/]+)\.ts$/,
    'version storage choice chapters operators printer limits queue payments config http troubles app log frame ports stripe care clockwork upkeep brand metrics parts',
  ],
  ['main', /^server\/(?:main\.ts|old-node\.js)$/, 'version frame programs config brand'],

  ['listeners', /^client\/listeners\.ts$/, ''],
  ['session', /^client\/session\//, 'listeners'],
  ['roots', /^client\/(?:(?:api-client|later)\/)?[^/]+$/, 'session listeners'],
  ['ui', /^client\/(?:ui|controls)\//, 'roots'],
  ['giving', /^client\/giving\//, 'roots'],
  ['files', /^client\/signed-in\/save-file\.ts$/, ''],
  ['data', /^client\/signed-in\//, 'session roots ui files'],
  [
    'screens',
    /^client\/(landing|auth|dashboard|receipt|scan|statement|tip)\//,
    'session listeners roots ui giving data files',
  ],
  ['console frame', /^client\/operator\/(?:main|frame|parts)\./, 'roots ui consoleParts consoleBase'],
  ['consoleBase', /^client\/operator\/[^/]+$/, 'listeners roots ui'],
  ['consoleParts', /^client\/operator\/([^/]+)\//, 'roots ui consoleBase files'],
  [
    'entries',
    /^client\/start\/(?:main|(?:tip|landing|auth|dashboard)-page|render)\./,
    'roots ui screens start',
  ],
  ['start', /^client\/start\//, 'session roots ui screens'],
];

/** The lines at which client and server meet. */
const MEETINGS: Readonly<Record<string, string>> = {
  'client/api-client/api.ts': "import type { AppRouter } from '#server/api/procedures/router.ts';",
  'client/operator/console-api.ts':
    "import type { ConsoleRouter } from '#server/api/console/console-router.ts';",
};

const KEEPERS: readonly (readonly [packages: RegExp, files: RegExp, rule: string])[] = [
  [/^(?!zod$)/, /^(?!shared\/)/, 'shared knows zod only'],
  [/^node:/, /^(?!client\/)/, 'browsers have no Node.js'],
  [/^@?hono\b/, /^server\/(?:api\/|pages\/|(?:app|serve)\.ts$)/, 'only the edge knows the web framework'],
  [
    /^@trpc\//,
    /^(?:server\/api\/|client\/(?:api-client\/api|signed-in\/(?:api-hooks|stream-link)|operator\/console-api)\.ts$)/,
    'only the edges know tRPC',
  ],
  [/^better-sqlite3$/, /^server\/storage\/sqlite\//, 'only the engine knows its driver'],
  [/^pg$/, /^server\/storage\/postgres\//, 'only the engine knows its driver'],
  [
    /^drizzle-orm\b/,
    /^server\/storage\/(?:schema|statements|care|sqlite|postgres)\//,
    'only statements know the builder of queries',
  ],
  [/^stripe$/, /^server\/payments\/stripe\//, 'only one module knows the payment service'],
  [/^http_ece$/, /^server\/notifications\//, 'one module encrypts notifications'],
  [/^nodemailer$/, /^server\/mail\/smtp-relay\.ts$/, 'one module knows the mail server'],
  [/^yazl$/, /^server\/export\//, 'one module packs archives'],
  [/^@simplewebauthn\/server\b/, /^server\/factors\/passkey/, 'only passkeys know WebAuthn'],
  [/^otpauth$/, /^server\/factors\/totp\.ts$/, 'one module knows authenticator apps'],
  [/^qrcode\b/, /^server\/qr-(?:modules|encoder\.d)\.ts$/, 'one module encodes codes'],
  [
    /^(?:pdfkit|fontkit|harfbuzzjs|bidi-js|woff2-encoder)\b/,
    /^server\/print\/(?!printer\.|drawing\.)/,
    'only the thread that prints sets type',
  ],
];

const IMPORT = /\b(?:from|import)\b\s*\(?\s*(['"`])(.+?)\1/g;

/** Clock, randomness, and imports by a computed name. */
const UNSTEADY =
  /\bDate\.now\b|\bDate\(\)|\bMath\.random\b|\bperformance\.now\b|\bhrtime\b|\brandom(?:Bytes|UUID|Int|Fill)|\bgetRandomValues\b|\bimport\((?!\s*['"`])/g;

export const EXCEPTIONS: readonly (readonly [reason: string, files: RegExp, what: RegExp])[] = [
  [
    'a program hands clock and randomness to all that it starts',
    /^server\/(?:serve|configured-parts|commands\/(?:account|announce|code|db-move|db-restore|fees|invite|keep-backups|mail|operator|payments|reports|terms|tip))\.ts$/,
    /^Date\.now$|^randomBytes$/,
  ],
  ['tests set the clock and the randomness of a browser', /^client\//, /^Date\(\)$|^getRandomValues$/],
  [
    'the log names and times each request',
    /^server\/api\/http\/request-log\.ts$/,
    /^randomUUID$|^performance\.now$/,
  ],
  ['measures have a clock that nobody sets', /^server\/measures\.ts$/, /^performance\.now$/],
  ['people wait by a clock that nobody sets', /^server\/payments\/answer-time\.ts$/, /^performance\.now$/],
  [
    'another process is waited for in real time',
    /^server\/.+\/(?:group-commit|atomic-steps)\.ts$/,
    /^performance\.now$/,
  ],
  ['the renderer is built apart from the server', /^server\/serve\.ts$/, /^import/],
  ['the build writes the name of a script into its page', /^client\/start\/after-paint\.ts$/, /^import/],
];

/** The texts of all files below a folder, by their path below it. */
export function readSources(folder: string): ReadonlyMap<string, string> {
  const paths = globSync('**/*.*', { cwd: folder });
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** The violations of the rules as sentences; `sources` has texts by their path below src. */
export function violationsOf(
  sources: ReadonlyMap<string, string>,
  exceptions = EXCEPTIONS,
  layers = LAYERS,
): string[] {
  const scripts = [...sources].filter(([path]) => /\.tsx?$/.test(path));
  return scripts.flatMap(([path, source]) => {
    const withMeeting = source.replace(/^\s*(?:\/\/.*$|\/\*\*[\s\S]*?\*\/)/gm, '');
    const meeting = MEETINGS[path];
    const text = meeting === undefined ? withMeeting : withMeeting.replace(meeting, '');
    const unsteady = [...new Set(text.match(UNSTEADY))].filter(
      (found) => !exceptions.some(([, files, what]) => files.test(path) && what.test(found)),
    );
    const isNameless = /\/(?:index|utils?|helpers?|common|misc|lib)[./]/.test(path);
    return [
      ...(layerOf(path, layers) ? [] : [`${path} stands in no layer.`]),
      ...(isNameless ? [`${path} is named after nothing.`] : []),
      ...unsteady.map((found) => `${path} uses ${found}, which must be passed in.`),
      ...[...text.matchAll(IMPORT)].flatMap(([, , specifier = '']) =>
        importViolations(path, specifier, layers),
      ),
    ];
  });
}

function importViolations(path: string, specifier: string, layers: readonly Layer[]): string[] {
  if (!/^[#.]/.test(specifier)) {
    return KEEPERS.filter(([packages, files]) => packages.test(specifier) && !files.test(path)).map(
      ([, , rule]) => `${path} imports ${specifier}: ${rule}.`,
    );
  }
  const target = specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(path), specifier);
  const from = layerOf(path, layers);
  const to = layerOf(target, layers);
  if (from && to && (from.name === to.name ? from.part === to.part : from.below.includes(to.name))) return [];
  return [`${path} imports ${target}: ${from?.name} must not know ${to?.name ?? 'it'}.`];
}

function layerOf(path: string, layers: readonly Layer[]) {
  for (const [name, files, mayImport] of layers) {
    const [match, part] = files.exec(path) ?? [];
    if (match !== undefined) return { name, part, below: ['shared', ...mayImport.split(' ')] };
  }
  return null;
}
