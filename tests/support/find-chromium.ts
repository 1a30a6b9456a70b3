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

/** @returns what `CHROMIUM_PATH` names; null where it is not set. @throws Error when there is no such file. */
function chosenPath(): string | null {
  const path = process.env['CHROMIUM_PATH'] ?? '';
  if (path !== '' && !existsSync(path)) throw new Error(`CHROMIUM_PATH names ${path}, which does not exist`);
  return path === '' ? null : path;
}

/** The path of a whole browser, or null when there is none yet. `CHROMIUM_PATH` names another one. */
export function findChromium(): string | null {
  return chosenPath() ?? [...USUAL_PLACES, chromium.executablePath()].find(existsSync) ?? null;
}

/**
 * The path of Chromium without its windows and services; of the whole browser where that is not installed.
 */
export function findShell(): string | null {
  return chosenPath() === null && existsSync(SHELL) ? SHELL : findChromium();
}
