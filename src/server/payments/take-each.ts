/** Takes the items of a list in turn, and goes on after one for which the payment service does not answer. */
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { PaymentServiceUnavailable } from './payment-service.ts';

/** So many in a row mean that it answers for none of the others either. */
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
    take,
    tellFault,
  }: {
    readonly before?: () => Promise<void>;
    take(item: Item): Promise<void>;
    tellFault(err: unknown, item: Item): void;
  },
): Promise<void> {
  let unanswered: PaymentServiceUnavailable | null = null;
  let inARow = 0;
  for await (const item of items) {
    await before();
    try {
      await take(item);
      inARow = 0;
    } catch (err) {
      if (err instanceof StorageUnavailable) throw err;
      if (err instanceof PaymentServiceUnavailable) {
        unanswered = err;
        inARow += 1;
        if (inARow === MOST_UNANSWERED) throw err;
      } else tellFault(err, item);
    }
  }
  if (unanswered) throw unanswered;
}
