/**
 * People who are put straight into a storage, with codes and tips, where registering through the app would
 * hash passwords.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { newQrCodeId, newTransactionId, newUserId, type QrCodeId, type RandomBytes } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { newTip } from '#tests/support/new-tip.ts';

/** A Friday noon in UTC. */
export const START_MS = Date.UTC(2026, 4, 15, 12);

interface TipOptions extends Partial<Omit<GivenTip, 'amountCents'>> {
  readonly amountCents?: number;
}

export function createPeople(storage: Storage, random: RandomBytes = randomBytes) {
  /** A customer, or a provider when there are categories; the email is `{username}@example.com`. */
  async function addAccount(
    username: string,
    serviceCategories: readonly ServiceCategory[] = [],
  ): Promise<Account> {
    const person = {
      id: newUserId(random),
      email: `${username}@example.com`,
      username,
      fullName: `Name of ${username}`,
      phone: null,
      isServiceProvider: serviceCategories.length > 0,
      serviceCategories,
      createdAtMs: START_MS,
    };
    const outcome = await storage.createAccount({ ...person, passwordHash: 'none' });
    if (outcome !== 'created') throw new Error(outcome);
    const totals = { totalTipsReceivedCents: cents(0), totalTipsGivenCents: cents(0) };
    const unset = { dayStartHour: null, acceptedTerms: null, mustChangePassword: false, suspension: null };
    return { ...person, ...totals, ...unset };
  }

  async function addCode(owner: Pick<Account, 'id'>, serviceCategory: ServiceCategory): Promise<QrCodeId> {
    const id = newQrCodeId(random);
    const outcome = await storage.createQrCode(
      { id, userId: owner.id, serviceCategory, createdAtMs: START_MS },
      { address: `https://tips.example.com/tip/${id}`, png: Buffer.from('no picture') },
    );
    if (outcome !== 'created') throw new Error(outcome);
    return id;
  }

  async function setTheScene() {
    const provider = await addAccount('pat', ['bartender', 'barber']);
    const customer = await addAccount('cam');
    const code = await addCode(provider, 'bartender');

    function tip({ amountCents = 2_000, ...changes }: TipOptions = {}): GivenTip {
      const id = newTransactionId(random);
      const given = { id, giverId: customer.id, qrCodeId: code, amountCents, createdAtMs: START_MS };
      return newTip(given, changes);
    }
    return { provider, customer, code, tip };
  }

  return { addAccount, addCode, setTheScene };
}

/** Logs somebody in without the price of a password. @returns the token. */
export async function beginSession(
  storage: Storage,
  email: string,
  { createdAtMs = START_MS, expiresAtMs = Number.MAX_SAFE_INTEGER } = {},
): Promise<string> {
  const found = await storage.findCredentials(email);
  if (!found) throw new Error(`nobody has the email ${email}`);
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest();
  const session = { tokenHash, userId: found.account.id, createdAtMs, expiresAtMs, device: '' };
  const outcome = await storage.createSession(session, found.passwordHash, 50);
  if (outcome !== 'created') throw new Error(outcome);
  return token;
}

/** As if somebody typed their password now; most people of tests have none. */
export async function typePassword(
  { storage, clock }: { readonly storage: Storage; readonly clock: { readonly nowMs: number } },
  { token }: { readonly token: string },
): Promise<void> {
  const tokenHash = createHash('sha256').update(token).digest();
  if (!(await storage.confirmSession(tokenHash, clock.nowMs))) throw new Error('the session has ended');
}
