/** Takes the items of a list in turn, and goes on after one for which the payment service does not answer. */
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { PaymentServiceUnavailable, PaymentUndecided } from './payment-service.ts';

/** After this many unanswered items in a row the payment service is taken to answer for none of the others. */
const MOST_UNANSWERED = 3;

/**
 * `tellFault` is told of an item that may be at fault itself, and `before` is called before each.
 * @throws PaymentServiceUnavailable when it did not answer for an item, so that the list is read again; whatever keeps
 * all items from being taken.
 */
export async function takeEach<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  {
    before = async () => {},
    nameOf,
    take,
    tellFault,
  }: {
    readonly before?: () => Promise<void>;
    /** What an item is about. Several unanswered items about the same count once. */
    nameOf(item: Item): string;
    take(item: Item): Promise<void>;
    tellFault(err: unknown, item: Item): void;
  },
): Promise<void> {
  let unanswered: PaymentServiceUnavailable | null = null;
  const inARow = new Set<string>();
  for await (const item of items) {
    await before();
    try {
      await take(item);
      inARow.clear();
    } catch (err) {
      if (err instanceof StorageUnavailable) throw err;
      if (!(err instanceof PaymentServiceUnavailable)) {
        tellFault(err, item);
        continue;
      }
      unanswered = err;
      if (err instanceof PaymentUndecided) continue;
      inARow.add(nameOf(item));
      if (inARow.size === MOST_UNANSWERED) throw err;
    }
  }
  if (unanswered) throw unanswered;
}
