/** What an operator needs to know of somebody, in lines. Names are quoted, so that none can imitate a part of one. */
import { spellAmount } from '#shared/console/fee-csv.ts';
import type { Person } from '#shared/console/people.ts';
import { counted } from '#shared/counted.ts';
import type { Terms } from '#shared/money.ts';
import type { People } from './people.ts';

type Unit = Pick<Terms, 'currency' | 'exponent'>;

/** @param text what `People.find` takes. @param unit of the sums. @returns null when nobody was found. */
export async function showPeople(
  people: People,
  text: string,
  unit: Unit,
): Promise<readonly string[] | null> {
  const { people: found, isComplete } = await people.find(text);
  const [only] = found;
  if (!only) return null;
  if (found.length === 1) return linesOf(await people.describe(only.id), unit);
  return [
    ...found.map(({ id, fullName, username, email, state, as }) =>
      [as, id, JSON.stringify(fullName), `@${username}`, email, state]
        .filter((part) => part !== null)
        .join('  '),
    ),
    ...(isComplete ? [] : ['There may be more: name more of an email or a username.']),
  ];
}

function linesOf(person: Person, { currency, exponent }: Unit): readonly string[] {
  const { suspension } = person;
  const amount = (value: number) => `${spellAmount(value, exponent)} ${currency}`;
  const time = (at: string) => `${at.slice(0, 'YYYY-MM-DD'.length)} ${at.slice(11, 16)} UTC`;
  const rows: readonly (readonly [string, string])[] = [
    ['Id', person.id],
    ['Name', `${JSON.stringify(person.fullName)} (@${person.username})`],
    ['Email', `${person.email} (${person.isEmailConfirmed ? 'confirmed' : 'not confirmed'})`],
    ['State', person.state],
    ...(suspension ? [['Suspended', `${time(suspension.since)}: ${suspension.reason}`] as const] : []),
    ...(person.closesAt === null ? [] : [['Closes', time(person.closesAt)] as const]),
    ['Since', time(person.since)],
    ['Services', person.services.join(', ') || 'none'],
    ['Codes', person.codes.map(({ id, status }) => `${id} (${status})`).join(', ') || 'none'],
    ['Received net', amount(person.totalReceivedCents)],
    ['Given', amount(person.totalGivenCents)],
    [
      'Logged in',
      `${counted(person.sessionCount, 'session')}, ${counted(person.deviceCount, 'device')} with notifications`,
    ],
    [
      'Factors',
      `${counted(person.passkeyCount, 'passkey')}, ${person.hasTotp ? 'an' : 'no'} authenticator app`,
    ],
    ['API', `${counted(person.apiKeyCount, 'key')}, ${counted(person.webhookCount, 'webhook')}`],
    ...person.payouts.map(
      ({ mode, isReady }) => [`Payouts (${mode})`, isReady ? 'ready' : 'not ready'] as const,
    ),
  ];
  return [
    ...rows.map(([name, fact]) => `${name.padEnd(16)}${fact}`),
    ...person.lastTips.map(
      ({ id, at, direction, amountCents, isRefunded }) =>
        `${time(at)}  ${direction}  ${amount(amountCents)}  ${id}${isRefunded ? '  refunded' : ''}`,
    ),
  ];
}
