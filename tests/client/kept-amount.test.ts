/** The amount that waits while somebody logs in. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stubStorage } from './browser.ts';

async function loadPage() {
  vi.resetModules();
  return import('#client/tip/kept-amount.ts');
}

let storage: Storage;
beforeEach(() => {
  storage = stubStorage('sessionStorage');
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it('is handed out once, to the code that it was chosen for, on a page that was loaded later', async () => {
  const before = await loadPage();
  before.keepAmount('K7Q2M9XW4T', '12,34');
  const { takeKeptAmount } = await loadPage();
  expect(takeKeptAmount('another code')).toBe('');
  expect(takeKeptAmount('K7Q2M9XW4T')).toBe('12,34');
  expect(takeKeptAmount('K7Q2M9XW4T')).toBe('');
});

it('is nothing when the storage holds anything but a text', async () => {
  const { keepAmount, takeKeptAmount } = await loadPage();
  for (const broken of ['50', '{"amount":50}', 'null', 'no JSON']) {
    keepAmount('K7Q2M9XW4T', '50');
    storage.setItem(storage.key(0) ?? '', broken);
    expect(takeKeptAmount('K7Q2M9XW4T')).toBe('');
  }
});

it('is kept by the page itself where storage is forbidden', async () => {
  stubStorage('sessionStorage', true);
  const { keepAmount, takeKeptAmount } = await loadPage();
  keepAmount('K7Q2M9XW4T', '$50.00');
  expect(takeKeptAmount('K7Q2M9XW4T')).toBe('$50.00');
  expect(takeKeptAmount('K7Q2M9XW4T')).toBe('');
});
