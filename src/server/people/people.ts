/** Finds somebody for an operator by whatever is at hand, and tells what an operator needs to know of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ALL_TIPS } from '#server/storage/port/ledger.ts';
import type { PersonNames } from '#server/storage/port/people.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { accountStateOf } from '#server/storage/rules/operations.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import type { FoundPeople, FoundPerson, Person } from '#shared/console/people.ts';
import { AppError } from '#shared/errors.ts';
import { isTransactionId, isUserId, readQrCodeId, type TransactionId, type UserId } from '#shared/ids.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';
import { readScannedText } from '#shared/scanned-text.ts';

const MAX_FOUND = 20;
/** Names are compared one by one, in steps of so many accounts, each of some milliseconds. */
const LOOKED_AT_ONCE = 2_000;
const MAX_LOOKED_AT = 50_000;
const MAX_TIPS = 10;

export interface FactorFacts {
  readonly passkeys: readonly object[];
  readonly hasTotp: boolean;
}

export interface People {
  /**
   * Finds people by an id, an email, a present or former username, a code or its link, a transaction or the link of a
   * receipt; else by a part of a name, username or email, those of exactly this username first. Emails and usernames are
   * found from their beginning on in a database of any size; inside of names, 50,000 accounts are looked at.
   */
  find(text: string): Promise<FoundPeople>;
  /** @throws AppError `not_found`. */
  describe(id: string): Promise<Person>;
}

export function createPeople(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly factorsOf: (id: UserId) => Promise<FactorFacts>;
}): People {
  const { storage, clock, factorsOf } = deps;
  const { people } = storage;

  return {
    async find(typed) {
      const text = typed.trim();
      const thing = await findByThing(storage, text);
      return thing ?? findByName(people, text);
    },

    async describe(text) {
      const facts = isUserId(text) ? await people.describe(text, clock()) : null;
      if (!facts) throw new AppError('not_found');
      const { id, fullName, suspension, closesAtMs, closedAtMs } = facts;
      const filter = { filter: ALL_TIPS, before: null, limit: MAX_TIPS };
      const { transactions } = await storage.listTransactions(id, filter);
      const codes = await storage.listQrCodes(id, '');
      const ended = await storage.listEndedQrCodes(id, null, MAX_TIPS);
      const { passkeys, hasTotp } = await factorsOf(id);
      const payouts = await storage.payments.listPayoutAccounts(id);
      return {
        id,
        fullName,
        username: facts.username,
        formerUsernames: await storage.listFormerUsernames(id),
        email: facts.email,
        state: accountStateOf({ suspendedAtMs: suspension?.sinceMs ?? null, closesAtMs, closedAtMs }),
        isEmailConfirmed: facts.confirmedAtMs !== null,
        since: isoTime(facts.createdAtMs),
        suspension: suspension && { since: isoTime(suspension.sinceMs), reason: suspension.reason },
        closesAt: isoTime(closedAtMs ?? closesAtMs),
        services: facts.serviceCategories,
        codes: [...codes, ...ended].map(({ id: code, serviceCategory, status, displayName }) => ({
          id: code,
          serviceCategory,
          status,
          name: displayName ?? fullName,
        })),
        totalReceivedCents: facts.totalTipsReceivedCents,
        totalGivenCents: facts.totalTipsGivenCents,
        lastTips: transactions.map((tip) => ({
          id: tip.id,
          at: isoTime(tip.createdAtMs),
          direction: tip.receiverId === id ? 'received' : 'given',
          amountCents: tip.amountCents,
          serviceCategory: tip.serviceCategory,
          isRefunded: tip.reversal !== null,
        })),
        sessionCount: facts.sessionCount,
        deviceCount: facts.deviceCount,
        apiKeyCount: facts.apiKeyCount,
        webhookCount: facts.webhookCount,
        webhookOffCount: facts.webhookOffCount,
        passkeyCount: passkeys.length,
        hasTotp,
        mustChangePassword: facts.mustChangePassword,
        payouts: payouts.map(({ paymentMode, chargesEnabled, missing }) => ({
          mode: paymentMode,
          isReady: chargesEnabled,
          missing,
        })),
      };
    },
  };
}

