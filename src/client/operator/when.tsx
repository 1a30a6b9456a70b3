/** A time in the operator's zone; its title says it in UTC. */
import { PAGE_LANGUAGE } from '#shared/language.ts';

const here = new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' });

export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={inUtc(at)}>
      {here.format(new Date(at))}
    </time>
  );
}

function inUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
