/** What the process measures of itself, over diagnostics channels: without listeners a measure costs nothing. */
import { type Channel, channel } from 'node:diagnostics_channel';

export interface Measures {
  /** `route` is a pattern; for a batch of tRPC, its procedures separated by commas. */
  readonly request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  };
  /** Writes that shared one commit. */
  readonly group: { readonly size: number };
  /** Work that had to wait for its turn; `workSeconds` is null for refused work. */
  readonly work: {
    readonly queue: string;
    readonly waitSeconds: number;
    readonly workSeconds: number | null;
  };
  readonly ledgerCheck: { readonly isSound: boolean };
  readonly backup: { readonly ageMs: number | null };
  /** The database says that its data is damaged. */
  readonly damage: { readonly error: unknown };
}

type Name = keyof Measures;

const channels: { readonly [Each in Name]: Channel } = {
  request: channel('tipwell:request'),
  group: channel('tipwell:group'),
  work: channel('tipwell:work'),
  ledgerCheck: channel('tipwell:ledger-check'),
  backup: channel('tipwell:backup'),
  damage: channel('tipwell:damage'),
};

export function measure<Each extends Name>(name: Each, measured: Measures[Each]): void {
  if (channels[name].hasSubscribers) channels[name].publish(measured);
}

export function onMeasure<Each extends Name>(
  name: Each,
  listener: (measured: Measures[Each]) => void,
): () => void {
  // A channel carries what `measure` puts in under its name.
  const listen = (measured: unknown) => listener(measured as Measures[Each]);
  channels[name].subscribe(listen);
  return () => void channels[name].unsubscribe(listen);
}

/** @returns a function that tells the seconds since, by a clock that nobody sets. */
export function stopwatch(): () => number {
  const startedAtMs = performance.now();
  return () => (performance.now() - startedAtMs) / 1_000;
}
