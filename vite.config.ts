import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { type ConfigEnv, type EnvironmentOptions, normalizePath, type Plugin, type Rolldown } from 'vite';
import type { ViteUserConfig } from 'vitest/config';
import { ON_BOTH_ENGINES, testFilesOf } from './tests/support/engines.ts';

const CLIENT = join(import.meta.dirname, 'src/client');
/** The pages that the server renders; the script of each is `start/NAME-page.tsx`. */
const RENDERED_PAGES = ['landing', 'auth', 'tip'];
/**
 * The page that a service worker shows without a connection. It has no script, because nothing can be fetched
 * then, and the styles of a tip page, because the Content-Security-Policy allows these by their hash already.
 */
const OFFLINE_PAGE = 'offline';
/**
 * The small script that stands in every rendered page and fetches the page's own script after the first
 * paint.
 */
const STARTER = 'start/after-paint.ts';

/**
 * Writes a .br and a .gz beside every text file of the built client, so that no request waits for
 * compression.
 */
function precompress(): Plugin {
  return {
    name: 'precompress',
    applyToEnvironment: ({ name }) => name === 'client',
    writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:html|js|css|svg|json|webmanifest|txt)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/**
 * Copies the migrations into the built server: what a build does to a database must not depend on newer
 * sources.
 */
function migrationsOfThisBuild(): Plugin {
  return {
    name: 'migrations-of-this-build',
    applyToEnvironment: ({ name }) => name === 'server',
    writeBundle({ dir }) {
      if (dir) cpSync(join(import.meta.dirname, 'drizzle'), join(dir, 'drizzle'), { recursive: true });
    },
  };
}

/**
 * sonner inserts its style sheet by script, which the Content-Security-Policy forbids. This plugin removes
 * that call; toaster.tsx imports the same style sheet as a file.
 */
function sonnerStylesAsFile(): Plugin {
  return {
    name: 'sonner-styles-as-file',
    transform(code, id) {
      if (!/[\\/]sonner[\\/]dist[\\/]index\.mjs/.test(id)) return null;
      const withoutCall = code.replace(/^__insertCSS\(".*"\);$/m, '');
      if (withoutCall === code) this.error('sonner no longer inserts its styles as expected');
      return { code: withoutCall, map: null };
    },
  };
}

/**
 * Writes a template for each rendered page. The browser can paint such a page without another request,
 * because its styles, its icon and the script after-paint.ts stand in the page itself. The disabled links to
 * the same style sheets tell Vite's loader, when it fetches the parts of other screens, that the page has
 * these styles already.
 */
function templatesOfRenderedPages(): Plugin {
  return {
    name: 'templates-of-rendered-pages',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const builtFrom = (file: string) => {
          const chunk = chunks.find(
            ({ facadeModuleId }) => facadeModuleId === normalizePath(join(CLIENT, file)),
          );
          return chunk ?? this.error(`${file} was not built`);
        };
        const starter = builtFrom(STARTER);
        for (const page of [...RENDERED_PAGES, OFFLINE_PAGE]) {
          const isOffline = page === OFFLINE_PAGE;
          const script = builtFrom(`start/${isOffline ? 'tip' : page}-page.tsx`);
          const imports = importsOf(script, bundle);
          const styles = new Set(
            [...imports, script].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
          );
          const style = [...styles].map((file) => textOf(bundle[file]).trim()).join('');
          const links = [...styles].map((file) => `\n    <link rel="stylesheet" href="/${file}" disabled>`);
          // after-paint.ts imports the first file and preloads the others.
          const files = [script, ...imports].map(({ fileName }) => `/${fileName}`).join(' ');
          const icon = readFileSync(join(CLIENT, 'public/icon.svg'), 'utf8').replace(/\s+/g, ' ').trim();
          const parts: Readonly<Record<string, string>> = {
            icon: `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`,
            styles: `<style>${style}</style>${isOffline ? '' : links.join('')}`,
            script: isOffline
              ? ''
              : `<script type="module" data-scripts="${files}">${starter.code.trim()}</script>`,
          };
          const template = readFileSync(join(CLIENT, 'start/rendered-page.html'), 'utf8');
          const source = template.replace(/<!--(\w+)-->/g, (mark, name: string) => parts[name] ?? mark);
          this.emitFile({ type: 'asset', fileName: `templates/${page}.html`, source });
        }
        delete bundle[starter.fileName];
      },
    },
  };
}

