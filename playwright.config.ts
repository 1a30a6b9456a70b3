import { defineConfig } from '@playwright/test';
import { findChromium } from './tests/support/find-chromium.ts';

const executablePath = findChromium();

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

export default defineConfig({
  testDir: 'tests/browser',
  testMatch: '*.spec.ts',
  globalSetup: './tests/browser/setup.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  // A machine that is busy with other things takes half a minute to start a server or a browser.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: [['list']],
  use: {
    locale: 'en-US',
    timezoneId: 'Europe/Vienna',
    viewport: { width: 390, height: 844 },
    launchOptions: {
      ...(executablePath !== null && { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${[...OFF_FOR_PLAYWRIGHT, ...ADDRESS_BAR, SPARE_RENDERER].join()}`,
      ],
    },
  },
});
