/** A time in the operator's zone; its title says it in UTC. */
import { PAGE_LANGUAGE } from '#shared/language.ts';

const PARTS = { dateStyle: 'medium', timeStyle: 'short' } as const;

export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={inUtc(at)}>
      {/* A format that is kept would keep the time zone in which it was made. */}
      {new Date(at).toLocaleString(PAGE_LANGUAGE, PARTS)}
    </time>
  );
}

function inUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
