/** Steps of finding somebody for an operator. */
import type { PeopleStorage } from '../port/people.ts';
import { accountOf, emailKeyOf } from '../rules/accounts.ts';
import type { Engine } from './engine.ts';
import { isStorable } from './storable.ts';

/** Sorts after every character of a text. */
const LAST_CHARACTER = '\u{10FFFF}';

export function createPeopleSteps({ read }: Engine): PeopleStorage {
  return {
    async findNamed(text) {
      const key = emailKeyOf(text);
      return isStorable(key) ? read(({ peopleNamed }) => peopleNamed.all({ key })) : [];
    },

    async listFrom(text, atMost) {
      const from = emailKeyOf(text);
      if (!isStorable(from)) return [];
      return read(({ peopleFrom }) => peopleFrom.all({ from, until: from + LAST_CHARACTER, atMost }));
    },

    listAfter: (after, atMost) => read(({ peopleAfter }) => peopleAfter.all({ after, atMost })),

    findMany: (ids) => read(({ peopleOf }) => peopleOf.all({ ids })),

    async describe(id, nowMs) {
      const row = await read(({ factsOfPerson }) => factsOfPerson.one({ id, nowMs }));
      if (!row) return null;
      const { closesAtMs, closedAtMs, confirmedAtMs } = row;
      const { sessionCount, deviceCount, apiKeyCount, webhookCount, webhookOffCount } = row;
      const counts = { sessionCount, deviceCount, apiKeyCount, webhookCount, webhookOffCount };
      return { ...accountOf(row), closesAtMs, closedAtMs, confirmedAtMs, ...counts };
    },
  };
}