/**
 * The chunks that a chunk imports statically, directly or through others; each stands after its own imports.
 */
function importsOf(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
): ReadonlySet<Rolldown.OutputChunk> {
  const found = new Set<Rolldown.OutputChunk>();
  for (const file of chunk.imports) {
    const imported = bundle[file];
    if (imported?.type !== 'chunk') continue;
    for (const one of importsOf(imported, bundle)) found.add(one);
    found.add(imported);
  }
  return found;
}

function textOf(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): string {
  if (file?.type !== 'asset') throw new Error('a style sheet was not built');
  return file.source.toString();
}

/**
 * The name of a class of a CSS module. Vite's own have the number of a line as well, which each page would
 * load for each class.
 */
function classNameOf(name: string, file: string): string {
  const path = normalizePath(relative(CLIENT, file.replace(/\?.*$/, '')));
  return `${name}_${createHash('sha256').update(path).digest('base64url').slice(0, 4)}`;
}

interface Chunk {
  readonly name: string;
  /** Folders of the client. What lies below one of them belongs to whoever imports it, as `ui/later` does. */
  readonly folders: readonly string[];
  /** Parts of packages that belong to the chunk. */
  readonly packages?: RegExp;
  readonly tags?: '$initial'[];
  readonly minShareCount?: number;
}

/**
 * What is built into one chunk, with what it imports: one chunk compresses better than twenty small ones, and
 * is one request instead of twenty. `tests/browser/script-size.spec.ts` says what a page may load.
 */
const CHUNKS: readonly Chunk[] = [
  {
    name: 'base',
    folders: ['.', 'ui', 'session', 'start/frame', '../shared'],
    packages:
      /node_modules[\\/](?:react|react-dom|scheduler)[\\/]|rolldown[\\/]runtime|vite[\\/]preload-helper/,
    // Of the shared modules those that some page needs at once, and that as many parts use as there are kinds
    // of page.
    tags: ['$initial'],
    minShareCount: RENDERED_PAGES.length + 1,
  },
  // The pages of a login and of a camera call procedures without the cache of those behind the login.
  { name: 'api', folders: ['api-client'] },
  // Every page but the tip page has icons, and a guard that knows who may see it.
  {
    name: 'guards',
    folders: ['start/guards'],
    packages: /node_modules[\\/]lucide-react[\\/]dist[\\/]esm[\\/](?:createLucideIcon|icons[\\/]qr-code\.)/,
  },
  { name: 'controls', folders: ['controls'] },
  { name: 'giving', folders: ['giving'] },
  {
    name: 'signed-in',
    folders: ['signed-in', 'dashboard/shared'],
    packages:
      /node_modules[\\/](?:@tanstack|@trpc[\\/]react-query|eventsource|lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/]printer)[\\/.]/,
  },
];

function isOfChunk(id: string, { folders, packages }: Chunk): boolean {
  if (packages?.test(id)) return true;
  return (
    /\.(?:tsx?|css)$/.test(id) &&
    folders.some((folder) => dirname(id) === normalizePath(join(CLIENT, folder)))
  );
}

/** The tests that are about PostgreSQL itself. */
const ABOUT_POSTGRES = ['tests/server/postgres-*.test.ts', 'tests/server/processes*.test.ts'];

