/** A time in the operator's zone; its title says it in UTC. */
import { formatHere } from '../signed-in/format-here.ts';

const here = formatHere({ dateStyle: 'medium', timeStyle: 'short' });

export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={inUtc(at)}>
      {here(new Date(at))}
    </time>
  );
}

function inUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
