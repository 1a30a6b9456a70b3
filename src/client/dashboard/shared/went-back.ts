/** What refunds and other changes of a period came to, in words. Sums are signed as in the books. */

/** What a sum of changes is called: money whose dispute was won comes back. */
export function nameOfChanges(sumCents: number): string {
  return sumCents < 0 ? 'Refunded or taken back' : 'Came back';
}
