/**
 * The browsers that the browser tests drive: those of the machine, else the one that Playwright has
 * downloaded.
 */
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
/** Where Debian installs the package `chromium-headless-shell`. */
const SHELL = '/usr/bin/chromium-headless-shell';

/** The path of a whole browser, or null when there is none yet. `CHROMIUM_PATH` names another one. */
export function findChromium(): string | null {
  const places = [process.env['CHROMIUM_PATH'], ...USUAL_PLACES, chromium.executablePath()];
  return places.find((place) => place !== undefined && place !== '' && existsSync(place)) ?? null;
}

/**
 * The path of Chromium without its windows and services; of the whole browser where that is not installed.
 */
export function findShell(): string | null {
  const isChosen = (process.env['CHROMIUM_PATH'] ?? '') !== '';
  return !isChosen && existsSync(SHELL) ? SHELL : findChromium();
}