/** Looks for whom an id, a code or a transaction names, or a link of these; null for a text that is none. */
async function findByThing(
  storage: Pick<Storage, 'people' | 'operations' | 'findQrCode'>,
  text: string,
): Promise<FoundPeople | null> {
  const { people } = storage;
  if (isUserId(text)) return named(people, [[text, null]]);
  const transaction = transactionIn(text);
  const tip = transaction && (await storage.operations.findTip({ id: transaction }));
  if (tip) {
    const giver = tip.giver ? [[tip.giver.id, 'giver'] as const] : [];
    return named(people, [...giver, [tip.receiver.id, 'receiver']]);
  }
  const { code } = readScannedText(text);
  const id = code === null ? null : readQrCodeId(code);
  const found = id && (await storage.findQrCode(id));
  return found ? named(people, [[found.userId, 'owner']]) : null;
}

async function named(
  people: Storage['people'],
  whom: readonly (readonly [UserId, FoundPerson['as']])[],
): Promise<FoundPeople | null> {
  const found = await people.findMany(whom.map(([id]) => id));
  const told = whom.flatMap(([id, as]) => {
    const person = found.find((each) => each.id === id);
    return person ? [shown(person, as)] : [];
  });
  return told.length > 0 ? { people: told, isComplete: true } : null;
}

/** Looks for a part of a name, username or email; those of exactly this username come first. */
async function findByName(people: Storage['people'], text: string): Promise<FoundPeople> {
  const name = text.replace(/^@/, '');
  const exact = await people.findNamed(name);
  const found = new Map<string, PersonNames>();
  const add = (more: readonly PersonNames[]) => {
    for (const person of more) found.set(person.id, person);
  };
  add(exact);
  // A username may be somebody else's first name. An email, or a username with its @, means one person.
  const isWhole = exact.length > 0 && text.includes('@');
  if (!isWhole) add(await people.listFrom(name, MAX_FOUND + 1));
  const wanted = folded(name);
  let looked = 0;
  let isAtEnd = isWhole;
  for (let after = ''; !isAtEnd && looked < MAX_LOOKED_AT && found.size <= MAX_FOUND; ) {
    if (looked > 0) await nextTurn();
    const some = await people.listAfter(after, LOOKED_AT_ONCE);
    add(some.filter((person) => matches(person, wanted)));
    looked += some.length;
    after = some.at(-1)?.id ?? '';
    isAtEnd = some.length < LOOKED_AT_ONCE;
  }
  for (const { id } of exact) found.delete(id);
  const others = [...found.values()].toSorted((a, b) => (a.username < b.username ? -1 : 1));
  const all = [...exact, ...others];
  return {
    people: all.slice(0, MAX_FOUND).map((person) => shown(person, null)),
    isComplete: isAtEnd && all.length <= MAX_FOUND,
  };
}

/** An id by itself, or in the link of a receipt. */
function transactionIn(text: string): TransactionId | null {
  const last =
    text
      .replace(/[/?#]+$/, '')
      .split(/[/=]/)
      .at(-1) ?? '';
  return isTransactionId(last) ? last : transactionOfToken(last);
}

/** Letters with a stroke and ligatures, which Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
};

/** Without marks and case, so that Zoe finds Zoë, and with single spaces, because no page shows more of them. */
function folded(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/gu, ' ').toLowerCase();
  return plain.replace(/[đðħıłøþßæœ]/g, (letter) => PLAIN[letter] ?? letter);
}

function matches({ fullName, username, email }: PersonNames, wanted: string): boolean {
  return [fullName, username, email].some((text) => folded(text).includes(wanted));
}

function shown(person: PersonNames, as: FoundPerson['as']): FoundPerson {
  const { id, fullName, username, email } = person;
  return { id, fullName, username, email, state: accountStateOf(person), as };
}
