/** The codes that a device keeps for the dashboard. */
import { afterEach, expect, it, vi } from 'vitest';
import {
  type KeptUser,
  keepDashboard,
  markOfSession,
  readKeptDashboard,
} from '#client/signed-in/kept-dashboard.ts';
import { brand } from '#shared/brand.ts';
import { newQrCodeId, newUserId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { fill, stubStorage } from './browser.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const userId = newUserId((size) => Buffer.alloc(size, 1));
const user: KeptUser = {
  id: userId,
  username: 'pat',
  fullName: 'Pat',
  isServiceProvider: true,
  serviceCategories: ['bartender'],
};

function codeNo(number: number): QrCode {
  return {
    id: newQrCodeId((size) => Buffer.alloc(size, number)),
    serviceCategory: 'bartender',
    userId,
    url: 'https://tips.example.com/tip/K7Q2M9XW4T',
    imageBase64: 'iVBORw==',
    status: 'active',
    displayName: null,
    greeting: null,
    thankYou: null,
    takesWords: true,
    isListed: true,
    photoUrl: null,
  };
}

it('codes that were replaced are kept no longer, also where the storage has no room for those that follow', () => {
  const storage = stubStorage('localStorage');
  storage.setItem(brand.tokenStorageKey, 'the token of a session');
  const [first, next] = [codeNo(1), codeNo(2)];
  keepDashboard(user, [first], markOfSession());
  expect(readKeptDashboard()?.codes).toEqual([first]);
  fill(storage);
  keepDashboard(user, [next], markOfSession());
  expect(readKeptDashboard()).toBeNull();
});