const SERVER_TESTS = {
  setupFiles: ['tests/support/setup.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // The files that a worker runs share its modules, whose loading would cost 0.7 s of a processor for each of
  // them. What a file puts in the place of something global, it has to put back.
  isolate: false,
  // One more than a small machine has cores, because the tests of processes wait for them and for the clock.
  maxWorkers: 3,
};

/** The renderer of pages is one module that needs neither node_modules nor NODE_ENV when it runs. */
const RENDERER: EnvironmentOptions = {
  consumer: 'server',
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  resolve: { noExternal: true },
  build: {
    outDir: '../../dist/render',
    emptyOutDir: true,
    ssr: true,
    copyPublicDir: false,
    target: 'node22',
    minify: false,
    sourcemap: true,
    rollupOptions: {
      input: 'src/client/start/render.tsx',
      output: { entryFileNames: 'render.js' },
      // The renderer is one file, so that nothing is gained by what the browser imports later.
      checks: { ineffectiveDynamicImport: false },
    },
  },
};

const config: ViteUserConfig = {
  root: 'src/client',
  publicDir: 'public',
  resolve: {
    alias: {
      // wouter brings what React has had since its version 18, and a language of patterns for paths that no
      // route here needs.
      'use-sync-external-store/shim/index.js': 'react',
      regexparam: join(CLIENT, 'start/frame/exact-paths.ts'),
    },
  },
  cacheDir: '../../node_modules/.vite',
  css: { modules: { generateScopedName: classNameOf } },
  server: {
    proxy: Object.fromEntries(
      // The slash at the end matters, because /api-client/ is a folder of the client; of /tip the server
      // answers the form only.
      ['/api/', '/trpc/', '/healthz', '/readyz', '/photos/', '/demo-code.svg', '^/tip/?\\?'].map((path) => [
        path,
        `http://127.0.0.1:${process.env['SERVER_PORT'] ?? 3001}`,
      ]),
    ),
  },
  plugins: [
    react(),
    sonnerStylesAsFile(),
    templatesOfRenderedPages(),
    precompress(),
    migrationsOfThisBuild(),
  ],
  builder: {},
  test: {
    projects: [
      {
        root: import.meta.dirname,
        test: {
          ...SERVER_TESTS,
          name: 'node',
          provide: { engine: 'sqlite' },
          include: ['tests/*.test.ts', 'tests/{shared,server,client}/**/*.test.ts'],
          exclude: ABOUT_POSTGRES,
          globalSetup: ['tests/support/build.ts'],
        },
      },
      {
        root: import.meta.dirname,
        test: {
          ...SERVER_TESTS,
          name: 'postgres',
          provide: { engine: 'postgres' },
          setupFiles: [...SERVER_TESTS.setupFiles, 'tests/support/postgres-files.ts'],
          include: [...ABOUT_POSTGRES, ...testFilesOf(ON_BOTH_ENGINES)],
          globalSetup: ['tests/support/build.ts', 'tests/support/postgres-setup.ts'],
        },
      },
    ],
  },
  environments: {
    client: {
      build: {
        outDir: '../../dist/client',
        emptyOutDir: true,
        // The Content-Security-Policy allows fonts and styles from files only.
        assetsInlineLimit: 0,
        modulePreload: {
          polyfill: false,
          // Every page has these two already.
          resolveDependencies: (_, files) =>
            files.filter((file) => !/\/(?:base|rolldown-runtime)-/.test(file)),
        },
        rollupOptions: {
          output: {
            codeSplitting: {
              groups: CHUNKS.map((chunk) => ({
                name: chunk.name,
                test: (id) => isOfChunk(id, chunk),
                ...(chunk.tags && { tags: chunk.tags }),
                ...(chunk.minShareCount && { minShareCount: chunk.minShareCount }),
              })),
            },
          },
          input: ['index.html', STARTER, ...RENDERED_PAGES.map((page) => `start/${page}-page.tsx`)].map(
            (file) => join(CLIENT, file),
          ),
        },
      },
    },
    server: {
      consumer: 'server',
      // Packages are loaded from node_modules, except drizzle-orm: Node.js 26 would parse its package.json of
      // 180 KB again for each of its hundred modules (measured: 0.4 s of a start, and 80 MB that stay).
      resolve: { external: true, noExternal: [/^#/, 'drizzle-orm'] },
      build: {
        outDir: '../../dist/server',
        emptyOutDir: true,
        ssr: true,
        copyPublicDir: false,
        target: 'node22',
        minify: false,
        sourcemap: true,
        rollupOptions: {
          // The thread that prints is begun with a file of its own, beside main.js.
          input: ['src/server/main.ts', 'src/server/print/worker.ts'],
          output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    },
  },
};

/**
 * The renderer belongs to builds alone: Vitest takes what an environment says of its packages for its own,
 * and would build every package that a test loads.
 */
export default ({ command }: ConfigEnv): ViteUserConfig =>
  command === 'build' ? { ...config, environments: { ...config.environments, render: RENDERER } } : config;
