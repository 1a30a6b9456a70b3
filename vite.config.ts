import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { gzipAsync } from '@gfx/zopfli';
import react from '@vitejs/plugin-react';
import { normalizePath, type Plugin, type Rolldown } from 'vite';
import type { ViteUserConfig } from 'vitest/config';

const CLIENT = join(import.meta.dirname, 'src/client');
/** Each has its script in a file of its own, as `tip-page.ts`. */
const RENDERED_PAGES = ['landing', 'auth', 'tip'];
/** Has the styles of a tip page, which are allowed by their hash already, and no script: where it is shown nothing can be fetched. */
const OFFLINE_PAGE = 'offline';
const STARTER = 'start/after-paint.ts';

/**
 * Writes a .br and a .gz beside every text file of the built client, so that no request waits for compression. Zopfli
 * writes gzip that is 3 % smaller than zlib's.
 */
function precompress(): Plugin {
  return {
    name: 'precompress',
    applyToEnvironment: ({ name }) => name === 'client',
    async writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:html|js|css|svg|json|webmanifest|txt)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        writeFileSync(`${path}.br`, brotliCompressSync(content, quality));
        writeFileSync(`${path}.gz`, await gzipAsync(content, { numiterations: 15 }));
      }
    },
  };
}

/** Lays the migrations beside the server that was built with them: what it does to a database must not depend on newer sources. */
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
 * sonner writes its style sheet into the page by script, which the Content-Security-Policy forbids. This takes that
 * line out; toaster.tsx imports the same sheet as a file.
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
 * Writes a template for each page that arrives rendered. Such a page paints without waiting: its styles stand in it, and so
 * do its icon, for which a browser would ask before it paints, and after-paint.ts, which starts its script. The links,
 * switched off, tell the loader of later screens that these styles are there.
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
          const script = builtFrom(`start/${isOffline ? 'tip' : page}-page.ts`);
          const imports = importsOf(script, bundle);
          const styles = new Set(
            [...imports, script].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
          );
          const style = [...styles].map((file) => textOf(bundle[file]).trim()).join('');
          const links = [...styles].map((file) => `\n    <link rel="stylesheet" href="/${file}" disabled>`);
          // The page's own script first, then what is to be fetched along with it.
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

/** All that a chunk imports at once, each after what it imports itself. */
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

function listScopes(): readonly string[] {
  return readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.module.css'))
    .sort();
}

let scopes = listScopes();

/** A page carries each class name three times, in its HTML, its styles and its script: `card4` says enough. */
function shortClassName(name: string, file: string): string {
  const isOwn = (path: string) => file === normalizePath(join(CLIENT, path));
  // While somebody develops, there may be a new one.
  if (!scopes.some(isOwn)) scopes = listScopes();
  return `${name}${scopes.findIndex(isOwn)}`;
}

/** What every page needs of the client and of what its screens share; the styles of a part belong to it. */
const OF_EVERY_PAGE = `
  calls.ts navigation.ts paths.ts rendered.ts toasts.ts session/session.ts
  start/app.tsx start/client-root.ts start/display-font.ts start/elsewhere.ts start/hydrate.tsx ui/badge.tsx ui/base.css ui/boundary.tsx ui/button.tsx ui/card.module.css ui/field.tsx ui/heading.tsx
  ui/icons.tsx ui/link.tsx ui/loading-screen.tsx ui/money.tsx ui/screen.tsx ui/states.tsx ui/tokens.css
  ../shared/brand.ts ../shared/categories.ts ../shared/ids.ts ../shared/money.ts ../shared/page-paths.ts`
  .trim()
  .split(/\s+/)
  .map((file) => normalizePath(join(CLIENT, file)));
for (const file of OF_EVERY_PAGE)
  if (!existsSync(file)) throw new Error(`${file} has moved: what every page carries must be named anew`);

const REACT =
  /node_modules[\\/](?:react|react-dom|scheduler)[\\/]|rolldown[\\/]runtime|vite[\\/]preload-helper/;

function isOfEveryPage(id: string): boolean {
  const file = id.replace(/\?.*$/, '');
  const part = file.replace(/\.module\.css$/, '.tsx');
  return REACT.test(id) || OF_EVERY_PAGE.includes(file) || OF_EVERY_PAGE.includes(part);
}

const config: ViteUserConfig = {
  root: 'src/client',
  publicDir: 'public',
  cacheDir: '../../node_modules/.vite',
  server: {
    proxy: Object.fromEntries(
      // With their slash: /api.ts is a file of the client.
      ['/api/', '/trpc/', '/healthz', '/readyz'].map((path) => [
        path,
        `http://127.0.0.1:${process.env['SERVER_PORT'] ?? 3001}`,
      ]),
    ),
  },
  css: { modules: { generateScopedName: shortClassName } },
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
          name: 'node',
          include: ['tests/*.test.ts', 'tests/{shared,server,client}/**/*.test.ts'],
          setupFiles: ['tests/support/setup.ts'],
          globalSetup: ['tests/support/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Both cores of a small machine: most of the time is spent hashing, or waiting for processes.
          maxWorkers: 2,
          // As for the browser tests: a shared machine may stall.
          retry: process.env['CI'] ? 1 : 0,
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
          // Whatever loads something later has these already.
          resolveDependencies: (_, files, { hostType }) =>
            hostType === 'js' ? files.filter((file) => !/\/(?:base|rolldown-runtime)-/.test(file)) : files,
        },
        rollupOptions: {
          // Packing takes most of the time, and is meant to.
          checks: { pluginTimings: false },
          output: {
            // 36 bits, far more than two builds of a file take; pages name many files.
            entryFileNames: 'assets/[name]-[hash:6].js',
            chunkFileNames: 'assets/[name]-[hash:6].js',
            assetFileNames: 'assets/[name]-[hash:6][extname]',
            // In one file: twenty small ones compress worse, and are asked for one by one.
            codeSplitting: { groups: [{ name: 'base', test: isOfEveryPage }] },
          },
          input: ['index.html', STARTER, ...RENDERED_PAGES.map((page) => `start/${page}-page.ts`)].map(
            (file) => join(CLIENT, file),
          ),
        },
      },
    },
    // The components of rendered pages as one module of its own, which needs neither node_modules nor NODE_ENV.
    render: {
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
          // In one file: what the browser fetches later is at hand here.
          checks: { ineffectiveDynamicImport: false },
        },
      },
    },
    server: {
      consumer: 'server',
      // Packages are loaded from node_modules, but for drizzle-orm: its package.json has 180 KB, which Node.js 26 parses anew
      // for each of its hundred modules (measured: 0.4 s of a start, and 80 MB that stay).
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
          input: 'src/server/main.ts',
          output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    },
  },
};

export default config;
