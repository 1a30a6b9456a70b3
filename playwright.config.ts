import { defineConfig } from '@playwright/test';
import { findChromium, findShell } from './tests/support/find-chromium.ts';

/** Playwright 1.65 switches these off for itself; Chromium heeds only the last of several such lists. */
const OFF_FOR_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
];
/**
 * Popups of the address bar, for which Chromium starts a process with each page: half of what an empty page
 * costs.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];
/** The process that Chromium starts ahead for the next site, once for each test: a third of all renderers. */
const SPARE_RENDERER = 'SpareRendererForSitePerProcess';

/** With sites in processes of their own, nearly every test starts one: a tenth of all time. */
const SITE_ISOLATION = ['IsolateOrigins', 'site-per-process'];

/** Tests of the camera, of notifications, and of layout shifts: the shell measures texts otherwise. */
const OF_A_WHOLE_BROWSER = [
  '**/layout-shifts.spec.ts',
  '**/notifications.spec.ts',
  '**/push-*.spec.ts',
  '**/scan-camera.spec.ts',
];

function launchOptions(executablePath: string | null) {
  return {
    ...(executablePath !== null && { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-site-isolation-trials',
      '--renderer-process-limit=1',
      // A page of a test ends before a compiler of hot code has paid for itself.
      '--js-flags=--no-opt,--no-maglev,--max-lazy',
      `--disable-features=${[...OFF_FOR_PLAYWRIGHT, ...ADDRESS_BAR, SPARE_RENDERER, ...SITE_ISOLATION].join()}`,
    ],
  };
}

export default defineConfig({
  testDir: 'tests/browser',
  testMatch: '*.spec.ts',
  // Since 22.18, Node.js runs these as they are, in a fifth less CPU time of a short run than Babel and its maps.
  build: {
    external: process.features.typescript
      ? ['**/src/server/**', '**/src/shared/**', '**/tests/support/**']
      : [],
  },
  globalSetup: './tests/browser/setup.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  // Twice the cores of the smallest machine: with three workers, a quarter of its time was idle.
  workers: 4,
  // A machine that is busy with other things takes half a minute to start a server or a browser.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: [['list']],
  use: {
    locale: 'en-US',
    timezoneId: 'Europe/Vienna',
    viewport: { width: 390, height: 844 },
  },
  projects: [
    {
      // The shell has the same engine without windows, notifications and films as a camera. Its browser process
      // takes half the CPU time. Keeping the page of the test before (`reuseContext`) saves nothing more: the
      // next document gets a process of its own all the same.
      name: 'shell',
      testIgnore: OF_A_WHOLE_BROWSER,
      use: { launchOptions: launchOptions(findShell()) },
    },
    {
      name: 'chromium',
      testMatch: OF_A_WHOLE_BROWSER,
      use: { launchOptions: launchOptions(findChromium()) },
    },
  ],
});
