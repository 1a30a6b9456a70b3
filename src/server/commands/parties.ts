/** How commands spell people and acts. What people wrote is quoted, so that none can imitate a line of a command. */
import type { ActDone, Party } from '#shared/console/parties.ts';
import { inUtc } from '../setting-forms.ts';

export function spellParty({ id, fullName, username, email, state }: Party): string {
  if (username === null) return `closed account ${id}`;
  return `${JSON.stringify(fullName)}, ${username} <${email}>, ${id}${state === 'open' ? '' : `, ${state}`}`;
}

export function linesOfActs(acts: readonly ActDone[]): string[] {
  return acts.map(
    ({ text, by, reason, at }) =>
      `  done     ${text}, by ${by}, ${inUtc(Date.parse(at))}: ${reason === null ? 'no reason was given' : JSON.stringify(reason)}`,
  );
}
