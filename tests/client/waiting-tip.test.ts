/** The tip that waits while somebody logs in. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fill, stubStorage } from './browser.ts';

const TIP = { figures: '12,34', receiver: 'Alex Reed', preparedBy: 'cam' };

async function loadPage() {
  vi.resetModules();
  return import('#client/giving/waiting-tip.ts');
}

let storage: Storage;
beforeEach(() => {
  storage = stubStorage('sessionStorage');
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it('is shown as often as asked for, and handed out once, to the code that it was chosen for, on a page that was loaded later', async () => {
  const before = await loadPage();
  before.keepTip('K7Q2M9XW4T', TIP);
  const { waitingTip, takeWaitingTip } = await loadPage();
  expect(takeWaitingTip('another code')).toBeNull();
  expect(waitingTip('K7Q2M9XW4T')).toEqual(TIP);
  expect(takeWaitingTip('K7Q2M9XW4T')).toEqual(TIP);
  expect(waitingTip('K7Q2M9XW4T')).toBeNull();
  expect(takeWaitingTip('K7Q2M9XW4T')).toBeNull();
});

it('is nothing when the storage holds anything but a tip', async () => {
  const { keepTip, takeWaitingTip } = await loadPage();
  for (const broken of [
    '50',
    '"50"',
    '{"figures":50,"receiver":"Alex"}',
    '{"figures":"50"}',
    'null',
    'no JSON',
  ]) {
    keepTip('K7Q2M9XW4T', TIP);
    storage.setItem(storage.key(0) ?? '', broken);
    expect(takeWaitingTip('K7Q2M9XW4T')).toBeNull();
  }
});

it('is kept by the page itself where storage is forbidden', async () => {
  stubStorage('sessionStorage', true);
  const { keepTip, takeWaitingTip } = await loadPage();
  keepTip('K7Q2M9XW4T', TIP);
  expect(takeWaitingTip('K7Q2M9XW4T')).toEqual(TIP);
  expect(takeWaitingTip('K7Q2M9XW4T')).toBeNull();
});

it('is the newest one also where the storage is full', async () => {
  const { keepTip, takeWaitingTip } = await loadPage();
  keepTip('K7Q2M9XW4T', TIP);
  fill(storage);
  const newest = { figures: '250', receiver: 'Alex Reed', preparedBy: null };
  keepTip('K7Q2M9XW4T', newest);
  expect(takeWaitingTip('K7Q2M9XW4T')).toEqual(newest);
});
