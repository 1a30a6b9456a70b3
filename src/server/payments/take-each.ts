/** Takes the items of a list in turn, and goes on after one for which the payment service does not answer. */
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { PaymentServiceUnavailable, PaymentUndecided } from './payment-service.ts';

/** After this many unanswered items in a row the payment service is taken to answer for none of the others. */
export const MOST_UNANSWERED = 3;

export interface Taking<Item> {
  /** Called before each item. */
  before?(): Promise<void>;
  /** What an item is about. Several unanswered items about the same count once. */
  nameOf(item: Item): string;
  take(item: Item): Promise<void>;
  /** Told of an item that may be at fault itself. */
  tellFault(err: unknown, item: Item): void;
}

interface Unanswered<Item> {
  readonly item: Item;
  readonly err: PaymentServiceUnavailable;
}

/**
 * @returns the items for which the payment service did not answer.
 * @throws PaymentServiceUnavailable when it answers for none any more; whatever keeps all items from being taken.
 */
export async function takeEach<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { before, nameOf, take, tellFault }: Taking<Item>,
): Promise<readonly Unanswered<Item>[]> {
  const unanswered: Unanswered<Item>[] = [];
  const inARow = new Set<string>();
  for await (const item of items) {
    await before?.();
    try {
      await take(item);
      inARow.clear();
    } catch (err) {
      if (err instanceof StorageUnavailable) throw err;
      if (!(err instanceof PaymentServiceUnavailable)) {
        tellFault(err, item);
        continue;
      }
      unanswered.push({ item, err });
      if (err instanceof PaymentUndecided) continue;
      inARow.add(nameOf(item));
      if (inARow.size === MOST_UNANSWERED) throw err;
    }
  }
  return unanswered;
}
